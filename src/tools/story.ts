// The story of one order as data: who did what when, in three lanes. The command `order`, the page of a payment and a
// storm print it. It is made of the invoices of the order with their deliveries, and in a sandbox also of the changes that
// only a sandbox sees.
import { orderOf } from '../contract/orders.ts';
import { isFinalStatus } from '../contract/statuses.ts';
import { Decimal } from '../contract/values/decimal.ts';

/** Who did it. The lane of the shop has what its endpoint answered, and nothing that was inferred. */
export type Lane = 'customer' | 'service' | 'shop';

/** One thing that happened. */
export interface Moment {
  /** Null where the service does not say it. */
  readonly at: Date | null;
  readonly lane: Lane;
  /** Null for what is neither good nor bad. */
  readonly grade: 'pass' | 'advice' | 'fail' | null;
  /** What happened in a word or two, such as `paid less`. */
  readonly what: string;
  /** The rest of it. */
  readonly text: string;
  /** Of an attempt to deliver a webhook. */
  readonly attempt?: AttemptFacts;
}

/** An attempt as a reader may group, link or mark it. */
interface AttemptFacts {
  /** The id of its delivery. */
  readonly delivery: string;
  readonly number: number;
  /** What went wrong, or null. */
  readonly error: string | null;
  /** The fault that a sandbox injected. */
  readonly fault: string | null;
}

/** An instant of the client, or of the wire. */
type Instant = Date | string;
/** An amount of the client, or of the wire. */
type Amount = Decimal | string;

/** The members of an invoice that its story is told of. Those of the client and of the sandbox fit. */
export interface StoryInvoice {
  readonly external_id: string;
  readonly status: string;
  readonly amount: Amount;
  readonly currency: { readonly code: string };
  readonly customer_id: string | null;
  readonly created_at: Instant;
  readonly expires_at: Instant;
  readonly finished_at: Instant | null;
  readonly callback_url: string | null;
  readonly payment_method: { readonly name: string | null } | null;
  readonly amount_to_send: Amount | null;
  readonly settled_amount_usdt: Amount | null;
  readonly adjustment: { readonly actual_amount_fiat: Amount; readonly actual_amount_usdt: Amount } | null;
}

/** The members of an attempt. */
export interface StoryAttempt {
  readonly created_at: Instant | null;
  readonly status_code: number | null;
  readonly success: boolean | null;
  readonly error: string | null;
  readonly duration_ms: number | null;
  readonly triggered_by: string | null;
  readonly fault?: string | null;
  /** What a sandbox says about the response. */
  readonly cause?: { readonly id: string } | null;
}

/** The members of a delivery, with its latest attempts. */
export interface StoryDelivery {
  readonly id: string;
  readonly event_type: string | null;
  readonly status: string;
  readonly attempts: number | null;
  readonly max_attempts: number | null;
  readonly last_http_status: number | null;
  readonly next_retry_at: Instant | null;
  readonly delivered_at: Instant | null;
  readonly attempt_log: readonly StoryAttempt[];
}

/** A change of an invoice, as the log of a sandbox has it. */
export interface StoryMove {
  readonly at: Instant;
  /** Null for the creation. */
  readonly from: string | null;
  readonly to: string;
  /** The paid amount, where it is not the ordered one. */
  readonly paid: string | null;
  /** The credited USDT. Null unless it is paid. */
  readonly credited: string | null;
  /** Why it ended unpaid. Null for any other change. */
  readonly why: string | null;
}

/** One invoice of an order, with what became of it. */
export interface InvoiceHistory {
  readonly invoice: StoryInvoice;
  /** The oldest first. */
  readonly deliveries: readonly StoryDelivery[];
  /**
   * The changes of the invoice, where somebody has seen them. Without them its end is read from the invoice, and an end
   * before a late payment from the delivery that told the shop of it.
   */
  readonly moves?: readonly StoryMove[];
}

/** Tells what happened to an order: to all of its invoices, the oldest moment first. */
export function momentsOf(invoices: readonly InvoiceHistory[]): Moment[] {
  return inOrder(invoices.map(momentsOfInvoice));
}

