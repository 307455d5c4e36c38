import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Customer } from '../../examples/story/customer.ts';
import { MerchantClient } from '../../src/index.ts';
import type { Sandbox } from '../../src/tools/sandbox/index.ts';
import { freePort } from '../support/free-port.ts';
import { openPool, startPostgres } from '../support/postgres.ts';
import { startRedis } from '../support/redis.ts';
import { testSandbox } from '../support/test-sandbox.ts';
import { DEMO_INVOICES } from './demo-invoices.ts';

// The code of README and docs as a reader would use it: it compiles in a strict project, runs, and prints what it shows
// behind `// →`. Words behind the language of a block: `fragment` is compiled only, `continues` belongs to the block
// before it, `server` receives the webhook of a payment, `browser` prints a payment page to pay on, `postgres` and `redis`
// need the engine. `<!-- around: … -->` declares what the reader's program has around the next block. One page:
// npx vitest run test/docs -t docs/queues.md

interface Block {
  readonly at: string;
  readonly path: string;
  readonly code: string;
  readonly around: string;
  readonly words: readonly string[];
}

const ROOT = join(import.meta.dirname, '../..');
mkdirSync(join(ROOT, 'coverage'), { recursive: true });
// Below the repository, so that the package finds itself and its development dependencies by name.
const FOLDER = mkdtempSync(join(ROOT, 'coverage', 'docs-'));
const EXAMPLES = new Set(
  globSync(['examples/**/*.ts', 'test/shops/{vendure,medusa/src}/**/*.ts'], { cwd: ROOT }).map((path) =>
    readFileSync(join(ROOT, path), 'utf8').trimEnd(),
  ),
);
const PARTS = /^<!-- (\w[\w .-]*?):\s+([\s\S]*?)\s*-->|^( *)(`{3,}) ?(\w*)(.*)\n([\s\S]*?)^\3\4 *$/gm;

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const folder = join(FOLDER, page.replace(/\.md$/, '').replaceAll('/', '-'));
  mkdirSync(folder, { recursive: true });
  const blocks: Block[] = [];
  let [everywhere, before] = ['', ''];
  for (const {
    1: note,
    2: content = '',
    3: indent = '',
    5: language = '',
    6: info = '',
    7: body = '',
    index,
  } of text.matchAll(PARTS)) {
    if (note === 'around every fragment') everywhere = content;
    else if (note === 'around') before = content;
    else if (note?.startsWith('file ')) writeFileSync(join(folder, note.slice('file '.length)), content);
    if (note !== undefined) continue;
    const around = `${everywhere}\n${before}`;
    before = '';
    const code = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trimEnd();
    if (!['ts', 'js'].includes(language) || EXAMPLES.has(code)) continue;
    const words = info.trim().split(/\s+/);
    const last = blocks.at(-1);
    if (words.includes('continues') && last !== undefined) {
      blocks.splice(-1, 1, { ...last, code: `${last.code}\n${code}`, words: [...last.words, ...words] });
    } else {
      const line = text.slice(0, index).split('\n').length;
      const [, file = `line-${line}.${language === 'ts' ? 'ts' : 'mjs'}`] =
        /^\/\/ ([\w./-]+\.[cm]?[jt]s)$/m.exec(code.split('\n')[0] ?? '') ?? [];
      blocks.push({ at: `${page}:${line}`, path: join(folder, file), code, around, words });
    }
  }
  return blocks;
}

const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: ROOT, exclude: ['docs/api/**'] }).sort();
const blocks = pages.flatMap(blocksOf);
const isTest = ({ path }: Block) => path.includes('.test.');
const running = blocks.filter((block) => !block.words.includes('fragment') && !isTest(block));

const STRICT: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowJs: true,
  checkJs: true,
  resolveJsonModule: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
};

/** The entry of each name that the package exports, for fragments, which show no imports. The first that has it wins. */
function exportedNames(): Map<string, string> {
  const entries = ['testing', 'msw', 'reconcile', 'sandbox', 'webhooks', 'index'].map((entry) => {
    const lists = readFileSync(join(ROOT, `dist/${entry}.d.ts`), 'utf8').matchAll(/^export (?:type )?\{(.*?)\}/gms);
    const names = [...lists].flatMap(([, list = '']) =>
      list.split(',').map((each) => each.trim().split(' ').at(-1) ?? ''),
    );
    return names.map((name) => [name, `merchant-invoicing${entry === 'index' ? '' : `/${entry}`}`] as const);
  });
  return new Map(entries.flat());
}

/** Imports of the names that a fragment uses and does not declare, then what the page declares around it. */
function surroundings({ code, around }: Block, names: ReadonlyMap<string, string>): string {
  const text = `${around}\n${code}`;
  const used = [...names].filter(
    ([name]) =>
      new RegExp(`(?<![\\w'])(?<![\\w)\\]]\\.)${name}\\b`).test(text) &&
      !new RegExp(`\\b(?:const|let|function|class|interface|type)\\s+${name}\\b|^import[^;]*\\b${name}\\b`, 'm').test(
        text,
      ),
  );
  return `${used.map(([name, from]) => `import { ${name} } from '${from}';`).join(' ')}\n${around}\nexport {};\n`;
}

let findings: ReadonlyMap<string, readonly string[]>;
const [postgresPort, redisPort] = [await freePort(), await freePort()];
const needs = (engine: string) => running.some(({ words }) => words.includes(engine));
const postgres = needs('postgres') ? await startPostgres(postgresPort) : { missing: 'not needed' };
const redis = needs('redis') ? await startRedis(redisPort) : { missing: 'not needed' };

beforeAll(() => {
  const names = exportedNames();
  for (const block of blocks) {
    const before = block.words.includes('fragment') ? surroundings(block, names) : '';
    mkdirSync(dirname(block.path), { recursive: true });
    writeFileSync(block.path, before + block.code);
  }
  const program = ts.createProgram(
    blocks.map(({ path }) => path),
    STRICT,
  );
  const all = blocks.map(({ path }) => {
    const source = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return [path, found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))] as const;
  });
  findings = new Map(all);
});
afterAll(async () => {
  if (postgres.missing === null) await postgres.stop();
  if (redis.missing === null) await redis.stop();
  rmSync(FOLDER, { recursive: true, force: true });
});

