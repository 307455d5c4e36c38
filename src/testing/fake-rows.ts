import { checkOptions, configurationFail, namesOf } from '../checks.ts';
import type { Page, PaymentMethod, Rate, WebhookDelivery, Withdrawal } from '../contract/types.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { priceOf } from './fake-prices.ts';
import { type Kinds, type Overrides, readOverrides } from './overrides.ts';
import { fakeNow, nextIds } from './sequence.ts';

const WITHDRAWAL: Kinds<Withdrawal> = {
  uuid: 'as_is',
  actor: 'as_is',
  balance_type: 'as_is',
  token: 'as_is',
  network: 'as_is',
  address: 'as_is',
  amount: 'money',
  network_commission: 'money',
  amount_to_send: 'money',
  status: 'as_is',
  created_at: 'time',
  logo_url: 'as_is',
  tx_hash: 'as_is',
  reject_reason: 'as_is',
  processed_at: 'time',
  unreadable: 'as_is',
};

const HOUR = 3_600_000;

/**
 * Returns a withdrawal, pending unless an override says otherwise. An approved one has a `tx_hash`, a rejected one a
 * `reject_reason`, and both have `processed_at`. Without `amount_to_send`, the commission is subtracted.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name or an unusable value.
 * @example
 * const withdrawal = fakeWithdrawal({ status: 'rejected', amount: '1200.50' });
 */
export function fakeWithdrawal(overrides: Overrides<Withdrawal> = {}): Withdrawal {
  const given = readOverrides<Withdrawal>(overrides, WITHDRAWAL, configurationFail('fakeWithdrawal'));
  const { uuid, number } = nextIds();
  const status = given.status ?? (given.tx_hash ? 'approved' : given.reject_reason ? 'rejected' : 'pending');
  const isProcessed = status === 'approved' || status === 'rejected';
  const { amount = new Decimal('250.00'), network_commission = new Decimal('1.00') } = given;
  const { created_at = new Date((given.processed_at?.getTime() ?? fakeNow()) - (isProcessed ? HOUR : 0)) } = given;
  return {
    uuid,
    actor: 'owner@shop.example',
    balance_type: 'main',
    token: 'USDT',
    network: 'TRC20',
    address: 'TFakeFakeFakeFakeFakeFakeFakeFake1',
    amount,
    network_commission,
    amount_to_send: amount === null ? null : amount.minus(network_commission ?? 0),
    status,
    created_at,
    logo_url: 'https://cdn.example/networks/trc20.svg',
    tx_hash: status === 'approved' ? number.toString(16).padStart(64, 'fa4e') : null,
    reject_reason: status === 'rejected' ? 'Address is not on the allow list' : null,
    processed_at: isProcessed ? new Date((created_at?.getTime() ?? fakeNow()) + HOUR) : null,
    ...given,
  };
}

const PAYMENT_METHOD: Kinds<PaymentMethod> = {
  id: 'as_is',
  name: 'as_is',
  currency: 'as_is',
  min_amount: 'money',
  max_amount: 'money',
  total_commission_percent: 'money',
  client_commission_percent: 'money',
  merchant_commission_percent: 'money',
  logo_url: 'as_is',
};

/** Members of a {@link fakePaymentMethod}. `currency` may be a code. */
export type FakePaymentMethodOverrides = Overrides<Omit<PaymentMethod, 'currency'>> & {
  readonly currency?: string | Partial<PaymentMethod['currency']> | undefined;
};

/**
 * Returns a payment method: a card for EUR, from 5.00 to 2,000.00, with 3 % commission. The total commission is the sum of
 * both parts.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name or an unusable value.
 * @example
 * const method = fakePaymentMethod({ currency: 'TRY', min_amount: '100.00' });
 */
export function fakePaymentMethod(overrides: FakePaymentMethodOverrides = {}): PaymentMethod {
  const { currency, ...rest } = overrides;
  const given = readOverrides<PaymentMethod>(rest, PAYMENT_METHOD, configurationFail('fakePaymentMethod'));
  const {
    client_commission_percent: client = new Decimal('2.00'),
    merchant_commission_percent: merchant = new Decimal('1.00'),
  } = given;
  const { number } = nextIds();
  return {
    id: number,
    name: 'Card',
    min_amount: new Decimal('5.00'),
    max_amount: new Decimal('2000.00'),
    total_commission_percent: client.plus(merchant),
    client_commission_percent: client,
    merchant_commission_percent: merchant,
    logo_url: 'https://cdn.example/methods/card.svg',
    ...given,
    currency: priceOf({ amount: new Decimal('25.00'), currency }).currency,
  };
}