function momentsOfInvoice({ invoice, deliveries, moves = [] }: InvoiceHistory): Moment[] {
  const { renewal } = orderOf(invoice.external_id);
  const seen = moves.filter(({ from }) => from !== null);
  const ends = seen.length === 0 ? endsOf(invoice, deliveries) : seen.map((move) => momentOfMove(move, invoice));
  const later = [...(seen.length === 0 ? methodOf(invoice) : []), ...ends, ...deliveries.flatMap(momentsOfDelivery)];
  const ofRenewal = (moment: Moment): Moment => ({ ...moment, text: `${moment.text} (renewal ${renewal})` });
  return [beginningOf(invoice, renewal), ...(renewal === 0 ? later : later.map(ofRenewal))];
}

function beginningOf(invoice: StoryInvoice, renewal: number): Moment {
  const { amount, currency, customer_id, created_at, expires_at, status } = invoice;
  const customer = customer_id === null ? '' : `, customer ${customer_id}`;
  const ends = status === 'pending' ? `, expires ${clockOf(dateOf(expires_at))}` : '';
  const text = `${moneyText(amount, currency.code)}${customer}${ends}`;
  const what = renewal === 0 ? 'created' : `renewal ${renewal}`;
  return { at: dateOf(created_at), lane: 'service', grade: null, what, text };
}

function methodOf({ payment_method: method, amount_to_send: sends, currency }: StoryInvoice): Moment[] {
  if (method === null) return [];
  const rest = sends === null ? '' : `: sends ${moneyText(sends, currency.code)}`;
  const text = `${method.name ?? 'without a name'}${rest}`;
  return [{ at: null, lane: 'customer', grade: null, what: 'method', text }];
}

function endsOf(invoice: StoryInvoice, deliveries: readonly StoryDelivery[]): Moment[] {
  const { amount, currency, finished_at, status, adjustment, settled_amount_usdt } = invoice;
  if (!isFinalStatus(status)) return [];
  const at = finished_at === null ? null : dateOf(finished_at);
  const word = paymentWord(invoice).toLowerCase();
  if (status !== 'success') return [{ at, lane: 'service', grade: null, what: word, text: 'nothing was paid' }];
  const before = deliveries.find(({ event_type }) => event_type === 'invoice.canceled');
  const toldAt = before?.attempt_log[0]?.created_at ?? null;
  const text = 'nothing was paid until then';
  const ended: Moment = {
    at: toldAt === null ? null : dateOf(toldAt),
    lane: 'service',
    grade: null,
    what: 'ended',
    text,
  };
  const credited = settled_amount_usdt ?? adjustment?.actual_amount_usdt;
  const paid = `${moneyText(adjustment?.actual_amount_fiat ?? amount, currency.code)} of ${moneyText(amount, currency.code)}`;
  const payment: Moment = {
    at,
    lane: 'customer',
    grade: word === 'paid less' ? 'advice' : 'pass',
    what: before === undefined ? word : `${word}, late`,
    text: `${paid}, ${credited === undefined ? 'credit not shown' : `${usdtOf(credited)} USDT credited`}`,
  };
  return before === undefined ? [payment] : [ended, payment];
}

/** The moment of a change that the log of a sandbox has. */
export function momentOfMove(
  { at, from, to, paid, credited, why }: StoryMove,
  { amount, currency }: Pick<StoryInvoice, 'amount' | 'currency'>,
): Moment {
  const adjustment = paid === null ? null : { actual_amount_fiat: paid };
  const isPaid = to === 'success';
  const isPayment = isPaid && from !== to;
  const word = paymentWord({ status: to, amount, adjustment }).toLowerCase();
  const late = from === null || from === 'pending' ? '' : ', late';
  const money = paidText({ paid, amount, currency: currency.code });
  const credit = credited === null ? '' : `, ${usdtOf(credited)} USDT credited`;
  return {
    at: dateOf(at),
    lane: isPayment ? 'customer' : 'service',
    grade: isPayment && word === 'paid less' ? 'advice' : isPaid ? 'pass' : null,
    what: from === null ? 'created' : from === to ? 'corrected' : `${word}${late}`,
    text: isPayment ? `${money}${credit}` : isPaid ? `to ${money}${credit}, no second webhook` : (why ?? money),
  };
}

/** What was paid, and of what where that is another amount. */
export function paidText({ paid, amount, currency }: Pick<StoryMove, 'paid'> & { amount: Amount; currency: string }) {
  const ordered = moneyText(amount, currency);
  return paid === null ? ordered : `${moneyText(paid, currency)} of ${ordered}`;
}

