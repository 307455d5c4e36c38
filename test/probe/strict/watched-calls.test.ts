import { describe, expect, it } from 'vitest';
import {
  type DriftEvent,
  MerchantClient,
  type MerchantClientOptions,
  UnexpectedResponseError,
} from '../../../src/index.ts';
import { createSandbox, type Dialect, type Sandbox } from '../../../src/sandbox/index.ts';

const order = { external_id: 'order-1042', customer_id: 'c-7', amount: '25.00', currency: 'EUR' };
const file = (points: Readonly<Record<string, string | number>>) => ({
  merchantInvoicingDialect: 1,
  package: '0.1.0',
  points: Object.fromEntries(Object.entries(points).map(([name, value]) => [name, { value, seen: 1, at: [] }])),
});

function clientOf({ fetch, apiKey, url }: Sandbox, more: Partial<MerchantClientOptions>): MerchantClient {
  return new MerchantClient({ baseUrl: url, apiKey, fetch, retry: false, onDrift: 'throw', ...more });
}

async function errorOf(call: PromiseLike<unknown>): Promise<UnexpectedResponseError> {
  const error: unknown = await Promise.resolve(call).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UnexpectedResponseError)) throw new Error(`not thrown: ${String(error)}`);
  return error;
}

const within = async (dialect: Partial<Dialect>, work: (sandbox: Sandbox) => Promise<void>): Promise<void> => {
  const sandbox = createSandbox({ dialect });
  await work(sandbox);
  await sandbox.close();
};

