import { fileURLToPath } from 'node:url';
import { DIST } from '../subject.ts';
import type { HeapRow, SizeRow } from './row.ts';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));

const peer = (name: string, statement: string) => ({ name, statement, folder: FOLDER });
const built = (name: string, statement: string) => ({ name, statement, folder: DIST });

export const KEPT_ROWS: readonly (SizeRow | HeapRow)[] = [
  {
    kind: 'size',
    id: 'size-client',
    title: 'client entry, gzipped, without what is loaded when it is first used',
    measure: 'size',
    ours: 'merchant-invoicing',
    baseline: '',
    goal: 57,
    stretch: 50,
    bundles: [
      built('merchant-invoicing', "export * from './index.js'"),
      peer('ky', "export { default } from 'ky'"),
      peer('stripe', "export { default } from 'stripe'"),
      peer('openai', "export { default } from 'openai'"),
      peer('polar', "export { createPolar } from '@polar-sh/sdk/2026-10'"),
    ],
  },
  {
    kind: 'size',
    id: 'size-verify',
    title: 'verifyWebhook alone, gzipped',
    measure: 'size',
    ours: 'merchant-invoicing',
    baseline: '',
    goal: 19,
    stretch: 17,
    bundles: [
      built('merchant-invoicing', "export { verifyWebhook } from './webhooks.js'"),
      peer('decimal.js (a part of it)', "export { Decimal } from 'decimal.js'"),
      peer('standardwebhooks', "export { Webhook } from 'standardwebhooks'"),
      peer('svix', "export { Webhook } from 'svix'"),
    ],
  },
  {
    kind: 'heap',
    id: 'heap',
    title: 'heap kept after 20,000 calls',
    measure: 'heap',
    subject: 'create',
    ours: 'merchant-invoicing',
    baseline: 'bare ky',
    goal: 0,
    stretch: 0,
    first: 4_000,
    calls: 20_000,
    inFlight: 8,
  },
];