function momentsOfDelivery(delivery: StoryDelivery): Moment[] {
  const { id, event_type: event, attempt_log: log, attempts, max_attempts: of, delivered_at, status } = delivery;
  if (log.length === 0 && attempts !== null && attempts > 0) {
    const text = `${named(event)}${webhookWord(delivery)}, ${attempts} attempts`;
    const at = delivered_at === null ? null : dateOf(delivered_at);
    return [{ at, lane: 'shop', grade: status === 'delivered' ? 'pass' : 'fail', what: 'webhook', text }];
  }
  const dropped = Math.max(0, (attempts ?? log.length) - log.length);
  return log.map((each, at) => momentOfAttempt({ ...each, delivery: id, event, number: dropped + at + 1, of }));
}

/** An attempt with what its delivery knows. */
interface NamedAttempt extends StoryAttempt {
  readonly delivery: string;
  readonly event: string | null;
  readonly number: number;
  readonly of: number | null;
}

/** The moment of one attempt: what the endpoint of the shop answered. */
export function momentOfAttempt(attempt: NamedAttempt): Moment {
  const { created_at, status_code: status, success, error, duration_ms: ms, triggered_by, fault = null } = attempt;
  const { delivery, event, number, of, cause } = attempt;
  const isGood = success ?? /^2\d\d$/.test(String(status));
  const isPage = isGood && cause?.id === 'html_page'; // the service takes it for accepted
  const returned = `returned ${status}${isPage ? ' with an HTML page' : ''}`;
  const response = status === null ? `got no response${error === null ? '' : `: ${error}`}` : returned;
  const took = status === null || ms === null ? '' : ` in ${ms} ms`;
  return {
    at: created_at === null ? null : dateOf(created_at),
    lane: 'shop',
    grade: isPage ? 'advice' : isGood ? 'pass' : 'fail',
    what: `attempt ${number}${of === null ? '' : ` of ${Math.max(number, of)}`}`,
    text: `${named(event)}${response}${took}${triggered_by === 'manual' ? ', sent by hand' : ''}`,
    attempt: { delivery, number, error: isGood ? null : (error ?? response), fault },
  };
}

/** A moment as a reader has it. Where it gave something to the customer, it is never joined with another. */
interface StoryRow {
  readonly moment: Moment;
  readonly given?: unknown;
}

/** A row of a story, and the last of the moments that it stands for. Null if it stands for itself alone. */
interface JoinedRow<Row> {
  readonly row: Row;
  last: Moment | null;
}

/**
 * Joins what happens again: attempts of one delivery that fail in the same way, also where other deliveries are attempted
 * between them, and moments in the same words that follow each other.
 */
export function joinMoments<Row extends StoryRow>(rows: readonly Row[]): JoinedRow<Row>[] {
  const joined: JoinedRow<Row>[] = [];
  for (const row of rows) {
    const before = rowToJoin(joined, row);
    if (before === undefined) joined.push({ row, last: null });
    else before.last = row.moment;
  }
  return joined;
}

function rowToJoin<Row extends StoryRow>(joined: readonly JoinedRow<Row>[], row: Row): JoinedRow<Row> | undefined {
  const { attempt } = row.moment;
  const isOther = (moment: Moment | undefined): boolean =>
    attempt !== undefined && moment?.attempt !== undefined && moment.attempt.delivery !== attempt.delivery;
  let at = joined.length - 1;
  while (isOther(joined[at]?.row.moment)) at -= 1;
  const before = joined[at];
  if (before === undefined || before.row.given !== undefined || row.given !== undefined) return undefined;
  return isAlike(before.row.moment, row.moment) ? before : undefined;
}

function isAlike(one: Moment, other: Moment): boolean {
  const [mine, theirs] = [one.attempt, other.attempt];
  if (mine === undefined) return one.lane === other.lane && one.what === other.what && one.text === other.text;
  return mine.error !== null && mine.error === theirs?.error && mine.delivery === theirs.delivery;
}

/** What happened in a row of a story, such as `paid`, or `attempts 1 and 2` or `attempts 1 to 4` of joined ones. */
export function wordsOf({ row: { moment }, last }: JoinedRow<StoryRow>): string {
  const { what, attempt } = moment;
  if (last?.attempt === undefined || attempt === undefined) return what;
  const [from, to] = [attempt.number, last.attempt.number];
  return `attempts ${from} ${to === from + 1 ? 'and' : 'to'} ${to}`;
}

