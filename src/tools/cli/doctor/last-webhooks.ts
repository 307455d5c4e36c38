// What became of the webhooks of the last paid invoices, by reads alone: in production as in the sandbox.

import type { MerchantClient } from '../../../client.ts';
import type { WebhookDelivery } from '../../../contract/deliveries.ts';
import type { Invoice } from '../../../contract/invoices.ts';
import { orderOf } from '../../../contract/orders.ts';
import { Decimal } from '../../../contract/values/decimal.ts';
import { isMerchantError } from '../../../errors/guards.ts';
import { shellWord } from '../../shell.ts';
import { moneyText } from '../../story.ts';
import { type CheckResult, oneLine, passed } from '../terminal.ts';

/** How many invoices are looked at. */
const LOOKED_AT = 10;

/** The webhook of a paid invoice. */
export interface SeenWebhook {
  readonly invoice: Invoice;
  /** `not_tried`: the delivery has no attempt. `not_read`: its history could not be read. */
  readonly end: 'accepted' | 'refused' | 'no_delivery' | 'not_tried' | 'not_read';
  /** When the shop was first told, or when it accepted. */
  readonly at: Date | null;
  /** The last HTTP status. Null without a response, or where the service does not say it. */
  readonly status: number | null;
  /** Why its history could not be read. */
  readonly code: string | null;
}

/** What was looked at, the latest payment first. */
export interface LastWebhooks {
  /** Null where the page that was read may not show the last payments: it is one of several, and not newest first. */
  readonly seen: readonly SeenWebhook[] | null;
  /** The time of the service. */
  readonly now: Date;
}

/**
 * Reads the first page of paid invoices, and the deliveries of the ten that were paid last.
 *
 * @throws MerchantError if the page cannot be read. A history that cannot be read is `not_read`.
 */
export async function lastWebhooks(
  { invoices, webhooks }: Pick<MerchantClient, 'invoices' | 'webhooks'>,
  signal: AbortSignal,
): Promise<LastWebhooks> {
  const { data, response } = await invoices.list({ status: 'success' }, { signal }).withResponse();
  const endOf = ({ finished_at }: Invoice): number => finished_at?.getTime() ?? 0;
  const date = Date.parse(response.headers.get('date') ?? '');
  const now = new Date(Number.isNaN(date) ? Date.now() : date);
  if ((data.has_next || data.total_pages > 1) && !isNewestFirst(data.items)) return { seen: null, now };
  const paid = data.items.filter(({ status }) => status === 'success'); // a service may ignore the filter
  const latest = paid.sort((a, b) => endOf(b) - endOf(a)).slice(0, LOOKED_AT);
  const seen: SeenWebhook[] = [];
  for (const invoice of latest) {
    try {
      seen.push(seenOf(invoice, await webhooks.deliveries(invoice.uuid, { signal })));
    } catch (error) {
      if (!isMerchantError(error) || signal.aborted) throw error;
      seen.push({ invoice, end: 'not_read', at: null, status: null, code: error.code });
    }
  }
  return { seen, now };
}

/** Whether invoices were created, or have ended, one before the other. Equal times show no direction. */
function isNewestFirst(invoices: readonly Invoice[]): boolean {
  const isFalling = (times: readonly number[]): boolean =>
    new Set(times).size > 1 && times.every((time, at) => time <= (times[at - 1] ?? time));
  const ends = invoices.map(({ finished_at }) => finished_at?.getTime() ?? 0);
  return isFalling(invoices.map(({ created_at }) => created_at.getTime())) || isFalling(ends);
}

/** When the first attempt of a delivery was made, in epoch milliseconds. */
export function beganAt({ attempt_log: [first] }: WebhookDelivery): number {
  return first?.created_at?.getTime() ?? 0;
}

