import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Customer } from '../../examples/story/customer.ts';
import { DEMO_INVOICES } from '../../src/cli/sandbox/demo-invoices.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { freePort } from '../support/free-port.ts';
import { startPostgres } from '../support/postgres.ts';
import { startRedis } from '../support/redis.ts';

// The code of README and docs as a reader would use it: it compiles in a strict project, runs, and prints what it shows
// behind `// →`. Words behind the language of a block: `fragment` is compiled only, `continues` belongs to the block
// before it, `server` receives the webhook of a payment, `browser` prints a payment page to pay on, `postgres` and `redis`
// need the engine. `<!-- around: … -->` declares what the reader's program has around the next block. One page:
// npx vitest run test/docs -t docs/stores.md

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
  globSync('examples/**/*.ts', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8').trimEnd()),
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
  resolveJsonModule: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
};

/** The entry of each name that the package exports, for fragments, which show no imports. */
function exportedNames(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json');
  const path = join(FOLDER, 'entries.ts');
  const specifiers = entries.map((entry) => `merchant-invoicing${entry.slice(1)}`);
  writeFileSync(path, specifiers.map((specifier) => `import '${specifier}';\n`).join(''));
  const program = ts.createProgram([path], STRICT);
  const checker = program.getTypeChecker();
  const imports = program.getSourceFile(path)?.statements.filter(ts.isImportDeclaration) ?? [];
  const named = [...imports].reverse().flatMap(({ moduleSpecifier }) => {
    const module = checker.getSymbolAtLocation(moduleSpecifier);
    const specifier = moduleSpecifier.getText().slice(1, -1);
    return (module === undefined ? [] : checker.getExportsOfModule(module)).map(
      ({ name }) => [name, specifier] as const,
    );
  });
  return new Map(named); // the first entry that has a name wins
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
/** Where a block finds the engine that it names, or null where the machine has none. */
async function engineOf({ words }: Block): Promise<Record<string, string> | null> {
  databases += 1;
  if (words.includes('redis')) {
    return redis.missing === null ? { REDIS_URL: `redis://127.0.0.1:${redisPort}/${databases % 16}` } : null;
  }
  if (!words.includes('postgres')) return {};
  if (postgres.missing !== null) return null;
  const client = new Client({ host: '127.0.0.1', port: postgresPort, user: 'postgres', database: 'postgres' });
  await client.connect();
  const database = `docs_${databases}`;
  await client.query(`CREATE DATABASE ${database}`);
  await client.end();
  return { DATABASE_URL: `postgres://postgres@127.0.0.1:${postgresPort}/${database}` };
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

describe('the code of the docs prints what it shows', () => {
  it.concurrent.each(running)('$at', async (block) => {
    const engine = await engineOf(block);
    if (engine === null) return console.warn(`${block.at} is left out: its engine is not installed`);
    const sandbox = createSandbox({
      seed: 1,
      clock: 'real',
      magicOutcomes: true,
      seedData: { invoices: DEMO_INVOICES },
    });
    const [{ url }, port] = [await sandbox.listen(), await freePort()];
    const env = {
      MERCHANT_BASE_URL: url,
      MERCHANT_API_KEY: sandbox.apiKey,
      MERCHANT_WEBHOOK_SECRET: sandbox.webhookSecret,
      PORT: String(port),
    };
    const cwd = mkdtempSync(join(FOLDER, 'run-'));
    const child = spawn(process.execPath, [block.path], {
      cwd,
      env: { PATH: process.env['PATH'], NO_COLOR: '1', ...env, ...engine },
      timeout: 120_000,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        output += part;
      });
    const ended = once(child, 'close');
    const prints = [...block.code.matchAll(/\/\/ → ?(.*)$/gm)].map(([, text = '']) => text);
    const isServer = block.words.includes('server') || block.words.includes('browser');
    if (isServer) {
      while (child.exitCode === null && !(await isOpen(port))) await pause(50);
      let ident = /\border-[\w-]+/.exec(prints.join('\n'))?.[0] ?? 'order-1042';
      if (block.words.includes('browser')) {
        while (child.exitCode === null && !/\/pay\//.test(output)) await pause(50);
        const [address = '', uuid = ''] = /http:\S+\/pay\/([\w-]+)/.exec(output) ?? [];
        const customer = new Customer();
        await customer.open(address);
        await customer.press('pay');
        ident = uuid;
      } else {
        const order = {
          external_id: ident,
          customer_id: 'customer-7',
          amount: '25.00',
          currency: 'EUR',
          callback_url: `http://127.0.0.1:${port}/webhook`,
        };
        await sandbox.fetch(`${sandbox.url}/api/v1/external/invoices`, {
          method: 'POST',
          headers: { 'x-api-key': sandbox.apiKey },
          body: JSON.stringify(order),
        });
        await sandbox.pay(ident);
      }
      await sandbox.settle();
      expect(sandbox.deliveries(ident)[0]).toMatchObject({ status: 'delivered' });
      child.kill('SIGTERM');
    }
    const [code] = await ended;
    await sandbox.close();
    const shown = output.replaceAll(url, 'http://127.0.0.1:4010').replaceAll(`:${port}/`, ':3000/');
    if (!isPrinted(prints, shown)) expect(shown).toBe(`${prints.join('\n')}\n`);
    if (!isServer) expect(code).toBe(0);
  });
});

it('the tests of the docs pass', async () => {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const tests = blocks.filter(isTest);
  const child = spawn(process.execPath, [vitest, 'run', '--root', FOLDER], {
    env: { PATH: process.env['PATH'], NO_COLOR: '1' },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
  const [code] = await once(child, 'close');
  expect(code, said).toBe(0);
  expect(said).toContain(`Test Files  ${tests.length} passed`);
});