/** The first and the last time of a joined row, such as `02:18 to 02:54`. Null for one moment. */
export function timesOf({ row, last }: JoinedRow<StoryRow>): string | null {
  const [from, to] = [row.moment.at, last?.at ?? null];
  return from === null || to === null ? null : `${minuteOf(from)} to ${minuteOf(to, from)}`;
}

/** The minute in UTC, with its day where that is another one than the day before. */
function minuteOf(at: Date, before = at): string {
  const day = at.toUTCString().slice(5, 11);
  return `${day === before.toUTCString().slice(5, 11) ? '' : `${day} `}${clockOf(at).slice(0, 5)}`;
}

function named(event: string | null): string {
  return event === null ? '' : `${event} `;
}

/** Sorts by time. A moment without a time stays behind the one before it, of the same invoice. */
function inOrder(stories: readonly (readonly Moment[])[]): Moment[] {
  const timed = stories.flatMap((moments) => {
    let time = 0;
    return moments.map((moment) => {
      time = moment.at?.getTime() ?? time;
      return { moment, time };
    });
  });
  return timed.sort((a, b) => a.time - b.time).map(({ moment }) => moment);
}

// The words for the state of a payment and of its webhook.

const ENDS: Readonly<Record<string, string>> = {
  pending: 'Open',
  fail: 'Failed',
  expired: 'Expired',
  canceled: 'Canceled',
};

/** `Open`, `Paid`, `Paid less`, `Paid more`, `Failed`, `Expired` or `Canceled`. Another status as it is. */
export function paymentWord(invoice: {
  readonly status: string;
  readonly amount: Amount;
  readonly adjustment: { readonly actual_amount_fiat: Amount } | null;
}): string {
  const { status, amount, adjustment } = invoice;
  if (status !== 'success') return ENDS[status] ?? status;
  const order = adjustment === null ? 0 : new Decimal(adjustment.actual_amount_fiat).comparedTo(amount);
  return order === 0 ? 'Paid' : order < 0 ? 'Paid less' : 'Paid more';
}

type DeliveryState = Pick<StoryDelivery, 'status' | 'attempts' | 'last_http_status'>;

/** True while an attempt of a webhook is in progress, or none was made yet. */
export function isWebhookWaiting({ status, attempts }: Omit<DeliveryState, 'last_http_status'>): boolean {
  return status === 'delivering' || attempts === 0;
}

/** `Delivered`, `Retrying · 401`, `Given up · no response`, `Sending` or `Held`. */
export function webhookWord({ status, attempts, last_http_status }: DeliveryState): string {
  if (status === 'delivering') return 'Sending';
  if (status === 'delivered') return 'Delivered';
  const response = last_http_status ?? 'no response';
  if (status === 'failed') return `Given up · ${response}`;
  return attempts === 0 ? 'Held' : `Retrying · ${response}`;
}

/** The word for an invoice that no webhook was sent for: `No address`, `Not yet` or `None`. */
export function noWebhookWord(invoice: Pick<StoryInvoice, 'status' | 'callback_url'>): string {
  if (invoice.callback_url === null) return 'No address';
  return invoice.status === 'pending' ? 'Not yet' : 'None'; // such as an initial invoice of a sandbox
}

function dateOf(at: Instant): Date {
  return typeof at === 'string' ? new Date(at) : at;
}

/** At least two decimals. */
export function moneyOf(given: Amount): string {
  const amount = new Decimal(given);
  return amount.decimalPlaces() < 2 ? amount.toFixed(2) : amount.toFixed();
}

/** Credited USDT, with the six decimals of the service. */
export function usdtOf(given: Amount): string {
  const amount = new Decimal(given);
  return amount.toFixed(Math.max(6, amount.decimalPlaces()));
}

/** An amount as people write it, with two decimals at least, such as `€1,250.50`. A code that is no currency stands behind: `26.86 USDT`. */
export function moneyText(amount: Amount, code: string): string {
  const text = moneyOf(amount);
  const digits = text.split('.')[1]?.length ?? 0;
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const number = text as unknown as number; // every platform here takes decimal text, and keeps each digit
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency: code, ...decimals }).format(number);
  } catch {
    return `${new Intl.NumberFormat('en', decimals).format(number)} ${code}`;
  }
}

/** The time of the day in UTC. */
export function clockOf(at: Date): string {
  return at.toISOString().slice(11, 19);
}