describe('the code of the docs compiles in a strict project', () => {
  it.each(blocks)('$at', ({ path }) => {
    expect(findings.get(path)).toEqual([]);
  });
});

let databases = 0;
/** Where a block finds the engine that it names, with an empty database; null where the machine has none. */
async function engineOf({ words }: Block): Promise<Record<string, string> | null> {
  databases += 1;
  const name = `docs_${databases}`;
  if (words.includes('redis')) {
    return redis.missing === null ? { REDIS_URL: `redis://127.0.0.1:${redisPort}/${databases % 16}` } : null;
  }
  if (!words.includes('postgres')) return {};
  if (postgres.missing !== null) return null;
  const pool = openPool(postgres.connection);
  await pool.query(`CREATE DATABASE ${name}`);
  await pool.end();
  return { DATABASE_URL: `postgres://postgres@127.0.0.1:${postgresPort}/${name}` };
}

/** A program of Node, and all that it has printed. */
function begin(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  const fewer = { PATH: process.env['PATH'], NO_COLOR: '1', ...env };
  const child = spawn(process.execPath, args, { cwd, env: fewer, timeout: 120_000 });
  const program = { child, output: '', ended: once(child, 'close') };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      program.output += part;
    });
  }
  return program;
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const opened = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  return opened.finally(() => socket.destroy());
}

/** Whether a program has printed these lines. `…` stands for anything in its line, and alone for any lines. */
function isPrinted(lines: readonly string[], output: string): boolean {
  const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const parts = lines.map((line) =>
    line.trim() === '…' ? '(?:.*\n)*?' : `${line.trimEnd().split('…').map(escaped).join('.*')} *\n`,
  );
  return new RegExp(`^${parts.join('')}$`).test(output);
}

