import { expect } from 'vitest';
import type { RequestFault } from '../../src/tools/sandbox/state/faults.ts';
import { errorOf } from '../support/test-client.ts';
import { expectTime } from './expected.ts';
import { type Behaviour, ORDER, type Stage } from './stage.ts';

/** Faults after which nobody knows whether the invoice was created: it was. More of them: resources/creation.test.ts. */
const LOST: readonly RequestFault[] = [{ type: 'reset_after' }, { type: 'html', afterWork: true }];

async function recovers({ merchant, sandbox }: Stage, fault: RequestFault): Promise<void> {
  sandbox.faults.next(fault, { operation: 'invoices.create' });
  const { data, response } = await merchant.invoices.create(ORDER).withResponse();
  expect(response.recovered).toBe(true);
  expect(response.attempts).toBe(sandbox.requests().length);
  expect(data).toMatchObject({
    external_id: 'order-1042',
    uuid: sandbox.invoice('order-1042').uuid,
    status: 'pending',
  });
  expect(data.amount.toFixed(2)).toBe('25.00');
}

export const CREATION: readonly Behaviour[] = [
  {
    name: 'create gives the invoice, decoded',
    async run({ merchant, sandbox, dialect }) {
      const { data, response } = await merchant.invoices.create({ ...ORDER, purpose: 'Two tickets' }).withResponse();
      expect(response).toMatchObject({ status: dialect.createStatus, attempts: 1, recovered: false });
      expect(response.requestId).toBe('req_1');
      expect(data).toMatchObject({
        uuid: sandbox.invoice('order-1042').uuid,
        external_id: 'order-1042',
        customer_id: 'customer-7',
        purpose: 'Two tickets',
        status: 'pending',
        callback_url: 'http://localhost/webhook',
        success_url: null,
        fail_url: null,
        currency: { id: 1, code: 'EUR', name: 'Euro', symbol: '€' },
      });
      expect(data.payment_url).toMatch(/^https:\/\/sandbox\.invalid\/pay\//);
      expect(data.amount.eq('25')).toBe(true);
      expect(data.amount_to_send).toBe(null);
      expectTime(data.created_at, '2026-01-31T09:30:00');
      expectTime(data.expires_at, '2026-01-31T10:00:00');
    },
  },
  {
    name: 'create of a taken external_id is a typed conflict, whatever its status and details',
    async run({ merchant, dialect, sandbox }) {
      await merchant.invoices.create(ORDER);
      const error = await errorOf(merchant.invoices.create(ORDER));
      const reads = dialect.invoiceReadIdent === 'uuid' ? 2 : 1; // by path, or by path and from the list
      expect(error).toMatchObject({
        name: 'InvoiceAlreadyExistsError',
        kind: 'conflict',
        code: 'INVOICE_ALREADY_EXISTS',
        status: dialect.conflictStatus,
        outcome: 'rejected',
        externalId: 'order-1042',
        existingStatus: 'pending',
        existing: { uuid: sandbox.invoice('order-1042').uuid },
      });
      expect(sandbox.requests()).toHaveLength(2 + reads);
    },
  },
  {
    name: 'two creations at once make one invoice',
    async run({ merchant, sandbox }) {
      const results = await Promise.all([1, 2, 3].map(() => merchant.invoices.create(ORDER).result()));
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      expect(sandbox.invoices().filter(({ external_id }) => external_id === 'order-1042')).toHaveLength(1);
    },
  },
  {
    name: 'both verbs read what is there, by path or from the list',
    async run({ merchant, sandbox }) {
      await merchant.invoices.create(ORDER);
      await merchant.invoices.create({ ...ORDER, external_id: 'another' });
      const { data, response } = await merchant.invoices.createOrRenew({ ...ORDER, amount: '25' }).withResponse();
      const { uuid } = sandbox.invoice('order-1042');
      expect(await errorOf(merchant.invoices.create(ORDER))).toMatchObject({ existing: { uuid, status: 'pending' } });
      expect(data).toMatchObject({ created: false, invoice: { uuid, status: 'pending', adjustment: null } });
      expect(response.recovered).toBe(false);
    },
  },
  ...LOST.map((fault) => ({
    name: `create recovers its invoice after a response lost by ${fault.type}`,
    run: (stage: Stage) => recovers(stage, fault),
  })),
  {
    name: 'create says "unknown" when the existing invoice cannot be read',
    async run({ merchant, sandbox }) {
      sandbox.faults.next('reset_after', { operation: 'invoices.create' });
      for (const operation of ['invoices.get', 'invoices.list'] as const) {
        sandbox.faults.next('server_error', { operation, times: Number.POSITIVE_INFINITY });
      }
      const error = await errorOf(merchant.invoices.create(ORDER));
      expect(error).toMatchObject({ kind: 'conflict', outcome: 'unknown', externalId: 'order-1042' });
    },
  },
];
