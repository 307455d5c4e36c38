import { expect } from 'vitest';
import { errorOf } from '../support/test-client.ts';
import { expectNotFound, expectServerError, expectUnauthorized, rateLimitOf } from './expected.ts';
import { type Behaviour, identOf, ORDER } from './stage.ts';

const FOREVER = { times: Number.POSITIVE_INFINITY };
const UNKNOWN_UUID = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

export const FAILURES: readonly Behaviour[] = [
  {
    name: 'a body that the service refuses is a ValidationError in either shape',
    async run({ merchant, dialect }) {
      const error = await errorOf(merchant.invoices.create({ ...ORDER, currency: 'XXX' }));
      expect(error).toMatchObject({
        kind: 'validation',
        code: 'VALIDATION_ERROR',
        origin: 'service',
        status: 422,
        outcome: 'rejected',
      });
      if (error.kind !== 'validation') return;
      const text = 'is not an active currency allowed for the business';
      if (dialect.validationShape === 'no_details') expect(error.issues).toEqual([]);
      else if (dialect.validationShape === 'detail_text') expect(error.fields['']?.[0]).toContain(`currency ${text}: `);
      else expect(error.fields['currency']?.[0]).toContain(`${text}: `);
    },
  },
  {
    name: 'forCharge tells before a creation that no method takes the amount',
    async run({ merchant, sandbox, dialect }) {
      const charge = { currency: 'EUR', amount: '4.99' };
      expect(await merchant.paymentMethods.forCharge(charge)).toEqual([]);
      const result = await merchant.invoices.create({ ...ORDER, ...charge }).result();
      const orders = sandbox.invoices().filter(({ external_id }) => external_id === ORDER.external_id);
      if (dialect.unpayableAmount === 'accepted') {
        expect(result).toMatchObject({ ok: true, value: { status: 'pending' } });
        return;
      }
      expect(result).toMatchObject({ ok: false, error: { kind: 'validation', status: 422, outcome: 'rejected' } });
      expect(orders).toEqual([]);
      if (result.ok || result.error.kind !== 'validation' || dialect.validationShape === 'no_details') return;
      const name = dialect.validationShape === 'detail_text' ? '' : 'amount';
      expect(result.error.fields[name]?.[0]).toContain('is outside the range of every payment method');
    },
  },
  {
    name: 'a wrong key is refused once, on any endpoint',
    async run({ client, dialect }) {
      const stranger = client({ apiKey: 'sk_wrong' });
      expectUnauthorized(await errorOf(stranger.invoices.create(ORDER)), dialect);
      expectUnauthorized(await errorOf(stranger.rates.list()), dialect);
      expectUnauthorized(await errorOf(stranger.webhooks.resend('order-1042')), dialect);
    },
  },
  {
    name: 'what does not exist is not found',
    async run({ merchant, dialect }) {
      const ident = dialect.invoiceReadIdent === 'uuid' ? UNKNOWN_UUID : 'no-such-order';
      expectNotFound(await errorOf(merchant.invoices.get(ident)), dialect, 'INVOICE_NOT_FOUND');
      expectNotFound(await errorOf(merchant.withdrawals.get(UNKNOWN_UUID)), dialect, 'WITHDRAWAL_NOT_FOUND');
      expectNotFound(await errorOf(merchant.webhooks.deliveries('no-such-order')), dialect, 'INVOICE_NOT_FOUND');
      expectNotFound(await errorOf(merchant.webhooks.resend('no-such-order')), dialect, 'INVOICE_NOT_FOUND');
    },
  },
  {
    name: 'an ident of a form that is not accepted is a typed refusal',
    async run(stage) {
      const { merchant, sandbox, dialect } = stage;
      const { uuid } = await merchant.invoices.create(ORDER);
      expect(sandbox.invoice('order-1042').uuid).toBe(uuid);
      if (dialect.invoiceReadIdent === 'both') return;
      const other = identOf(stage, 'order-1042') === uuid ? 'order-1042' : uuid;
      expectNotFound(await errorOf(merchant.invoices.get(other)), dialect, 'INVOICE_NOT_FOUND');
    },
  },
  {
    name: 'a rate limit is waited out',
    async run({ merchant, sandbox, runtime, dialect }) {
      sandbox.faults.next({ type: 'rate_limit', retryAfter: 2 });
      expect(await merchant.invoices.create(ORDER)).toMatchObject({ external_id: 'order-1042' });
      const [wait = 0] = runtime.waits.filter((milliseconds) => milliseconds < 10_000);
      expect(wait).toBeGreaterThanOrEqual(dialect.retryAfterForm === 'absent' ? 50 : 2_000);
      expect(sandbox.requests()).toHaveLength(2);
    },
  },
  {
    name: 'a rate limit without end is a RateLimitError that says when',
    async run({ merchant, sandbox, dialect }) {
      sandbox.faults.next({ type: 'rate_limit', retryAfter: 2 }, FOREVER);
      const error = await errorOf(merchant.rates.list());
      expect(error).toMatchObject({ ...rateLimitOf(dialect), outcome: 'rejected', stoppedBy: 'attempts' });
      expect(error.attempts).toHaveLength(3);
      const retryAfter = 'retryAfter' in error ? error.retryAfter : undefined;
      // A date has whole seconds: up to one of them is lost on the way.
      const range = { seconds: [2_000, 2_000], http_date: [1_000, 2_000], absent: [undefined, undefined] };
      const [least, most] = range[dialect.retryAfterForm];
      if (least === undefined || most === undefined) return expect(retryAfter).toBe(undefined);
      expect(retryAfter).toBeGreaterThanOrEqual(least);
      expect(retryAfter).toBeLessThanOrEqual(most);
    },
  },
  {
    name: 'a failure of the service without end is a ServerError',
    async run({ merchant, sandbox, dialect }) {
      sandbox.faults.next('server_error', FOREVER);
      const read = await errorOf(merchant.paymentMethods.list());
      expectServerError(read, dialect);
      expect(read).toMatchObject({ outcome: 'rejected', stoppedBy: 'attempts' });
      const write = await errorOf(merchant.invoices.create(ORDER));
      expectServerError(write, dialect);
      expect(write).toMatchObject({ outcome: 'unknown', stoppedBy: 'attempts' });
    },
  },
];