/** Pays an order whose webhook goes to the program, or the one whose payment page it prints. Returns which it was. */
async function pay(
  sandbox: Sandbox,
  port: number,
  { words }: Block,
  shown: string,
  said: () => string,
): Promise<string> {
  const ident = /\border-[\w-]+/.exec(shown)?.[0] ?? 'order-1042';
  if (!words.includes('browser')) {
    const { invoices } = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
    const order = { external_id: ident, customer_id: 'customer-7', amount: '25.00', currency: 'EUR' };
    await invoices.create({ ...order, callback_url: `http://127.0.0.1:${port}/webhook` });
    await sandbox.pay(ident);
    return ident;
  }
  while (!said().includes('/pay/')) await pause(50);
  const [address = '', uuid = ''] = /http:\S+\/pay\/([\w-]+)/.exec(said()) ?? [];
  const customer = new Customer();
  await customer.open(address);
  await customer.press('pay');
  return uuid;
}

describe('the code of the docs prints what it shows', () => {
  it.concurrent.each(running)('$at', async (block) => {
    const engine = await engineOf(block);
    if (engine === null) return console.warn(`${block.at} is left out: its engine is not installed`);
    const seedData = { invoices: DEMO_INVOICES };
    const sandbox = testSandbox({ seed: 1, clock: 'real', seedData });
    const [{ url }, port] = [await sandbox.listen(), await freePort()];
    const program = begin([block.path], mkdtempSync(join(FOLDER, 'run-')), {
      MERCHANT_BASE_URL: url,
      MERCHANT_API_KEY: sandbox.apiKey,
      MERCHANT_WEBHOOK_SECRET: sandbox.webhookSecret,
      PORT: String(port),
      ...engine,
    });
    const prints = [...block.code.matchAll(/\/\/ → ?(.*)$/gm)].map(([, text = '']) => text);
    const isServer = block.words.includes('server') || block.words.includes('browser');
    if (isServer) {
      while (program.child.exitCode === null && !(await isOpen(port))) await pause(50);
      const ident = await pay(sandbox, port, block, prints.join('\n'), () => program.output);
      await sandbox.settle();
      expect(sandbox.deliveries(ident)[0], program.output).toMatchObject({ status: 'delivered' });
      program.child.kill('SIGTERM');
    }
    const [code] = await program.ended;
    await sandbox.close();
    const shown = program.output.replaceAll(url, 'http://127.0.0.1:4010').replaceAll(`:${port}/`, ':3000/');
    if (!isPrinted(prints, shown)) expect(shown).toBe(`${prints.join('\n')}\n`);
    if (!isServer) expect(code).toBe(0);
  });
});

