import { Decimal } from '../../contract/values/decimal.ts';
import { engine, hexToBase64, utf8 } from '../../webhooks/crypto.ts';
import { signedHead } from '../../webhooks/verify/signature.ts';
import { type Diagnosis, isUnexplained, sentenceOf } from '../sandbox/delivery/diagnose.ts';
import { signedRequest } from '../sandbox/delivery/webhook-request.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type Case, creditOf, type Found } from './findings.ts';
import { CAUSES, type Cause, type CauseId, type StormFindingKind } from './kinds.ts';
import type { StormShop } from './options.ts';
import { pause } from './play.ts';

// Why it is wrong. The order shows most of it: who gave it when, which webhooks it heard of, and what its state is. A receiver
// that refuses everything and says nothing is asked once for each usual mistake.

/** A finding with its cause. */
export interface Explained extends Found, Cause {
  /** The mistake, by its name in the table. Orders with the same finding and the same mistake are one group. */
  readonly mistake: CauseId;
  /** What the orders of the group share, and the others lack. Null where nothing stands out. */
  readonly shared: string | null;
}

/** Names the cause of each finding, and what its group shares. */
export async function explain(
  found: readonly Found[],
  cases: readonly Case[],
  shop: StormShop,
  sandbox: Sandbox,
): Promise<Explained[]> {
  const byId = new Map(cases.map((each) => [each.record.plan.order.id, each]));
  const ofStorm = new Map<Found, Named>();
  for (const each of found) {
    if (each.kind === 'nothing_delivered') ofStorm.set(each, await receiverCause(shop, sandbox));
  }
  const named = found.map((each): Found & Named => {
    const order = each.order === null ? undefined : byId.get(each.order);
    return { ...each, ...(ofStorm.get(each) ?? causeOf(each.kind, order, found, byId, shop)) };
  });
  return named.map((each) => {
    const group = named.filter(({ kind, mistake }) => kind === each.kind && mistake === each.mistake);
    return { ...each, shared: each.order === null ? null : sharedOf(group, byId, found) };
  });
}

/** A mistake with its words. */
interface Named extends Cause {
  readonly mistake: CauseId;
}

function named(mistake: CauseId, more = ''): Named {
  const { text, remedy } = CAUSES[mistake];
  return { mistake, text: more === '' ? text : `${text} ${more}`, remedy };
}

/** The mistake that a kind has always, where the order does not decide. */
const ALWAYS = {
  currency_differs: 'own_currency',
  second_invoice: 'fresh_id',
  checkout_failed: 'error_shown',
  dead_link: 'ended_link',
  order_missing: 'no_order',
  order_malformed: 'row',
  fulfilment_unknown: 'other_ids',
  forgery_accepted: 'not_verified',
  request_refused: 'request',
  nothing_delivered: 'refused',
  catch_up_failed: 'own_function',
  restart_failed: 'own_function',
  not_idle: 'own_function',
  not_finished: 'own_function',
} as const satisfies Partial<Record<StormFindingKind, CauseId>>;

function causeOf(
  kind: StormFindingKind,
  order: Case | undefined,
  found: readonly Found[],
  byId: ReadonlyMap<string, Case>,
  shop: StormShop,
): Named {
  if (order === undefined) return named(kind in ALWAYS ? ALWAYS[kind as keyof typeof ALWAYS] : 'own_function'); // a kind of orders has one
  switch (kind) {
    case 'paid_not_fulfilled':
      return whyNotGiven(order, shop);
    case 'fulfilled_twice':
      return named(whyTwiceInAll(order, found, byId));
    case 'fulfilled_not_paid':
      return named(whyForNothing(order));
    case 'fulfilled_for_less':
      return named(whyForLess(found, byId));
    case 'credited_differs':
      return named(whyOtherCredit(order));
    case 'amount_differs':
      return named(isHundredfold(order) ? 'cents' : 'own_price');
    case 'checkout_stuck':
      return named(order.record.stuck?.startsWith('The customer') === true ? 'given_up' : 'wrong_link');
    default:
      return named(ALWAYS[kind]);
  }
}

