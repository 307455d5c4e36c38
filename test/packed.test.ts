import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toCommonJs } from './matrix/scenario.ts';
import { type Consumer, installPacked, type Ran } from './support/consumer.ts';

// What npm pack makes, installed in an empty folder: the package as a merchant has it.

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<
    Record<string, string | Condition | { readonly import: Condition; readonly require: Condition }>
  >;
}
interface Condition {
  readonly types: string;
  readonly default: string;
}

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const fixture = (name: string): string => read(`test/matrix/fixtures/${name}`);
const manifest: Manifest = JSON.parse(read('package.json'));
const INLINED = ['csv-parse', 'ky', 'zod'];

/** Each entry in each module form that it has. */
const FORMS = Object.entries(manifest.exports).flatMap(([entry, target]) => {
  if (typeof target === 'string') return [];
  const name = `merchant-invoicing${entry.slice(1)}`;
  if (!('import' in target)) return [{ name, form: 'ESM', ...target }];
  return [
    { name, form: 'ESM', ...target.import },
    { name, form: 'CommonJS', ...target.require },
  ];
});

let consumer: Consumer;
let installed: string;
beforeAll(() => {
  consumer = installPacked({ fresh: true });
  installed = join(consumer.folder, 'node_modules', 'merchant-invoicing');
  for (const name of ['scenario.mjs', 'esm.mjs', 'cjs.cjs']) {
    copyFileSync(new URL(`test/matrix/fixtures/${name}`, root), join(consumer.folder, name));
  }
  writeFileSync(join(consumer.folder, 'scenario.cjs'), toCommonJs(fixture('scenario.mjs')));
});
afterAll(() => consumer?.remove());

const SILENT: Ran = { code: 0, stdout: '', stderr: '' };

