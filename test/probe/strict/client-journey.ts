import {
  type DialectSource,
  isMerchantError,
  MerchantClient,
  type MerchantClientOptions,
  UnexpectedResponseError,
} from '../../../src/index.ts';
import { withVerdicts } from '../../../src/probe/dialect-content.ts';
import { verdictsOf } from '../../../src/probe/verdict.ts';
import type { Dialect } from '../../../src/sandbox/index.ts';
import { type Account, livedInAccount } from '../account.ts';
import { everythingOf } from '../truth.ts';

/** The file that a probe with everything at hand writes of a service, as it is read from disk. */
export async function fileOf(dialect: Partial<Dialect>): Promise<DialectSource> {
  const account = await livedInAccount(dialect);
  const file = withVerdicts(null, verdictsOf(await everythingOf(account)));
  await account.sandbox.close();
  return JSON.parse(JSON.stringify(file)) as DialectSource; // as it is read from disk
}

const NOWHERE = '00000000-0000-4000-8000-00000000d1a1';

/** Every operation of a client, with successes and failures. Returns the errors that are not API errors. */
export async function journey(
  { sandbox }: Account,
  options: Partial<MerchantClientOptions>,
): Promise<readonly UnexpectedResponseError[]> {
  const { apiKey, fetch } = sandbox;
  const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey, fetch, retry: false, ...options });
  const found: UnexpectedResponseError[] = [];
  const call = async (work: (client: MerchantClient) => PromiseLike<unknown>, client = merchant): Promise<void> => {
    try {
      await work(client);
    } catch (error) {
      if (!isMerchantError(error)) throw error;
      if (error instanceof UnexpectedResponseError) found.push(error);
    }
  };
  const { uuid } = sandbox.invoice('order-paid');
  const order = { external_id: 'order-7', customer_id: 'c-7', amount: '25.00', currency: 'EUR' };
  await call(({ invoices }) => invoices.create(order));
  await call(({ invoices }) => invoices.create(order));
  await call(({ invoices }) => invoices.createOrGet(order));
  await call(({ invoices }) => invoices.create({ ...order, external_id: 'order-8', amount: '0.01' }));
  await call(({ invoices }) => invoices.create({ ...order, external_id: 'order-9', currency: 'XTS' }));
  for (const ident of [uuid, 'order-paid', 'order-pending', NOWHERE, 'no-such-order'])
    await call(({ invoices }) => invoices.get(ident));
  for (const query of [
    {},
    { per_page: 2 },
    { per_page: 100 },
    { status: 'success' as const },
    { currency: 'XTS' },
    { page: 9 },
    { page: 9, currency: 'XTS' },
    { page: 2, per_page: 2, status: 'success' as const },
  ])
    await call(({ invoices }) => invoices.list(query));
  await call(async ({ invoices }) => {
    for await (const _ of invoices.list({ per_page: 2 }));
  });
  for (const ident of ['order-paid', 'order-refused-1', 'order-refused-2', 'order-silent', 'order-pending', NOWHERE])
    await call(({ webhooks }) => webhooks.deliveries(ident));
  for (const ident of ['order-paid', 'order-pending', NOWHERE]) await call(({ webhooks }) => webhooks.resend(ident));
  for (const query of [
    {},
    { status: 'approved' as const },
    { per_page: 1 },
    { page: 2, per_page: 1 },
    { page: 2 },
    { page: 1, per_page: 100, status: 'pending' as const },
  ])
    await call(({ withdrawals }) => withdrawals.list(query));
  const listed = await merchant
    .withOptions({})
    .withdrawals.list()
    .catch(() => null);
  await call(({ withdrawals }) => withdrawals.get(listed?.items[0]?.uuid ?? '5eed0000-0000-4000-8000-000000000003'));
  await call(({ withdrawals }) => withdrawals.get(NOWHERE));
  await call(({ paymentMethods }) => paymentMethods.list());
  await call(({ rates }) => rates.list());
  await call((client) => client.request({ method: 'GET', path: '/api/v1/external/rates' }));
  await call(({ rates }) => rates.list(), merchant.withOptions({ apiKey: 'wrong' }));
  await call(({ invoices }) => invoices.get(uuid), merchant.withOptions({ apiKey: 'wrong' }));
  await call(({ invoices }) => invoices.list({ page: 2 }), merchant.withOptions({ apiKey: 'wrong' }));
  sandbox.faults.next({ type: 'server_error' });
  await call(({ invoices }) => invoices.get(uuid));
  sandbox.faults.next({ type: 'rate_limit', retryAfter: 3 }); // the last, because the client pauses after it
  await call(({ rates }) => rates.list());
  return found;
}

/** The issues of errors, one line each. */
export function issuesOf(errors: readonly UnexpectedResponseError[]): readonly string[] {
  return errors.flatMap(({ operation, issues, code }) =>
    issues.length === 0
      ? [`${operation} ${code}`]
      : issues.map(({ path, message }) => `${operation} ${path} ${message}`),
  );
}