function whyNotGiven({ rows, attempts, record, paid, invoices, paidFiat, ordered }: Case, shop: StormShop): Named {
  const has = (state: string): boolean => rows.some((row) => row.state === state);
  if (has('fulfilled')) return named('no_row');
  const isLater = paid[0] !== invoices[0];
  const ofPaid = attempts.filter(({ event }) => event === 'invoice.paid');
  if (ofPaid.some(({ success }) => success)) {
    const lastCanceled = attempts.filter(({ event, success }) => event === 'invoice.canceled' && success).at(-1);
    const lastPaid = ofPaid.filter(({ success }) => success).at(-1);
    const isTurned =
      lastCanceled !== undefined && lastPaid !== undefined && lastCanceled.created_at > lastPaid.created_at;
    if (has('paid')) return named('paid_for_ever');
    if (record.plan.kill !== null && shop.restart !== undefined) return named('acknowledged_early');
    if (has('canceled') && isTurned) return named('turned_back');
    if (isLater) return named('renewed_unknown');
    if (has('canceled')) return named('canceled_stays');
    if (record.plan.kind === 'pay_late') return named('late_dropped');
    if (!paidFiat.eq(ordered)) return named('adjusted_dropped');
    return named('accepted_not_given');
  }
  const refusal = ofPaid.filter(({ fault, status_code }) => fault === null && status_code !== null).at(-1);
  if (refusal !== undefined) {
    const why = refusal.cause === null ? (refusal.error ?? '') : sentenceOf(refusal.cause);
    return named('refused', `It ${refusal.error}. ${why}`.trim());
  }
  if (ofPaid.some(({ fault }) => fault === 'ack_lost') && has('paid')) return named('paid_for_ever');
  if (shop.catchUp === undefined) return named('no_catch_up');
  if (has('paid')) return named('paid_for_ever');
  if (isLater) return named('catch_up_first');
  return named(has('canceled') ? 'catch_up_canceled' : 'catch_up_missing');
}

/** A restart is the cause where no order was given twice in the same way without one. */
function whyTwiceInAll(order: Case, found: readonly Found[], byId: ReadonlyMap<string, Case>): CauseId {
  const why = whyTwice(order);
  if (!RECORDS.has(why) || !isAcrossKill(order.acts)) return why;
  const all = found.flatMap(({ kind, order: id }) => (kind === 'fulfilled_twice' ? (byId.get(id ?? '') ?? []) : []));
  return all.some((each) => whyTwice(each) === why && !isAcrossKill(each.acts)) ? why : 'forgets';
}

/** Mistakes that a lost record shows as. */
const RECORDS: ReadonlySet<CauseId> = new Set(['catch_up_doubles', 'race', 'no_dedupe']);

function whyTwice({ acts, given, record }: Case): CauseId {
  const kinds = new Set(given.map(({ kind }) => kind ?? 'goods'));
  if (kinds.has('goods') && kinds.has('credit')) return 'goods_and_credit';
  const gifts = acts.flatMap(({ given: by, moment }, at) =>
    by === undefined ? [] : [{ by, at, time: moment.at?.getTime() }],
  );
  const [first, second] = gifts;
  if (first === undefined || second === undefined) return 'no_dedupe';
  if (gifts.some(({ by }) => by === 'visit')) return 'visit_gives';
  if (gifts.some(({ by }) => by === 'checkout')) return 'checkout_gives';
  if (gifts.some(({ by }) => by === 'forgery')) return 'forged_gives';
  if (second.by === 'catch_up' || first.by === 'catch_up') return 'catch_up_doubles';
  const isAtOnce = record.plan.webhook === 'at_once' && first.time === second.time;
  return isAtOnce ? 'race' : 'no_dedupe';
}

function whyForNothing({ acts, record }: Case): CauseId {
  const by = acts.find(({ given }) => given !== undefined)?.given;
  if (by === 'checkout') return 'checkout_gives';
  if (by === 'visit') return 'visit_gives';
  if (by === 'forgery' || record.acceptedForgery !== null) return 'forged_gives';
  if (by === 'webhook') return 'unpaid_event_gives';
  return record.hasVisitedUnpaid ? 'visit_gives' : 'unpaid_event_gives';
}

/** One mistake gives for each smaller amount, so the largest difference of all orders names it. */
function whyForLess(found: readonly Found[], byId: ReadonlyMap<string, Case>): CauseId {
  const all = found.flatMap(({ kind, order }) => (kind === 'fulfilled_for_less' ? (byId.get(order ?? '') ?? []) : []));
  const shares = new Set(all.map(({ record }) => record.plan.share));
  if (shares.has('less')) return 'adjusted_as_paid';
  return shares.has('little_less') ? 'tolerance' : 'cent';
}