function seenOf(invoice: Invoice, deliveries: readonly WebhookDelivery[]): SeenWebhook {
  const last = [...deliveries].sort((a, b) => beganAt(a) - beganAt(b)).at(-1); // a late payment has a second one
  const nothing = { invoice, at: null, status: null, code: null };
  if (last === undefined) return { ...nothing, end: 'no_delivery' };
  const { delivered_at, attempt_log: log, last_http_status: status, attempts } = last;
  const [first] = log;
  if (last.status === 'delivered')
    return { ...nothing, end: 'accepted', at: delivered_at ?? log.at(-1)?.created_at ?? null, status };
  if ((attempts ?? log.length) === 0) return { ...nothing, end: 'not_tried' };
  const at = first?.created_at ?? invoice.finished_at;
  return { ...nothing, end: 'refused', at, status: log.at(-1)?.status_code ?? status };
}

/** The same as checks of `doctor`: one for each endpoint and status that is wrong, or one that says what was accepted. */
export function webhookChecks({ seen, now }: LastWebhooks): readonly CheckResult[] {
  if (seen === null) {
    const why = 'the list of paid invoices has several pages, and does not begin with the newest';
    return [notSeen(`no webhook was seen: ${why}`)];
  }
  const refused = seen.filter(({ end }) => end === 'refused');
  const groups = Map.groupBy(refused, ({ invoice, status }) => `${endpointOf(invoice)} ${status}`);
  const failing = [...groups.values()].flatMap((group) => refusedCheck(group, seen, now) ?? []);
  if (failing.length === 0) return [acceptedCheck(seen, now)];
  const unseen = unseenText(seen);
  if (unseen === '') return failing;
  return [...failing, notSeen(`of ${lastPaid(seen)}, ${unseen}: not seen`)];
}

function notSeen(title: string): CheckResult {
  return { id: 'webhooks', title, grade: 'inconclusive', fix: '' };
}