describe("a client with a dialect file and onDrift: 'throw'", () => {
  it('names the point, both values and the result of a call that succeeded', () =>
    within({ createStatus: 200 }, async (sandbox) => {
      const error = await errorOf(clientOf(sandbox, { dialect: file({ createStatus: 201 }) }).invoices.create(order));
      expect(error).toMatchObject({
        code: 'SDK_CONTRACT',
        operation: 'invoices.create',
        externalId: 'order-1042',
        outcome: 'unknown',
        stoppedBy: 'not_retryable',
        status: 200,
        issues: [{ path: 'createStatus', message: 'is 200, and the dialect file says 201' }],
      });
      expect(error.data).toMatchObject({ external_id: 'order-1042', status: 'pending' });
      expect(error.message).toContain('createStatus is 200, and the dialect file says 201. The call succeeded');
    }));

  it('keeps the failure as the cause, and its outcome', () =>
    within({ notFoundStatus: 410 }, async (sandbox) => {
      const error = await errorOf(
        clientOf(sandbox, { dialect: file({ notFoundStatus: 404 }) }).invoices.get('order-1'),
      );
      expect(error).toMatchObject({ outcome: 'rejected', status: 410, externalId: 'order-1', data: undefined });
      expect(error.cause).toMatchObject({ kind: 'not_found', code: 'NOT_FOUND', status: 410 });
      expect(error.attempts).toHaveLength(1);
      expect(error.message).toContain('failed with NOT_FOUND');
    }));

  it('says that a write may have happened', () =>
    within({ serverCode: 'INTERNAL_ERROR' }, async (sandbox) => {
      sandbox.faults.next({ type: 'server_error' });
      const merchant = clientOf(sandbox, { dialect: file({ serverCode: 'SERVICE_UNAVAILABLE' }) });
      const error = await errorOf(merchant.invoices.create(order));
      expect(error).toMatchObject({ outcome: 'unknown', cause: { kind: 'server' } });
      expect(error.message).toContain('It may have been processed');
    }));

  it('tells of an answer that a repeated call has left behind', () =>
    within({ serverCode: 'INTERNAL_ERROR' }, async (sandbox) => {
      sandbox.faults.next({ type: 'server_error' });
      const options = {
        retry: {},
        runtime: { timer: immediately },
        dialect: file({ serverCode: 'SERVICE_UNAVAILABLE' }),
      };
      const error = await errorOf(clientOf(sandbox, options).rates.list());
      expect(error.issues).toMatchObject([{ path: 'serverCode' }]);
      expect(error.data).not.toEqual([]);
    }));

  it('tells of an answer in the middle of createOrGet', () =>
    within({ invoiceRead: 'bare' }, async (sandbox) => {
      const merchant = clientOf(sandbox, { dialect: file({ invoiceRead: 'envelope' }) });
      await merchant.invoices.create(order);
      const error = await errorOf(merchant.invoices.createOrGet(order));
      expect(error).toMatchObject({ operation: 'invoices.create', issues: [{ path: 'invoiceRead' }] });
      expect(error.data).toMatchObject({ external_id: 'order-1042', status: 'pending' });
    }));

  it('leaves a call alone that its caller aborts', () =>
    within({}, async ({ fetch, apiKey, url }) => {
      const controller = new AbortController();
      const aborting: typeof fetch = async (input, init) => {
        const answer = await fetch(input, init);
        controller.abort();
        return answer;
      };
      const options = {
        baseUrl: url,
        apiKey,
        fetch: aborting,
        onDrift: 'throw',
        dialect: file({ dateHeader: 'absent' }),
      };
      const merchant = new MerchantClient(options as MerchantClientOptions); // the words of the options
      const call = merchant.rates.list({}, { signal: controller.signal });
      await expect(call).rejects.toMatchObject({ code: 'SDK_ABORTED' });
    }));

  it('refuses a file with an unknown value before any request', () =>
    within({}, async (sandbox) => {
      const merchant = clientOf(sandbox, { dialect: file({ createStatus: 299 }) });
      await expect(merchant.rates.list()).rejects.toMatchObject({
        code: 'SDK_CONFIGURATION',
        outcome: 'not_sent',
        message: expect.stringContaining('dialect.createStatus must be one of'),
      });
      expect(sandbox.events().filter(({ kind }) => kind === 'request')).toEqual([]);
    }));

  it('reads the file once', () =>
    within({ createStatus: 200 }, async (sandbox) => {
      const dialect = file({ createStatus: 201 });
      const merchant = clientOf(sandbox, { dialect });
      dialect.points['createStatus'] = { value: 200, seen: 1, at: [] };
      await errorOf(merchant.invoices.create(order));
    }));

  it('does not take an order id that is a UUID for the id of the service', () =>
    within({ invoiceReadIdent: 'external_id', identRefusal: 'not_found' }, async (sandbox) => {
      const dialect = file({ invoiceReadIdent: 'external_id', identRefusal: 'invalid' });
      const merchant = clientOf(sandbox, { dialect });
      const external_id = '9f6b2a0e-3c1d-4e5f-8a7b-1c2d3e4f5a6b';
      await merchant.invoices.create({ ...order, external_id });
      expect((await merchant.invoices.get(external_id)).external_id).toBe(external_id);
      const unknown = merchant.invoices.get('9f6b2a0e-3c1d-4e5f-8a7b-1c2d3e4f5a6c');
      await expect(unknown).rejects.toMatchObject({ kind: 'not_found' });
    }));

  it.each([
    ['a page of a proxy', 502, '<html>bad gateway</html>'],
    ['a 403 without a code', 403, ''],
    ['a redirect', 302, ''],
    ['a wrong address', 404, '<html>not found</html>'],
  ])('takes %s for no answer of the service', async (_, status, body) => {
    const fetch = async () => new Response(body, { status, headers: { date: new Date(0).toUTCString() } });
    const dialect = file({
      dateHeader: 'present',
      serverStatus: 503,
      serverBody: 'envelope',
      authStatus: 401,
      rateLimitStatus: 429,
      notFoundBody: 'envelope',
    });
    const options = { baseUrl: 'https://pay.test', apiKey: 'sk_live', retry: false, onDrift: 'throw', fetch, dialect };
    const call = new MerchantClient(options as MerchantClientOptions).rates.list(); // the words of the options
    await expect(call).rejects.not.toMatchObject({ message: expect.stringContaining('dialect file') });
  });
});

describe('a client with a dialect file and a function as onDrift', () => {
  it('reports each departure once, and changes no result', () =>
    within({ createStatus: 200, notFoundStatus: 410 }, async (sandbox) => {
      const events: DriftEvent[] = [];
      const dialect = file({ createStatus: 201, notFoundStatus: 404 });
      const merchant = clientOf(sandbox, { dialect, onDrift: (event) => events.push(event) });
      await merchant.invoices.create(order);
      await merchant.invoices.create({ ...order, external_id: 'order-1043' });
      await expect(merchant.invoices.get('order-1')).rejects.toMatchObject({ kind: 'not_found' });
      expect(events).toEqual([
        { operation: 'invoices.create', path: 'createStatus', kind: 'other_dialect', expected: 201, seen: 200 },
        { operation: 'invoices.get', path: 'notFoundStatus', kind: 'other_dialect', expected: 404, seen: 410 },
      ]);
    }));
});

/** A timer that does not wait for the pauses of a retry, and never ends an attempt. */
function immediately(milliseconds: number, run: () => void): () => void {
  if (milliseconds < 5_000) queueMicrotask(run);
  return () => {};
}