function whyOtherCredit({ rows, given, credited, paidFiat, ordered }: Case): CauseId {
  const booked = creditOf(rows) ?? creditOf(given) ?? new Decimal(0);
  if (booked.eq(paidFiat) || booked.eq(ordered)) return 'amount_for_credit';
  const times = credited.gt(0) ? booked.div(credited) : new Decimal(0);
  return times.gte(2) && times.minus(times.round()).abs().lt('0.001') ? 'booked_again' : 'other_credit';
}

function isHundredfold({ invoices, record }: Case): boolean {
  const ordered = new Decimal(record.plan.order.amount);
  return invoices.some(({ amount }) => ordered.times(100).eq(amount) || ordered.div(100).toDecimalPlaces(2).eq(amount));
}

// What the orders of a group share.

/** What may be said of an order, behind "All 11". */
const TRAITS: readonly (readonly [words: string, has: (order: Case) => boolean])[] = [
  ['were paid late', ({ record: { plan } }) => plan.kind === 'pay_late'],
  ['were paid by a second invoice, after the first had expired', ({ record: { plan } }) => plan.kind === 'renew'],
  ['were paid with a cent less', ({ record: { plan } }) => plan.share === 'cent_less'],
  ['were paid with less', ({ record: { plan } }) => plan.kind === 'pay_less'],
  ['were paid with more', ({ record: { plan } }) => plan.kind === 'pay_more'],
  ['were paid with another amount', ({ record: { plan } }) => plan.share !== 'whole'],
  ['were canceled', ({ record: { plan } }) => plan.kind === 'cancel'],
  ['expired', ({ record: { plan } }) => plan.kind === 'expire'],
  ['failed', ({ record: { plan } }) => plan.kind === 'fail'],
  ['ended unpaid', ({ paid }) => paid.length === 0],
  ['were clicked twice', ({ record: { plan } }) => plan.kind === 'click_twice'],
  ['were opened in two tabs', ({ record: { plan } }) => plan.kind === 'two_tabs'],
  ['were opened again later', ({ record: { plan } }) => plan.kind === 'come_back'],
  ['are second orders of a customer', ({ record: { plan } }) => plan.kind === 'second_order'],
  [
    'were pressed more than once',
    ({ record: { plan } }) => ['click_twice', 'two_tabs', 'come_back', 'renew'].includes(plan.kind),
  ],
  [
    'lost the response of the service at the checkout',
    ({ record: { plan } }) => ['response_lost', 'truncated', 'server_error_after'].includes(plan.network),
  ],
  ['met a failure of the service at the checkout', ({ record: { plan } }) => plan.network !== 'calm'],
  ['had a webhook that came twice at the same moment', ({ record: { plan } }) => plan.webhook === 'at_once'],
  ['had a webhook that came twice', ({ record: { plan } }) => plan.webhook === 'duplicate'],
  ['had a webhook whose response was lost', ({ record: { plan } }) => plan.webhook === 'ack_lost'],
  [
    'had a webhook that came more than once',
    ({ record: { plan } }) => ['at_once', 'duplicate', 'ack_lost'].includes(plan.webhook),
  ],
  ['had events out of order', ({ record: { plan } }) => plan.webhook === 'out_of_order'],
  ['had a webhook that never came', ({ record: { plan } }) => plan.webhook === 'lost' || plan.webhook === 'outage'],
  ['met a forged webhook', ({ record: { plan } }) => plan.webhook === 'forged'],
  ['were told to a shop that was killed meanwhile', ({ record: { plan } }) => plan.kill !== null],
  ['were given once before and once after a restart', ({ acts }) => isAcrossKill(acts)],
];

/** Whether the shop was killed after something was given, or in that moment, and gave again. */
function isAcrossKill(acts: Case['acts']): boolean {
  const gifts = acts.flatMap(({ given, moment }, at) =>
    given === undefined ? [] : [{ at, time: moment.at?.getTime() ?? 0 }],
  );
  const [first, last] = [gifts[0], gifts.at(-1)];
  if (first === undefined || last === undefined || first === last) return false;
  return acts.some(
    ({ isKill, moment }, at) => isKill === true && at < last.at && (moment.at?.getTime() ?? 0) >= first.time,
  );
}

