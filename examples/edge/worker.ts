import { MerchantClient } from 'merchant-invoicing';
import {
  createWebhookHandler,
  toFetchHandler,
} from 'merchant-invoicing/webhooks';
import { httpStore } from './http-store.ts';

/**
 * The part of D1 that the worker uses. `@cloudflare/workers-types` has all of
 * it.
 */
interface D1 {
  prepare(sql: string): {
    bind(...values: readonly (string | number)[]): {
      all(): Promise<{ results: Record<string, unknown>[] }>;
    };
  };
}

/**
 * The bindings of the worker. There is no `process.env`, so every option is
 * given.
 */
export interface Env {
  readonly DB: D1;
  readonly MERCHANT_BASE_URL: string;
  readonly MERCHANT_API_KEY: string;
  readonly MERCHANT_WEBHOOK_SECRET: string;
}

function open({
  DB,
  MERCHANT_BASE_URL,
  MERCHANT_API_KEY,
  MERCHANT_WEBHOOK_SECRET,
}: Env) {
  const run = async (sql: string, values: readonly (string | number)[]) =>
    (
      await DB.prepare(sql)
        .bind(...values)
        .all()
    ).results;
  // The function can run again after a crash, so the order has a unique key.
  const credit = `INSERT INTO credits (event_key, order_id, usdt)
    VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING`;
  const handler = createWebhookHandler({
    secret: MERCHANT_WEBHOOK_SECRET,
    store: httpStore(run),
    onPaid: async ({ order, credited_usdt }, { dedupeKey }) =>
      void (await run(credit, [dedupeKey, order, credited_usdt.toFixed()])),
    // Another amount was paid than was ordered. This shop credits what it got.
    onAdjusted: async ({ order, credited_usdt }, { dedupeKey }) =>
      void (await run(credit, [dedupeKey, order, credited_usdt.toFixed()])),
    onCanceled: () => {},
    onReport: ({ reason, external_id, message, error }) =>
      console.warn(reason, external_id, message, error ?? ''),
  });
  const merchant = new MerchantClient({
    baseUrl: MERCHANT_BASE_URL,
    apiKey: MERCHANT_API_KEY,
    deadline: 15_000,
  });
  return { receive: toFetchHandler(handler), handler, merchant };
}

// one for each isolate, so that its calls hold back together
let opened: ReturnType<typeof open> | undefined;

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    opened ??= open(env);
    if (new URL(request.url).pathname === '/webhook')
      return opened.receive(request); // not in waitUntil
    return new Response('not found', { status: 404 });
  },
  /** By a cron trigger: handles what no webhook has brought. */
  async scheduled(_event: unknown, env: Env): Promise<void> {
    opened ??= open(env);
    const { handler, merchant } = opened;
    const waiting = `SELECT external_id FROM orders WHERE status = 'pending'
       ORDER BY created_at LIMIT 500`;
    const { results } = await env.DB.prepare(waiting).bind().all();
    const orders = results.map((row) => String(row['external_id']));
    await handler.catchUp(merchant, {
      orders,
      signal: AbortSignal.timeout(60_000),
    });
  },
};
