import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, expect, it } from 'vitest';
import { docstringExamples } from './support/docstring-examples.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'coverage', 'docstring-examples');
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const ENTRIES = ['index', 'webhooks/index', 'sandbox/index', 'reconcile/index', 'msw', 'testing/index'];

/** What the merchant's code around an example declares. */
const SURROUNDINGS = `
import type { InvoiceEvent, MerchantClient, CreateInvoiceParams, WebhookStore, WebhookHandler, Sandbox, Decimal, DecimalInput, Finding, ReconcileOptions, Reconciliation } from 'merchant-invoicing-sources';
declare global {
  const merchant: MerchantClient;
  const params: CreateInvoiceParams;
  const sandbox: Sandbox;
  const handler: WebhookHandler;
  const store: WebhookStore;
  const orders: NonNullable<ReconcileOptions['orders']>;
  const lookup: NonNullable<ReconcileOptions['lookup']>;
  const run: Reconciliation;
  const finding: Finding;
  const myStore: () => WebhookStore;
  const makeStore: () => WebhookStore;
  const secret: string;
  const error: unknown;
  const onPaid: () => Promise<void>;
  const onCanceled: () => Promise<void>;
  const fulfil: (externalId: string, credited?: Decimal | null) => Promise<void>;
  const cancel: (externalId: string) => Promise<void>;
  const receive: (request: Request) => Promise<Response>;
  const request: Request;
  const response: import('node:http').ServerResponse;
  const rawBody: string;
  const body: string;
  const headers: Headers;
  const endpoint: string;
  const invoice_uuid: string;
  const external_id: string;
  const vault: { read(name: string): Promise<string> };
  const log: { warn(event: unknown, message: string): void };
  const logger: { error(entry: object): void };
  const queue: { add(text: string): Promise<void> };
  const job: { data: string };
  const order: object;
  const app: import('express').Express;
  const http: typeof import('node:http');
  const pool: import('pg').Pool;
  const Pool: typeof import('pg').Pool;
  const db: import('node:sqlite').DatabaseSync;
  const DatabaseSync: typeof import('node:sqlite').DatabaseSync;
  const client: import('ioredis').Redis;
  const createClient: typeof import('redis').createClient;
  const setupServer: typeof import('msw/node').setupServer;
  const test: (name: string, run: () => Promise<void>) => void;
  const expect: { (value: unknown): any; addEqualityTesters(testers: unknown[]): void; extend(matchers: object): void };
  const beforeEach: (work: () => void) => void;
  const sleep: (ms: number) => Promise<void>;
  const showFormErrors: (fields: object) => void;
  const alertOperator: (text: string) => void;
  const scheduleAgain: (ms: number) => void;
  const queueForRetry: (order: object) => void;
  const useOtherPaymentMethod: () => void;
  const retryLater: (params: CreateInvoiceParams) => void;
}
`;

const COMPILER: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  types: ['node'],
  paths: { 'merchant-invoicing-sources': [join(FOLDER, 'sources.ts')] },
};

/** The names that the entries export, also types. */
function exportedNames(program: ts.Program, path: string): Set<string> {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  return new Set(symbol === undefined ? [] : checker.getExportsOfModule(symbol).map(({ name }) => name));
}

/** The example as a module that imports what it uses of the package. Statements may return and await. */
function toModule(code: string, names: ReadonlySet<string>): string {
  const used = [...names].filter((name) => new RegExp(`(?<![\\w'])(?<![\\w)]\\.)${name}\\b`).test(code));
  const body = /^export /m.test(code) ? code : `export async function example() {\n${code}\n}\n`;
  return `import { ${used.join(', ')} } from 'merchant-invoicing-sources';\n${body}`;
}

it('each @example compiles in strict mode', () => {
  mkdirSync(FOLDER, { recursive: true });
  const sources = join(FOLDER, 'sources.ts');
  writeFileSync(sources, ENTRIES.map((entry) => `export * from '${join(ROOT, 'src', entry)}.ts';\n`).join(''));
  writeFileSync(join(FOLDER, 'surroundings.d.ts'), SURROUNDINGS);
  const entries = ts.createProgram([sources, join(FOLDER, 'surroundings.d.ts')], COMPILER);
  const names = exportedNames(entries, sources);
  const examples = docstringExamples();
  expect(examples.length).toBeGreaterThan(90);
  const files = examples.map(({ at, code }) => {
    const file = join(FOLDER, `${at.replaceAll(/[/:]/g, '-').replace('.ts', '')}.ts`);
    writeFileSync(file, toModule(code, names));
    return file;
  });
  const program = ts.createProgram([join(FOLDER, 'surroundings.d.ts'), ...files], COMPILER, undefined, entries);
  const findings = files.flatMap((file, index) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${examples[index]?.at}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
  expect(findings).toEqual([]);
});
