import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'coverage', 'docs-blocks');

const blocksOf = (page: string): string[] =>
  [...readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

/** What the pages take for granted around their blocks. */
const PRELUDE: Record<string, string> = {
  'errors.md': `import { hasCode, hasKind, isMerchantError, MerchantClient } from 'merchant-invoicing';
import type { CreateInvoiceParams } from 'merchant-invoicing';
import { createWebhookHandler, toNodeHandler, verifyWebhook, type WebhookHandler, type WebhookStore } from 'merchant-invoicing/webhooks';
declare const merchant: MerchantClient;
declare const params: CreateInvoiceParams;
declare const error: unknown;
declare const vault: { read(name: string): Promise<string> };
declare const request: Request;
declare const body: string;
declare const secret: string;
declare const store: WebhookStore;
declare const handler: WebhookHandler;
declare const app: import('express').Express;
declare const onPaid: () => Promise<void>;
declare const onCanceled: () => Promise<void>;
`,
  'going-live.md': `import { MerchantClient } from 'merchant-invoicing';
import dialect from './merchant-invoicing.dialect.json' with { type: 'json' };
`,
  'retries.md': `import { MerchantClient } from 'merchant-invoicing';\n`,
  'platforms.md': `import { type CreateInvoiceParams, Decimal, type Hooks, type Logger, MerchantClient } from 'merchant-invoicing';
interface Shop { readonly id: string; readonly apiKey: string }
declare const platformKey: string;
declare const hooks: Hooks;
declare const logger: Logger;
declare const merchant: MerchantClient;
declare function readRefund(data: unknown): { readonly id: string };
`,
  'observability.md': `declare const stats: { count(name: string, labels: object): void };\n`,
  'pagination.md': `import type { Invoice, MerchantClient } from 'merchant-invoicing';\ndeclare const merchant: MerchantClient;\ndeclare function book(invoice: Invoice): Promise<void>;\n`,
};

/** A file as the probe writes it, for the blocks that import one. */
const DIALECT = {
  merchantInvoicingDialect: 1,
  package: '0.1.0',
  points: {
    createStatus: { value: 201, seen: 1, at: ['POST /api/v1/external/invoices'] },
    authCode: { maskedBy: 'authBody', seen: 1, at: [] },
  },
};

beforeAll(() => {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'merchant-invoicing.dialect.json'), JSON.stringify(DIALECT));
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

describe.each(Object.keys(PRELUDE))('docs/%s', (page) => {
  it('shows code that compiles', () => {
    const files = blocksOf(page).map((code, index) => {
      const file = join(FOLDER, `${page}-${index}.ts`);
      const own = (PRELUDE[page] ?? '').split('\n').filter((line) => {
        const declared = /^declare const (\w+)/.exec(line)?.[1];
        return !(/^import/.test(line) && code.includes(line)) && !code.includes(`const ${declared} =`);
      });
      writeFileSync(file, `${own.join('\n')}\n${code}\nexport {};\n`);
      return file;
    });
    expect(files.length).toBeGreaterThan(0);
    const program = ts.createProgram(files, {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      resolveJsonModule: true,
      types: ['node'],
    });
    const findings = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    expect(findings).toEqual([]);
  });
});