describe('the packed package', () => {
  it('brings decimal.js and nothing else', () => {
    const modules = readdirSync(join(consumer.folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(modules.sort()).toEqual(['decimal.js', 'merchant-invoicing']);
  });

  it('holds its licence and those of what is inlined', () => {
    const notices = readFileSync(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of INLINED) {
      const { version } = JSON.parse(read(`node_modules/${name}/package.json`));
      const file = readdirSync(new URL(`node_modules/${name}`, root)).find((each) => /^licen[cs]e/i.test(each));
      expect(notices).toContain(`${name} ${version}`);
      expect(notices).toContain(read(`node_modules/${name}/${file}`).trim());
    }
    expect(existsSync(join(installed, 'LICENSE'))).toBe(true);
  });

  it('has guides without a picture that it does not bring', () => {
    const guides = globSync('docs/**/*.md', { cwd: installed });
    expect(guides.length).toBeGreaterThan(15);
    const dead = guides.flatMap((guide) => {
      const sources = readFileSync(join(installed, guide), 'utf8').matchAll(
        /!\[[^\]]*\]\(([^)\s]+)|\b(?:src|srcset)="([^"\s]+)/g,
      );
      return [...sources]
        .map(([, inline, attribute]) => inline ?? attribute ?? '')
        .filter((path) => !existsSync(join(installed, dirname(guide), path)))
        .map((path) => `${guide}: ${path}`);
    });
    expect(dead).toEqual([]);
  });

  it.each(FORMS)('$name says in its declarations ($form) which version may break it', ({ name, types }) => {
    const blocks = readFileSync(join(installed, types), 'utf8').match(/\/\*\*\n(?: \*.*\n)+/g) ?? [];
    const own = blocks.filter((block) => block.includes(` * @module ${name}\n`));
    expect(own).toEqual([
      expect.stringMatching(/version (?:breaks|may change)[\s\S]*\[versions\]\(\.\.\/docs\/go-live\.md#versions\)/),
    ]);
  });

  it('inlines nothing whose licence is missing', () => {
    const { inputs } = JSON.parse(read('dist/metafile-esm.json')) as {
      readonly inputs: Readonly<Record<string, unknown>>;
    };
    const packages = Object.keys(inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    expect([...new Set(packages)].sort()).toEqual(INLINED);
  });

  it('lists what is inlined, and its dependency, for tools that look for advisories', () => {
    const { components, dependencies, metadata } = JSON.parse(
      readFileSync(join(installed, 'dist/sbom.cdx.json'), 'utf8'),
    );
    const made = [...INLINED, 'decimal.js'].map((name) => {
      const { version } = JSON.parse(read(`node_modules/${name}/package.json`));
      return `${name}@${version}`;
    });
    const listed: { name: string; version: string; purl: string; 'bom-ref': string }[] = components;
    expect(listed.map(({ name, version }) => `${name}@${version}`).sort()).toEqual(made.sort());
    // what a scanner looks up
    expect(listed.map(({ purl }) => purl.replace(/^pkg:npm\/|\?.*/g, '')).sort()).toEqual(made);
    expect(metadata.component.purl).toBe(`pkg:npm/merchant-invoicing@${manifest.version}`);
    const self: { ref: string; dependsOn: string[] }[] = dependencies;
    const edges = self.find(({ ref }) => ref === metadata.component['bom-ref'])?.dependsOn;
    expect(edges?.sort()).toEqual(listed.map((component) => component['bom-ref']).sort());
  });

  it('has files whose names say what they hold', () => {
    const files = readdirSync(join(installed, 'dist'));
    expect(files).toEqual(
      expect.arrayContaining(['client.js', 'errors.js', 'vendor-ky.js', 'transport.js', 'webhooks-core.js']),
    );
    expect(files.filter((name) => /^chunk|-(?=\w*[A-Z0-9])[\w-]{8}\.js$/.test(name))).toEqual([]);
    expect(readFileSync(join(installed, 'dist/client.js'), 'utf8')).toMatch(/^var MerchantClient = class/m);
  });

  it('has declarations without zod, and without the generic Uint8Array, which TypeScript 5.4 does not know', () => {
    const paths = readdirSync(join(installed, 'dist')).filter((name) => /\.d\.c?ts$/.test(name));
    expect(paths.length).toBeGreaterThanOrEqual(FORMS.length);
    for (const path of paths) {
      expect(readFileSync(join(installed, 'dist', path), 'utf8'), path).not.toMatch(/['"](?:zod|ky)\b|Uint8Array</);
    }
  });

  it('plays the scenario as ESM and as CommonJS', async () => {
    expect(await consumer.run('esm.mjs', fixture('esm.mjs'))).toEqual(SILENT);
    expect(await consumer.run('cjs.cjs', fixture('cjs.cjs'))).toEqual(SILENT);
  });

  const SAME = `
const shared = Object.keys(root).filter((name) => name in webhooks);
const errors = shared.filter((name) => root[name].prototype instanceof Error);
if (!errors.includes('WebhookVerificationError')) throw new Error('shares ' + shared.join());
for (const name of shared) if (root[name] !== webhooks[name]) throw new Error(name + ' is another one');
webhooks.verifyWebhook('', {}, 'whsec').catch((error) => {
  if (!(error instanceof root.WebhookVerificationError)) throw error;
});`;
  it.each([
    [
      'ESM',
      'same.mjs',
      "import * as root from 'merchant-invoicing'; import * as webhooks from 'merchant-invoicing/webhooks';",
    ],
    [
      'CommonJS',
      'same.cjs',
      "const root = require('merchant-invoicing'); const webhooks = require('merchant-invoicing/webhooks');",
    ],
  ])('has one class for an error in every entry, as %s', async (_, file, imports) => {
    expect(await consumer.run(file, imports + SAME)).toEqual(SILENT);
  });

  it.each(FORMS.filter(({ name }) => !name.endsWith('/msw')))(
    'declares what $name exports as $form',
    async ({ name, form, types }) => {
      const path = join(installed, types);
      const program = ts.createProgram([path], {
        module: ts.ModuleKind.NodeNext,
        target: ts.ScriptTarget.ES2022,
        skipLibCheck: true,
        types: [],
      });
      const source = program.getSourceFile(path);
      const module = source && program.getTypeChecker().getSymbolAtLocation(source);
      const declared =
        module === undefined
          ? []
          : program
              .getTypeChecker()
              .getExportsOfModule(module)
              .filter((each) => isValue(program.getTypeChecker(), each));
      const code =
        form === 'ESM'
          ? `console.log(Object.keys(await import('${name}')).sort().join())`
          : `console.log(Object.keys(require('${name}')).sort().join())`;
      const ran = await consumer.run(form === 'ESM' ? 'names.mjs' : 'names.cjs', code);
      expect(ran.stdout.trim().split(',')).toEqual(declared.map((each) => each.name).sort());
    },
  );

  it.each([
    ['nodenext', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext, 'shop.mts'],
    ['nodenext, CommonJS', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext, 'shop.cts'],
    ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler, 'shop.ts'],
    ['nodenext, by pnpm', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext, 'by-pnpm/shop.mts'],
    ['nodenext, CommonJS, by pnpm', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext, 'by-pnpm/shop.cts'],
  ])('compiles and can be declared with %s, libraries checked', (_, module, moduleResolution, name) => {
    if (name.startsWith('by-pnpm/')) layOutByPnpm();
    const file = join(consumer.folder, name);
    writeFileSync(file, fixture('shop.ts'));
    const program = ts.createProgram([file], {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      declaration: true,
      target: ts.ScriptTarget.ES2022,
      module,
      moduleResolution,
      typeRoots: [new URL('node_modules/@types', root).pathname],
      types: ['node'],
    });
    const findings = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText, file: at }) => `${at?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
    expect(findings).toEqual([]);
  });

  it.each(['merchant-invoicing', 'merchant-invoicing/webhooks', 'merchant-invoicing/testing'])(
    'takes the codes that a program registers in %s, also where another entry compares them',
    (name) => {
      const file = join(consumer.folder, 'registered.mts');
      const uses = ['merchant-invoicing', 'merchant-invoicing/webhooks'].map(
        (from, at) => `
          import { hasCode as hasCode${at}, isMerchantError as isMerchantError${at} } from '${from}';
          export function read${at}(error: unknown): string {
            if (hasCode${at}(error, 'ORDER_ON_HOLD')) return error.answeredBy;
            if (isMerchantError${at}(error) && error.code === 'ORDER_ON_HOLD') return error.answeredBy;
            // @ts-expect-error mistyped
            return isMerchantError${at}(error) && error.code === 'ORDER_ON_HOLT' ? '' : '-';
          }`,
      );
      const registered = `import '${name}'; declare module '${name}' { interface ServiceCodes { ORDER_ON_HOLD: true } }`;
      writeFileSync(file, registered + uses.join(''));
      const options = { strict: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, types: [] };
      const found = ts.getPreEmitDiagnostics(ts.createProgram([file], options));
      expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
    },
  );
});

/** Puts the package beside its own dependency, which the program of the folder can then not name. */
function layOutByPnpm(): void {
  const modules = join(consumer.folder, 'by-pnpm/node_modules');
  const own = join(modules, '.pnpm/merchant-invoicing/node_modules');
  if (existsSync(own)) return;
  for (const name of ['merchant-invoicing', 'decimal.js']) {
    cpSync(join(consumer.folder, 'node_modules', name), join(own, name), { recursive: true });
  }
  symlinkSync(join(own, 'merchant-invoicing'), join(modules, 'merchant-invoicing'), 'junction');
}

function isValue(checker: ts.TypeChecker, symbol: ts.Symbol): boolean {
  const isTypeOnly = symbol.declarations?.some(
    (at) => ts.isExportSpecifier(at) && (at.isTypeOnly || at.parent.parent.isTypeOnly),
  );
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return isTypeOnly !== true && (target.flags & ts.SymbolFlags.Value) !== 0;
}

describe('the built entries', () => {
  interface Output {
    readonly inputs: Readonly<Record<string, unknown>>;
    readonly imports: readonly { readonly path: string; readonly kind: string }[];
  }
  const { outputs } = JSON.parse(read('dist/metafile-esm.json')) as {
    readonly outputs: Readonly<Record<string, Output>>;
  };

  it.each([
    ['index.js', /^src\/tools\/|^node:/],
    ['webhooks.js', /node_modules\/(?:ky|zod)\/|^src\/(?:tools|transport)\/|^node:/],
    ['sandbox.js', /node_modules\/ky\/|^src\/(?:client|transport)|^node:/],
    ['testing.js', /node_modules\/ky\/|^src\/tools\/(?:sandbox|storm|cli)\//],
    ['reconcile.js', /node_modules\/(?:ky|zod)\/|^src\/tools\//],
    ['storm.js', /node_modules\/ky\/|^src\/(?:client|transport)|^node:/],
    ['cli.js', /node_modules\/|^src\/(?:client|transport)/],
  ])('%s loads without %s', (entry, without) => {
    const files = new Set([`dist/${entry}`]);
    for (const file of files) {
      for (const { path, kind } of outputs[file]?.imports ?? []) {
        if (kind === 'import-statement') files.add(path.replace(/^\.\//, 'dist/'));
      }
    }
    const loaded = [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? { [file]: null }));
    expect(loaded.length).toBeGreaterThan(3);
    expect(loaded.filter((path) => without.test(path))).toEqual([]);
  });
});

describe('a newcomer with the packed package', () => {
  it("runs the README's first file", async () => {
    const [, code = ''] = /`first\.mjs`[\s\S]*?```ts\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
    const printed = [...code.matchAll(/^\/\/ → (.*)$/gm)].map(([, line = '']) => line.split('…'));
    const ran = await consumer.run('first.mjs', code);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const lines = ran.stdout.trim().split('\n');
    expect(lines).toHaveLength(printed.length);
    for (const [at, parts] of printed.entries()) for (const part of parts) expect(lines[at]).toContain(part);
  });

  it('starts a sandbox, charges an order and pays it from the command line', async () => {
    const bin = join(consumer.folder, 'node_modules', '.bin', 'merchant-invoicing');
    const command = (...args: readonly string[]): Promise<Ran> =>
      new Promise((resolve) => {
        execFile(bin, args, { cwd: consumer.folder }, (error, stdout, stderr) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
        );
      });
    expect((await command('--version')).stdout.trim()).toBe(JSON.parse(read('package.json')).version);

    const sandbox = spawn(bin, ['sandbox', '--json', '--port', '0'], { cwd: consumer.folder });
    try {
      const [line] = await once(createInterface(sandbox.stdout), 'line');
      const { baseUrl } = JSON.parse(String(line)) as { readonly baseUrl: string };
      const code = `
        import { MerchantClient } from 'merchant-invoicing';
        const merchant = new MerchantClient({ baseUrl: '${baseUrl}', apiKey: 'sk_sandbox' });
        await merchant.invoices.createOrRenew({ external_id: 'order-1', customer_id: 'c', amount: '25.00', currency: 'EUR' });
        console.log((await merchant.invoices.get('order-1')).status);`;
      expect(await consumer.run('order.mjs', code)).toEqual({ ...SILENT, stdout: 'pending\n' });
      expect(await command('sandbox', 'pay', 'order-1', '--url', baseUrl)).toMatchObject({ code: 0, stderr: '' });
      expect(await consumer.run('order.mjs', code)).toEqual({ ...SILENT, stdout: 'success\n' });
    } finally {
      sandbox.kill();
      if (sandbox.exitCode === null) await once(sandbox, 'exit');
    }
  });
});