const RATE: Kinds<Rate> = {
  platform: 'as_is',
  asset: 'as_is',
  fiat: 'as_is',
  side: 'as_is',
  price: 'money',
  min_amount: 'money',
  max_amount: 'money',
};

/**
 * Returns a market rate of USDT: the buying price of EUR, or of the currency in `fiat`.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name or an unusable value.
 * @example
 * const rate = fakeRate({ fiat: 'TRY', side: 'sell' });
 */
export function fakeRate(overrides: Overrides<Rate> = {}): Rate {
  const given = readOverrides<Rate>(overrides, RATE, configurationFail('fakeRate'));
  const { fiat = 'EUR', side = 'buy' } = given;
  const { rate } = priceOf({ amount: new Decimal('25.00'), currency: fiat });
  return {
    platform: 'binance',
    asset: 'USDT',
    fiat,
    side,
    price: side === 'sell' ? rate.times('0.997') : rate,
    min_amount: new Decimal('10.00'),
    max_amount: new Decimal('50000.00'),
    ...given,
  };
}

const DELIVERY: Kinds<WebhookDelivery> = {
  id: 'as_is',
  event_type: 'as_is',
  status: 'as_is',
  attempts: 'as_is',
  max_attempts: 'as_is',
  last_http_status: 'as_is',
  next_retry_at: 'time',
  delivered_at: 'time',
  attempt_log: 'as_is',
};

const MAX_ATTEMPTS = 7;

/**
 * Returns the delivery of a webhook, delivered at its first attempt unless an override says otherwise. The log of the
 * attempts follows `status` and `attempts`: a failed delivery has seven failed ones.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name or an unusable value.
 * @example
 * const delivery = fakeDelivery({ status: 'failed', last_http_status: 503 });
 */
export function fakeDelivery(overrides: Overrides<WebhookDelivery> = {}): WebhookDelivery {
  const given = readOverrides<WebhookDelivery>(overrides, DELIVERY, configurationFail('fakeDelivery'));
  const { uuid } = nextIds();
  const status = given.status ?? (given.next_retry_at ? 'pending' : 'delivered');
  const isDelivered = status === 'delivered';
  const byStatus = isDelivered || given.next_retry_at ? 1 : status === 'failed' ? MAX_ATTEMPTS : 0;
  const attempts = given.attempts ?? given.attempt_log?.length ?? byStatus;
  const { last_http_status = attempts === 0 ? null : isDelivered ? 200 : 500 } = given;
  const at = (number: number) => new Date((given.delivered_at?.getTime() ?? fakeNow()) - (attempts - number) * 60_000);
  const log = Array.from({ length: attempts }, (_, index) => {
    const success = isDelivered && index === attempts - 1;
    const status_code = index === attempts - 1 ? last_http_status : 500;
    const error = success ? null : `HTTP ${status_code}`;
    return { status_code, success, error, duration_ms: 120, triggered_by: 'schedule', created_at: at(index + 1) };
  });
  const isRetried = !isDelivered && status !== 'failed' && attempts > 0;
  return {
    id: uuid,
    event_type: 'invoice.paid',
    status,
    attempts,
    max_attempts: MAX_ATTEMPTS,
    last_http_status,
    next_retry_at: isRetried ? new Date(fakeNow() + 60_000) : null,
    delivered_at: isDelivered ? at(attempts) : null,
    attempt_log: log,
    ...given,
  };
}

const PAGE = namesOf<Omit<Page<unknown>, 'items'>>({
  page: true,
  per_page: true,
  total_items: true,
  total_pages: true,
  has_next: true,
  has_prev: true,
});

/**
 * Returns a page with these items. Without overrides it is the only page.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name.
 * @example
 * const page = fakePage([fakeInvoice()], { page: 2, per_page: 1, total_items: 3 });
 */
export function fakePage<T>(items: readonly T[], overrides: Partial<Omit<Page<T>, 'items'>> = {}): Page<T> {
  checkOptions('overrides', overrides, PAGE, configurationFail('fakePage'));
  const { page = 1, per_page = Math.max(20, items.length) } = overrides;
  const { total_items = (page - 1) * per_page + items.length } = overrides;
  const { total_pages = Math.ceil(total_items / per_page) } = overrides;
  return {
    items,
    page,
    per_page,
    total_items,
    total_pages,
    has_next: page < total_pages,
    has_prev: page > 1,
    ...overrides,
  };
}