/** The trait that all orders of a group have, and the fewest others. It must be one that most others lack. */
function sharedOf(group: readonly Found[], byId: ReadonlyMap<string, Case>, found: readonly Found[]): string | null {
  const inGroup = new Set(group.map(({ order }) => order));
  const own = [...inGroup].flatMap((id) => byId.get(id ?? '') ?? []);
  if (own.length < 2) return null;
  const wrong = new Set(found.map(({ order }) => order));
  const right = [...byId].flatMap(([id, each]) => (wrong.has(id) ? [] : [each]));
  let best: { readonly words: string; readonly others: number } | null = null;
  for (const [words, has] of TRAITS) {
    if (!own.every(has)) continue;
    const others = right.filter(has).length;
    if (others * 2 < right.length + 1 && (best === null || others < best.others)) best = { words, others };
  }
  if (best === null) return null;
  const count = own.length === 2 ? 'Both' : `All ${own.length}`;
  return `${count} ${best.words}, and of the ${right.length} right orders ${best.others === 0 ? 'none' : best.others}.`;
}

// A receiver that accepts nothing.

/**
 * Why the endpoint accepts nothing. What a receiver of this package says, and what its response shows, is known. Another one is
 * asked once for each usual mistake: a delivery that only a receiver with this mistake accepts.
 */
async function receiverCause(shop: StormShop, sandbox: Sandbox): Promise<Named> {
  const delivery = sandbox
    .deliveries()
    .reverse()
    .find(({ attempt_log }) => attempt_log.some(isOwnRefusal));
  const seen = delivery?.attempt_log.find(isOwnRefusal)?.cause ?? null;
  if (delivery === undefined) return named('no_address');
  if (seen !== null && !isUnexplained(seen) && seen.id !== 'timestamp_too_old' && seen.id !== 'receiver_failed')
    return ofDiagnosis(seen);
  if (seen?.id === 'timestamp_too_old' && typeof shop.receive === 'function') return named('now_forgotten');
  for (const probe of PROBES) {
    if (await accepts(shop, sandbox, delivery.body, delivery.url, probe)) return named(probe.mistake);
  }
  if (seen?.id === 'receiver_failed') return ofDiagnosis(seen);
  return named('other_secret');
}

function isOwnRefusal({ success, fault }: { readonly success: boolean; readonly fault: string | null }): boolean {
  return !success && fault === null;
}

function ofDiagnosis({ text, remedy }: Diagnosis): Named {
  return { mistake: 'refused', text, remedy: remedy ?? CAUSES.refused.remedy };
}

interface Probe {
  readonly mistake: CauseId;
  /** The time that it is stamped with. */
  readonly clock: 'service' | 'machine';
  readonly signature: (
    secrets: { readonly key: string; readonly secret: string },
    timestamp: string,
    body: string,
  ) => Promise<string>;
}

async function hmac(secret: string, timestamp: string, body: string): Promise<string> {
  return await engine().hmac(secret, signedHead(timestamp), utf8(body));
}

const PROBES: readonly Probe[] = [
  {
    mistake: 'now_forgotten',
    clock: 'machine',
    signature: ({ secret }, timestamp, body) => hmac(secret, timestamp, body),
  },
  { mistake: 'api_key', clock: 'service', signature: ({ key }, timestamp, body) => hmac(key, timestamp, body) },
  {
    mistake: 'body_again',
    clock: 'service',
    signature: ({ secret }, timestamp, body) => hmac(secret, timestamp, JSON.stringify(JSON.parse(body))),
  },
  {
    mistake: 'encoding',
    clock: 'service',
    signature: async ({ secret }, timestamp, body) => hexToBase64(await hmac(secret, timestamp, body)),
  },
];

/** Milliseconds of real time for the response to a probe. */
const PROBE_LIMIT = 2_000;

async function accepts(
  { receive }: StormShop,
  sandbox: Sandbox,
  body: string,
  url: string,
  probe: Probe,
): Promise<boolean> {
  const { apiKey: key, webhookSecret: secret, dialect } = sandbox;
  const isFunction = typeof receive === 'function';
  if (!isFunction && probe.clock === 'machine') return false; // each delivery to an address is stamped so
  const at = isFunction && probe.clock === 'service' ? sandbox.now().getTime() : Date.now();
  const { headers } = await signedRequest(
    { dialect, webhookSecret: secret },
    { id: crypto.randomUUID(), body },
    url,
    at,
  );
  const timestamp = headers['X-Webhook-Timestamp'] ?? '';
  const signature = await probe.signature({ key, secret }, timestamp, body);
  const init: RequestInit = {
    method: 'POST',
    headers: { ...headers, 'X-Webhook-Signature': signature },
    body,
    redirect: 'manual',
  };
  try {
    const sent = Promise.resolve(isFunction ? receive(new Request(url, init)) : fetch(url, init));
    const response = await Promise.race([sent, pause(PROBE_LIMIT)]);
    return response?.ok === true;
  } catch {
    return false;
  }
}
