import { eventOfStatus, type KnownEventType } from '../../contract/statuses.ts';
import { isAmount, shareOf } from '../../sandbox/business/money.ts';
import { signedRequest } from '../../sandbox/delivery/signed-request.ts';
import { createSandbox, type Dialect, type SeedInvoice } from '../../sandbox/index.ts';
import { seedMethod, seedRates } from '../../sandbox/state/seed-data.ts';

export const EVENT_KINDS = ['paid', 'adjusted', 'overpaid', 'expired', 'canceled', 'fail'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** The order of a sample event. */
export interface SampleOrder {
  readonly externalId: string;
  readonly amount: string;
  readonly currency: string;
  /** The paid amount of `adjusted` and `overpaid`. Default: half, and one and a half of the amount. */
  readonly paid?: string | undefined;
  /** The uuid of its invoice. Default: a new one. */
  readonly uuid?: string | undefined;
}

/** A webhook of a final state as the service sends it. */
export interface SampleEvent {
  readonly eventType: KnownEventType;
  readonly body: string;
}

/**
 * Builds an event with a sandbox. Each call has another invoice_uuid.
 *
 * @throws ConfigurationError for an unusable amount.
 */
export async function sampleEvent(kind: EventKind, order: SampleOrder, dialect: Dialect): Promise<SampleEvent> {
  const { externalId, amount, currency } = order;
  const invoice: SeedInvoice = {
    external_id: externalId,
    customer_id: 'check',
    amount,
    currency,
    age: '5m',
    ...endOf(kind, order),
  };
  const anyCurrency = { id: 1, code: currency, name: currency, symbol: currency };
  const sandbox = createSandbox({
    dialect,
    methods: [seedMethod(1, 'Any amount', anyCurrency, ['0.01', '9'.repeat(30)], ['0.00', '1.00', '1.00'])],
    rates: seedRates('binance', [[currency, '0.9214', '0.9187']]),
    seedData: { invoices: [invoice] },
  });
  try {
    const request = await sandbox.webhookRequest(externalId);
    return {
      eventType: eventOfStatus(invoice.status ?? '') ?? 'invoice.canceled',
      body: withUuid(await request.text(), order.uuid),
    };
  } finally {
    await sandbox.close();
  }
}

function withUuid(body: string, uuid: string | undefined): string {
  return uuid === undefined ? body : body.replace(/("invoice_uuid":)"[^"]*"/, (_, name) => name + JSON.stringify(uuid));
}

/** The paid amount, where it is not the ordered one. */
export function paidAmount(kind: EventKind, { amount, paid }: SampleOrder): string | undefined {
  if (kind !== 'adjusted' && kind !== 'overpaid') return undefined;
  return paid ?? (isAmount(amount) ? shareOf(amount, kind === 'adjusted' ? '0.5' : '1.5') : amount);
}

function endOf(kind: EventKind, order: SampleOrder): Pick<SeedInvoice, 'status' | 'paid'> {
  if (kind === 'paid') return { status: 'success' };
  const paid = paidAmount(kind, order);
  if (paid !== undefined) return { status: 'success', paid };
  return kind === 'adjusted' || kind === 'overpaid' ? { status: 'success' } : { status: kind };
}

/** The headers of a delivery, signed by the sandbox. `timestamp` is in epoch milliseconds. */
export async function sampleHeaders(
  { eventType, body }: SampleEvent,
  secret: string,
  dialect: Dialect,
  timestamp: number,
  id: string = crypto.randomUUID(),
): Promise<Readonly<Record<string, string>>> {
  const settings = { dialect, webhookSecret: secret };
  const { headers } = await signedRequest(settings, { id, body, eventType }, 'http://localhost/', timestamp);
  return headers;
}