/** What of the webhooks says neither that they were accepted nor that they were refused. Empty for none. */
function unseenText(seen: readonly SeenWebhook[]): string {
  const of = (end: SeenWebhook['end']): readonly SeenWebhook[] => seen.filter((each) => each.end === end);
  const [none, untried, unread] = [of('no_delivery').length, of('not_tried').length, of('not_read')];
  const codes = [...new Set(unread.flatMap(({ code }) => code ?? []))].map((code) => oneLine(code, 60)).join(', ');
  const histories = unread.length === 1 ? '1 history' : `${unread.length} histories`;
  const parts = [
    none > 0 && `${none} ${none === 1 ? 'has' : 'have'} no delivery`,
    untried > 0 && `${untried} ${untried === 1 ? 'has' : 'have'} a delivery without an attempt`,
    unread.length > 0 && `${histories} could not be read (${codes})`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}

function lastPaid(seen: readonly SeenWebhook[]): string {
  return seen.length === 1 ? 'the last paid invoice' : `the last ${seen.length} paid invoices`;
}

function lastOf(seen: readonly SeenWebhook[]): string {
  return `the last ${seen.length === 1 ? 'webhook' : `${seen.length} webhooks`}`;
}

/** @param group Webhooks to one endpoint with one status, the latest payment first. */
function refusedCheck(group: readonly SeenWebhook[], seen: readonly SeenWebhook[], now: Date): CheckResult | null {
  const [latest] = group;
  if (latest === undefined) return null;
  const endpoint = endpointOf(latest.invoice);
  const begun = sinceOf(group);
  // Where all that were read have failed, older ones may have failed too.
  const isCut =
    seen.length === LOOKED_AT &&
    !seen.some(({ invoice, end }) => end === 'accepted' && endpointOf(invoice) === endpoint);
  const word = isCut ? 'at least since' : group.length === 1 ? 'at' : 'the first at';
  const since = begun === null ? '' : `, ${word} ${utcOf(begun, now)}`;
  const count =
    seen.length === 1
      ? 'the last webhook was'
      : `${group.length} of ${lastOf(seen)} ${group.length === 1 ? 'was' : 'were'}`;
  const rest = isCut ? ' (older ones were not read)' : '';
  const title = `${count} not accepted by ${endpoint}${since}${rest}, ${paidFor(group)}: ${latest.status ?? 'no response'}`;
  const fix = `npx merchant-invoicing order ${shellWord(orderOf(latest.invoice.external_id).order)}   # says why`;
  return { id: 'webhooks', title, grade: 'fail', fix };
}

/** What was paid, such as `€1,512.00 and $120.00`. */
function paidFor(webhooks: readonly SeenWebhook[]): string {
  const sums = Map.groupBy(webhooks, ({ invoice }) => invoice.currency.code);
  const texts = [...sums].map(([code, group]) => {
    const amounts = group.map(({ invoice }) => invoice.adjustment?.actual_amount_fiat ?? invoice.amount);
    return moneyText(Decimal.sum(...amounts).toFixed(2), code);
  });
  return texts.join(' and ');
}

function acceptedCheck(seen: readonly SeenWebhook[], now: Date): CheckResult {
  const accepted = seen.filter(({ end }) => end === 'accepted');
  const [last, unseen] = [lastOf(seen), unseenText(seen)];
  const [newest] = accepted;
  if (newest === undefined)
    return notSeen(
      seen.length === 0
        ? 'no webhook was seen: no invoice is paid yet'
        : `no webhook was seen of ${lastPaid(seen)}: ${unseen}`,
    );
  const when = newest.at === null ? '' : ` ${agoOf(now.getTime() - newest.at.getTime())}`;
  const ago = seen.length === 1 || when === '' ? when : `, the last${when}`;
  const count = seen.length === 1 ? `${last} was` : `${accepted.length} of ${last} were`;
  if (unseen === '') return passed('webhooks', `${count} accepted${ago}`);
  return notSeen(`${count} accepted${ago}. ${unseen}: not seen`);
}

/** What became of the other webhooks to one endpoint: whether a refusal is one mishap or an outage. */
export interface OtherWebhooks {
  /** Those that were looked at and had an attempt. */
  readonly tried: number;
  readonly refused: number;
  /** When the first refused one was sent. */
  readonly since: Date | null;
  /** True where older ones may exist that were not looked at. */
  readonly isCut: boolean;
}

/** Reads the last webhooks to the endpoint of an order, without its own. Null if the service does not show them. */
export async function otherWebhooks(
  merchant: Pick<MerchantClient, 'invoices' | 'webhooks'>,
  mine: readonly Invoice[],
  signal: AbortSignal,
): Promise<OtherWebhooks | null> {
  try {
    const { seen } = await lastWebhooks(merchant, signal);
    if (seen === null) return null;
    const own = new Set(mine.map(({ uuid }) => uuid));
    const endpoint = mine.map(endpointOf).at(-1);
    const tried = seen.filter(
      ({ invoice, end }) =>
        (end === 'accepted' || end === 'refused') && !own.has(invoice.uuid) && endpointOf(invoice) === endpoint,
    );
    const refused = tried.filter(({ end }) => end === 'refused');
    return { tried: tried.length, refused: refused.length, since: sinceOf(refused), isCut: seen.length === LOOKED_AT };
  } catch (error) {
    if (!isMerchantError(error) || signal.aborted) throw error;
    return null;
  }
}

function sinceOf(refused: readonly SeenWebhook[]): Date | null {
  const times = refused.flatMap(({ at }) => at ?? []);
  return times.length === 0 ? null : new Date(Math.min(...times.map(Number)));
}

/** The address of an invoice without what may be secret in it: credentials and query. */
export function endpointOf({ callback_url: url }: Pick<Invoice, 'callback_url'>): string {
  if (url === null || !URL.canParse(url)) return 'your endpoint';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** A time of the day in UTC, with its day where that is another one than today's. */
export function utcOf(at: Date, now: Date): string {
  const isToday = at.toISOString().slice(0, 10) === now.toISOString().slice(0, 10);
  return `${isToday ? '' : `${at.toUTCString().slice(5, 11)} `}${at.toISOString().slice(11, 16)} UTC`;
}

function agoOf(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 90) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.round(hours / 24)} days ago`;
}
