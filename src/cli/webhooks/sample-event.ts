import { eventOfStatus, type KnownEventType } from '../../contract/statuses.ts';
import { isAmount, shareOf } from '../../sandbox/business/money.ts';
import { signedRequest } from '../../sandbox/delivery/signed-request.ts';
import {
  createSandbox,
  type Dialect,
  type SandboxMethod,
  type SandboxRate,
  type SeedInvoice,
} from '../../sandbox/index.ts';
import { readSettings } from '../../sandbox/settings.ts';

export const EVENT_KINDS = ['paid', 'adjusted', 'overpaid', 'expired', 'canceled', 'fail'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** The order of a sample event. */
export interface SampleOrder {
  readonly externalId: string;
  readonly amount: string;
  readonly currency: string;
  /** The paid amount of `adjusted` and `overpaid`. Default: half, and one and a half of the amount. */
  readonly paid?: string | undefined;
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
  const sandbox = createSandbox({
    dialect,
    methods: [anyAmount(currency)],
    rates: [rateOf(currency)],
    seedData: { invoices: [invoice] },
  });
  try {
    const request = await sandbox.webhookRequest(externalId);
    return {
      eventType: eventOfStatus(invoice.status ?? '') ?? 'invoice.canceled',
      body: await request.text(),
    };
  } finally {
    await sandbox.close();
  }
}

function endOf(kind: EventKind, { amount, paid }: SampleOrder): Pick<SeedInvoice, 'status' | 'paid'> {
  const share = (factor: string): string => (isAmount(amount) ? shareOf(amount, factor) : amount);
  if (kind === 'paid') return { status: 'success' };
  if (kind === 'adjusted') return { status: 'success', paid: paid ?? share('0.5') };
  if (kind === 'overpaid') return { status: 'success', paid: paid ?? share('1.5') };
  return { status: kind };
}

function anyAmount(code: string): SandboxMethod {
  return {
    id: 1,
    name: 'Any amount',
    currency: { id: 1, code, name: code, symbol: code },
    min_amount: '0.01',
    max_amount: '9'.repeat(30),
    total_commission_percent: '1.00',
    client_commission_percent: '0.00',
    merchant_commission_percent: '1.00',
    logo_url: 'https://cdn.sandbox.invalid/methods/1.svg',
  };
}

function rateOf(fiat: string): SandboxRate {
  return {
    platform: 'binance',
    asset: 'USDT',
    fiat,
    side: 'buy',
    price: '0.9214',
    min_amount: '1.00',
    max_amount: '50000.00',
  };
}

/** The headers of a delivery, signed by the sandbox. `timestamp` is in epoch milliseconds. */
export async function sampleHeaders(
  { eventType, body }: SampleEvent,
  secret: string,
  dialect: Dialect,
  timestamp: number,
  id: string = crypto.randomUUID(),
): Promise<Readonly<Record<string, string>>> {
  const settings = readSettings({ dialect, webhookSecret: secret });
  const { headers } = await signedRequest(settings, { id, body, eventType }, 'http://localhost/', timestamp);
  return headers;
}
