import { describe, expect, it } from 'vitest';
import { pendingInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

const client = clientOf('https://pay.example', {
  retry: false,
  fetch: async () => new Response('{"success":false,"error":{"code":"NO","message":"no"}}', { status: 400 }),
});
const bad = { ...order, amount: '0' };

// Each function is called once below, and its name must stand in the stack of the error.
const CALLERS = {
  awaits: async () => void (await client.invoices.create(order)),
  awaitsALocalCheck: async () => void (await client.invoices.create(bad)),
  looksAtTheResult: async () => {
    const result = await client.invoices.get('order-1042').result();
    if (!result.ok) throw result.error;
  },
  wantsTheResponse: async () => void (await client.rates.list().withResponse()),
  iterates: async () => {
    for await (const invoice of client.invoices.list()) throw new Error(`never: ${invoice.uuid}`);
  },
  iteratesPages: async () => {
    for await (const page of client.withdrawals.list().pages()) throw new Error(`never: ${page.page}`);
  },
  collects: async () => void (await client.invoices.list().collect({ limit: 5 })),
};

describe('the caller’s own line is in the stack', () => {
  it.each(Object.entries(CALLERS))('%s', async (name, call) => {
    const error = await errorOf(call());
    expect(error.stack).toContain('call-site.test.ts');
    expect(error.stack?.split('\n')[0]).toBe(`${error.name}: ${error.message}`);
    expect(error.stack).toMatch(new RegExp(`\\b${name}\\b`));
    expect(Object.keys(error)).not.toContain('stack');
  });

  it('of a later page too', async () => {
    let page = 0;
    const pages = clientOf('https://pay.example', {
      retry: false,
      fetch: async () => {
        page += 1;
        const data = {
          items: [pendingInvoice],
          page,
          per_page: 20,
          total_items: 60,
          total_pages: 3,
          has_next: true,
          has_prev: false,
        };
        return page === 1 ? Response.json({ success: true, data }) : new Response('', { status: 400 });
      },
    });
    async function walksFar(): Promise<void> {
      for await (const one of pages.invoices.list({ per_page: 20 }).pages()) if (one.page > 1) return;
    }
    expect((await errorOf(walksFar())).stack).toContain('walksFar');
  });
});

it('an engine without captureStackTrace keeps its own stack', async () => {
  const { captureStackTrace } = Error;
  Error.captureStackTrace = undefined as never; // as in an engine that has none
  try {
    expect((await errorOf(client.rates.list())).stack).toContain('rates.list: HTTP 400');
  } finally {
    Error.captureStackTrace = captureStackTrace;
  }
});