describe('the SQLite code of the guides, pasted in their order into one folder', () => {
  /** The first program of a page that has these words. */
  const codeOf = (page: string, words: string): string => {
    const text = readFileSync(join(ROOT, `docs/${page}.md`), 'utf8');
    const found = [...text.matchAll(PARTS)].map(({ 7: body = '' }) => body).find((body) => body.includes(words));
    if (found === undefined) throw new Error(`docs/${page}.md has no code with ${words}`);
    return found;
  };

  it('is a shop: each page finds the tables and the states of the pages before', async () => {
    const folder = mkdtempSync(join(FOLDER, 'shop-'));
    const hourAgo = new Date(Date.now() - 3_600_000); // reconcile leaves what changed just now for its next run
    const sandbox = testSandbox({ seed: 1, clock: 'real', now: hourAgo, quiet: true });
    const [{ url }, port] = [await sandbox.listen(), await freePort()];
    onTestFinished(() => sandbox.close());
    const env = {
      MERCHANT_BASE_URL: url,
      MERCHANT_API_KEY: sandbox.apiKey,
      MERCHANT_WEBHOOK_SECRET: sandbox.webhookSecret,
      PORT: String(port),
    };
    const paste = (file: string, code: string) => writeFileSync(join(folder, file), code);
    const ran = async (...args: readonly string[]): Promise<string> => {
      const program = begin(args, folder, env);
      const [code] = await program.ended;
      expect([args, code, program.output]).toEqual([args, 0, program.output]);
      return program.output;
    };

    paste('pay.ts', codeOf('take-a-payment', 'POST /orders/:id/pay').replace("':memory:'", "'shop.db'"));
    await ran('pay.ts');
    paste('handler.ts', codeOf('receive-webhooks', 'export const handler'));
    await ran('handler.ts');
    paste('handler.ts', codeOf('fulfil-exactly-once', 'export const handler'));
    paste('server.ts', codeOf('fulfil-exactly-once', '// server.ts'));
    const server = begin(['server.ts'], folder, env);
    while (server.child.exitCode === null && !(await isOpen(port))) await pause(50);
    const { invoices } = new MerchantClient({ baseUrl: url, apiKey: sandbox.apiKey });
    const order = { external_id: 'order-1042', customer_id: 'customer-7', amount: '25.00', currency: 'EUR' };
    await invoices.create({ ...order, callback_url: `http://127.0.0.1:${port}/webhook` });
    await sandbox.pay('order-1042');
    server.child.kill('SIGTERM');
    await server.ended;
    expect(server.output).toBe('order-1042 booked 26.861298\n');

    await sandbox.pay('order-7'); // of pay.ts: its webhook does not come to this machine
    paste('catch-up.ts', codeOf('catch-up-and-reconcile', '--nightly'));
    expect(await ran('catch-up.ts')).toMatch(/^order-7 booked 26\.861298\n\{\s+checked: 1,\s+played: 1,/);
    expect(await ran('catch-up.ts', '--nightly')).toMatch(/^\{\s+checked: 0,/);

    const db = new DatabaseSync(join(folder, 'shop.db'));
    db.exec(`INSERT INTO orders (id, customer_id, amount, currency) VALUES ('cart', 'customer-8', '9.00', 'EUR');
      UPDATE orders SET created_at = datetime('now', '-1 hour'), changed_at = datetime('now', '-1 hour')`);
    expect(
      db
        .prepare('SELECT id, status FROM orders ORDER BY id')
        .all()
        .map((row) => Object.values(row)),
    ).toEqual([
      ['cart', 'new'],
      ['order-1042', 'paid'],
      ['order-7', 'check'], // its price was changed after the press
    ]);
    db.close();
    await sandbox.advance('1h');
    paste('job.ts', codeOf('catch-up-and-reconcile', 'export async function nightly'));
    paste('reconcile.ts', codeOf('catch-up-and-reconcile', 'readOnly: true'));
    const job = begin(['reconcile.ts'], folder, env);
    const [code] = await job.ended;
    const lines = job.output.trimEnd().split('\n');
    expect([code, lines.at(-1)]).toEqual([1, '{"matched":1,"findings":1,"notCompared":0}']);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ order: 'order-7', kind: 'amount_differs' });
  });
});

it('the tests of the docs pass', async () => {
  const program = begin(
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', FOLDER, '--testTimeout=60000'],
    FOLDER,
  );
  const [code] = await program.ended;
  expect(code, program.output).toBe(0);
  expect(program.output).toContain(`Test Files  ${blocks.filter(isTest).length} passed`);
});

/** The functions of handlers that take the order from the id of an invoice, which may be a renewal. */
const bookedByInvoice = (text: string) =>
  text.match(/\bon(?:Paid|Adjusted|Canceled)\b[:=(\s]*(?:async\s*)?\(\{[^}]*\bexternal_id\b/g) ?? [];

it('no handler of README and docs books by external_id', () => {
  const found = pages.flatMap((page) => bookedByInvoice(readFileSync(join(ROOT, page), 'utf8')));
  expect(found).toEqual([]);
  expect(bookedByInvoice('onPaid: async ({ credited_usdt, external_id }, { tx }) => 1')).toHaveLength(1);
  expect(bookedByInvoice('onCanceled: ({ order }) => note({ external_id })')).toEqual([]);
});
