import { Decimal } from '../../contract/values/decimal.ts';
import { type Diagnosis, isUnexplained, sentenceOf } from '../sandbox/delivery/diagnose.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Day } from './day.ts';
import { GIVEN_BY } from './given.ts';
import type { Judgement } from './judge.ts';
import type { StormShop } from './options.ts';
import { hasMachineClock } from './probes.ts';
import { type Case, creditOf, gapOf, isInState, type ToldAttempt } from './rules.ts';
import type { Gift, GivenBy, Seen } from './story.ts';
import { CAUSES, type Found, groupOf, KINDS, type StormMistake } from './words.ts';

// Why it is wrong. The order shows most of it: who gave it when, which webhooks it heard of, and what its state is. A
// receiver that refuses everything and says nothing is asked once for each usual mistake.

/** A mistake with its words. */
interface Named {
  readonly mistake: StormMistake;
  readonly cause: string;
  readonly remedy: string;
}

/** A finding with its cause. Findings with the same kind and the same mistake are one group. */
export interface Explained extends Found, Named {
  readonly mistake: StormMistake;
  /** What the orders of the group share, and the others lack. Null where nothing stands out. */
  readonly shared: string | null;
}

/** Names the cause of each finding, and what its group shares. */
export async function explain({ found, cases }: Judgement, day: Day, sandbox: Sandbox): Promise<Explained[]> {
  const shop = day.shop.members;
  const byOrder = new Map<string | null, Case>(cases.map((each) => [each.record.plan.order.id, each]));
  const ofKind = Map.groupBy(found, ({ kind }) => kind);
  const receiver = ofKind.has('nothing_delivered') ? await receiverCause(shop, sandbox) : null;
  // A checkout that fails without a fault before it does not give an order up: it fails.
  const alwaysFails = cases.some(({ record: { met, plan } }) => plan.network === 'calm' && met.has('checkout_failed'));
  const gaveAlone = new Set(
    cases.flatMap(({ seen }) => giftsOf(seen).flatMap(({ by }) => (by.length === 1 ? by : []))),
  );
  const { jobReads } = day.acts;
  const brokenJob = ofKind.get('catch_up_failed')?.[0];
  const explained = found.map((each) => {
    const order = byOrder.get(each.order);
    const mistake =
      alwaysFails && each.mistake === 'given_up' ? 'error_shown' : (each.mistake ?? KINDS[each.kind].mistake);
    const alike = (ofKind.get(each.kind) ?? []).flatMap(({ order: id }) => byOrder.get(id) ?? []);
    if (mistake !== undefined) return { ...each, ...named(mistake) };
    if (order === undefined) return { ...each, ...(receiver ?? named('own_function')) }; // other kinds have an order or a mistake
    return {
      ...each,
      ...causeOf(each, order, { alike, shop, brokenJob, gaveAlone, jobReads }),
    };
  });
  const wrong = new Set(found.map(({ order }) => order));
  const right = cases.filter(({ record }) => !wrong.has(record.plan.order.id));
  const shared = new Map(
    [...Map.groupBy(explained, groupOf)].map(([group, all]) => {
      const own = new Set(all.flatMap(({ order }) => byOrder.get(order) ?? []));
      return [group, sharedOf([...own], right)] as const;
    }),
  );
  return explained.map((each) => ({ ...each, shared: shared.get(groupOf(each)) ?? null }));
}

function named(mistake: StormMistake, more = ''): Named {
  const [text, remedy] = CAUSES[mistake];
  return { mistake, cause: more === '' ? text : `${text} ${more}`, remedy };
}

/** What is known beside the order itself. */
interface Around {
  /** All orders with a finding of this kind: one mistake may show in each in another way. */
  readonly alike: readonly Case[];
  readonly shop: StormShop;
  readonly brokenJob: Found | undefined;
  /** What gave something where it was alone: the control group of the moments. */
  readonly gaveAlone: ReadonlySet<GivenBy>;
  /** What the job read of the service. */
  readonly jobReads: { readonly lists: number; readonly single: number };
}

function causeOf({ kind }: Found, order: Case, around: Around): Named {
  const { alike } = around;
  if (kind === 'paid_not_fulfilled') return whyNotGiven(order, around);
  if (kind === 'payment_kept') return whyKept(order, alike);
  if (kind === 'parcel_missing') return named(killOf(order) === null ? 'own_parcels' : 'not_atomic');
  if (kind === 'state_differs') return named(whyState(order, alike));
  if (kind === 'fulfilled_twice') return whyTwiceInAll(order, around);
  if (kind === 'fulfilled_not_paid') return named(whyForNothing(order));
  if (kind === 'fulfilled_for_less') return named(whyForLess(order, around));
  if (kind === 'credited_differs')
    return named(
      order.paid.length > 1 && isOfMoment(order, alike, 'payment') ? 'lost_together' : whyOtherCredit(order),
    );
  const ordered = new Decimal(order.record.plan.order.amount);
  const isHundredfold = (amount: string): boolean =>
    ordered.times(100).eq(amount) || ordered.div(100).toDecimalPlaces(2).eq(amount);
  return named(order.invoices.some(({ amount }) => isHundredfold(amount)) ? 'cents' : 'own_price');
}

function whyState(order: Case, alike: readonly Case[]): StormMistake {
  if (isOfMoment(order, alike, 'end')) return 'canceled_together';
  if (isOfMoment(order, alike, 'press') || !isInState(order.rows, 'canceled')) return 'press_overwrites';
  return wasTurnedBack(order) ? 'turned_back' : 'canceled_stays';
}

// Paid, and nothing given.

function whyNotGiven(order: Case, { alike, shop, brokenJob, jobReads }: Around): Named {
  const refusal = refusalOf(order, order.paid);
  const dropped = whyDropped(order, alike);
  if (isInState(order.rows, 'fulfilled')) return named(dropped === 'lost_together' ? dropped : 'no_row');
  if (dropped === 'lost_together' || dropped === 'not_atomic') return named(dropped);
  if (isInState(order.rows, 'paid') && (dropped !== null || refusal === undefined)) return named('paid_for_ever');
  if (dropped !== null) return named(dropped);
  if (refusal !== undefined) return refused(refusal);
  if (shop.catchUp === undefined) return named('no_catch_up');
  if (brokenJob !== undefined)
    return named(brokenJob.mistake ?? 'own_function', 'No webhook arrived, and catchUp failed.');
  const { isUnread, readByJob } = order.record;
  if (isUnread) return named('error_as_unpaid');
  if (jobReads.lists > 0 && jobReads.single === 0) return named('catch_up_lists');
  // What it drops where a webhook arrives, it drops where the catch-up brings it.
  const accepted = alike.flatMap((each) => whyDropped(each, alike) ?? []);
  const isCanceled = (each: Case): boolean => isInState(each.rows, 'canceled');
  // What it does not find of a first invoice, it does not find of a later one.
  const isOfFirst = alike.some((each) => !isTold(each) && !isLater(each) && isCanceled(each) === isCanceled(order));
  const [drops, missing] =
    isLater(order) && !isOfFirst ? MISSING.later : isCanceled(order) ? MISSING.canceled : MISSING.open;
  const isRead = order.paid.every(({ uuid }) => readByJob.has(uuid));
  return named(accepted.find((each) => drops.includes(each)) ?? (isRead ? 'catch_up_dropped' : missing));
}

/** The last response of the shop to the webhooks of these invoices, where nothing disturbed it. */
function refusalOf({ attempts }: Case, paid: Case['paid']): ToldAttempt | undefined {
  const own = attempts.filter(({ event, uuid }) => event === 'invoice.paid' && paid.some((each) => each.uuid === uuid));
  return own.filter(({ fault, status_code }) => fault === null && status_code !== null).at(-1);
}

function refused({ cause, error }: ToldAttempt): Named {
  return named('refused', `It ${error}. ${cause === null ? (error ?? '') : sentenceOf(cause)}`.trim());
}

/** What the shop may drop, by whatever it comes, and what the job may not ask for. */
const MISSING: Readonly<
  Record<'later' | 'canceled' | 'open', readonly [drops: readonly StormMistake[], missing: StormMistake]>
> = {
  later: [['canceled_stays', 'renewed_unknown'], 'catch_up_first'],
  canceled: [['canceled_stays', 'key_without_type'], 'catch_up_canceled'],
  open: [['accepted_not_given'], 'catch_up_missing'],
};

/** Why the shop did nothing with a payment whose webhook it accepted. Null if it accepted none. */
function whyDropped(order: Case, alike: readonly Case[]): StormMistake | null {
  const { record, showsGiven, paid, invoices } = order;
  if (!isTold(order)) return null;
  if (isOfMoment(order, alike, 'payment')) return 'lost_together';
  if (isOfMoment(order, alike, 'end')) return invoices.length > 1 ? 'renewal_canceled' : 'canceled_together';
  if (isOfMoment(order, alike, 'press')) return 'press_overwrites';
  const kill = killOf(order);
  // Where most were dropped without a kill, it was near by chance.
  const told = alike.filter(isTold);
  const killed = told.filter((each) => killOf(each) !== null);
  if (kill !== null && killed.length * 2 >= told.length) return kill === 'done' ? 'acknowledged_early' : 'not_atomic';
  const wasBooked = !showsGiven || paid.some(({ is_adjusted }) => is_adjusted); // one as ordered would have a row of fulfilments()
  if (isInState(order.rows, 'canceled') && wasBooked && wasTurnedBack(order)) return 'turned_back';
  const isOld = paid.length === 1 && !isLater(order) && invoices.length > 1;
  if (isOld || isLater(order) || isAfterEnd(order)) {
    const first = alike.some((each) => isTold(each) && isAfterEnd(each) && !isLater(each));
    const later = alike.filter((each) => isTold(each) && isLater(each));
    if (first && later.length > 0) return 'canceled_stays';
    if (later.length > 0) return later.every(wasCanceledUnder) ? 'renewal_canceled' : 'renewed_unknown';
    // A late payment of the only invoice is dropped too: then it is not the old tab.
    const isLateToo = alike.some((each) => isTold(each) && isAfterEnd(each) && each.invoices.length === 1);
    return isOld && !isLateToo ? 'old_tab_dropped' : 'key_without_type';
  }
  if (isInState(order.rows, 'canceled')) return 'canceled_stays';
  if (record.plan.kind === 'pay_late') return 'late_dropped';
  // What drops payments as ordered too, is not about their amount.
  const dropsWhole = alike.some((each) => isTold(each) && each.paidFiat.eq(each.ordered) && !isAfterEnd(each));
  return dropsWhole ? 'accepted_not_given' : 'adjusted_dropped';
}

/** Whether something met the webhook of the payment, and did no harm to the orders that were paid alone. */
function isOfMoment(order: Case, alike: readonly Case[], what: Case['record']['paidWith']): boolean {
  if (order.record.paidWith !== what || untoldOf(order).length > 0) return false;
  return !alike.some((each) => isTold(each) && each.record.paidWith !== what);
}

/** The paid invoices of which no webhook has told the shop. */
function untoldOf(order: Case): Case['paid'] {
  const told = new Set(heard(order, 'paid').map(({ uuid }) => uuid));
  return order.paid.filter(({ uuid }) => !told.has(uuid));
}

function isTold({ attempts }: Case): boolean {
  return attempts.some(({ event, success }) => event === 'invoice.paid' && success);
}

/** Whether a later invoice of the order was paid, and not its first one. */
function isLater({ paid, invoices }: Case): boolean {
  return paid[0]?.uuid !== invoices[0]?.uuid;
}

/** What the shop has heard of an event: a delivery that it accepted, or whose response was lost. */
function heard({ attempts }: Case, name: string): ToldAttempt[] {
  return attempts.filter(
    ({ event, success, fault }) => event === `invoice.${name}` && (success || fault === 'ack_lost'),
  );
}

/** Whether the shop heard of the payment after it had heard of an end without payment, from a webhook or its job. */
function isAfterEnd(order: Case): boolean {
  if (isInState(order.rows, 'canceled') && !wasTurnedBack(order)) return true;
  const [canceled, paid] = [heard(order, 'canceled')[0], heard(order, 'paid')[0]];
  return canceled !== undefined && paid !== undefined && canceled.created_at <= paid.created_at;
}

/** Whether the shop heard of the end of an invoice when a later one was there. */
function wasCanceledUnder(order: Case): boolean {
  return heard(order, 'canceled').some(({ uuid, created_at }) => {
    const next = order.invoices[order.invoices.findIndex((each) => each.uuid === uuid) + 1];
    return next !== undefined && created_at > next.created_at;
  });
}

/** Whether the shop heard of an end without payment after it had heard of the payment. */
function wasTurnedBack(order: Case): boolean {
  const [paid, canceled] = [heard(order, 'paid')[0], heard(order, 'canceled').at(-1)];
  return paid !== undefined && canceled !== undefined && canceled.created_at > paid.created_at;
}

/** Whether the shop was killed when it heard of the payment: between two of its writes, or when it was done. */
function killOf({ seen, attempts, record }: Case): 'done' | 'within' | null {
  const told = new Set(
    attempts.flatMap(({ event, created_at }) => (event === 'invoice.paid' ? Date.parse(created_at) : [])),
  );
  const kill = seen.find(
    ({ struck, moment }) => struck?.orders.includes(record.plan.order.id) && told.has(moment.at?.getTime() ?? 0),
  );
  return kill === undefined ? null : kill.struck?.isWithin ? 'within' : 'done';
}

/** Why a part of what was paid is kept. */
function whyKept(order: Case, alike: readonly Case[]): Named {
  const { paid, record } = order;
  if (paid.length < 2) return named('surplus_kept');
  const untold = untoldOf(order);
  if (untold.length === 0) return named(isOfMoment(order, alike, 'payment') ? 'lost_together' : 'second_payment_kept');
  const refusal = refusalOf(order, untold);
  if (refusal !== undefined) return refused(refusal);
  return named(untold.every(({ uuid }) => record.readByJob.has(uuid)) ? 'catch_up_dropped' : 'catch_up_paid');
}

// Given twice, and given for nothing.

/** A row that something gave, and where it stands in the story. */
type GiftAt = Gift & { readonly at: number; readonly time: number };

/** What was given for a payment, in its order. */
function giftsOf(seen: readonly Seen[]): GiftAt[] {
  return seen.flatMap(({ given, moment }, at) =>
    given !== undefined && PAYS_BACK.has(given.kind) ? [{ ...given, at, time: moment.at?.getTime() ?? 0 }] : [],
  );
}

const PAYS_BACK: ReadonlySet<string> = new Set(['goods', 'credit', 'refund']);

/** What gave, without what never gave where it was alone. */
function giversOf({ by }: Gift, gaveAlone: ReadonlySet<GivenBy>): readonly GivenBy[] {
  const alone = by.filter((each) => gaveAlone.has(each));
  return alone.length > 0 ? alone : by;
}

/** What must never give an order. */
const WRONG_GIVERS: readonly (readonly [GivenBy, StormMistake])[] = [
  ['visit', 'visit_gives'],
  ['checkout', 'checkout_gives'],
  ['forgery', 'forged_gives'],
  ['other_webhook', 'wrong_lookup'],
];

/** A restart is the cause where no order was given twice in the same way without one. */
function whyTwiceInAll(order: Case, { alike, gaveAlone }: Around): Named {
  const why = whyTwice(order, gaveAlone);
  const more = togetherText(order);
  const all = new Set(alike.map((each) => whyTwice(each, gaveAlone)));
  // What one delivery shows, several show too.
  const usual = (['own_repeat', 'no_dedupe'] as const).find((each) => all.has(each));
  if (usual !== undefined && (why === 'race' || why === 'no_dedupe') && why !== usual) return named(usual, more);
  if (!RECORDS.has(why) || !isAcrossKill(order.seen)) return named(why, more);
  const same = alike.filter((each) => whyTwice(each, gaveAlone) === why);
  const across = same.filter((each) => isAcrossKill(each.seen));
  if (across.length * 2 < same.length) return named(why, more);
  return named(across.every((each) => killOf(each) === 'within') ? 'not_atomic' : 'forgets');
}

/** Mistakes that also appear when a restart has lost the records. */
const RECORDS: ReadonlySet<StormMistake> = new Set([
  'catch_up_doubles',
  'job_repeats',
  'race',
  'no_dedupe',
  'own_repeat',
]);

/** Names the acts of a moment in which something was given twice. */
function togetherText({ seen }: Case): string {
  const gifts = giftsOf(seen);
  const both = gifts.find(({ moment, by }, at) => by.length > 1 && gifts[at + 1]?.moment === moment);
  return both === undefined ? '' : `At the same moment: ${both.by.map((each) => GIVEN_BY[each]).join(' and ')}.`;
}

function whyTwice({ seen, given, record, attempts }: Case, gaveAlone: ReadonlySet<GivenBy>): StormMistake {
  const kinds = new Set(given.flatMap(({ kind }) => (PAYS_BACK.has(kind ?? 'goods') ? (kind ?? 'goods') : [])));
  if (kinds.size > 1) return 'goods_and_credit';
  const gifts = giftsOf(seen);
  const [first, second] = [gifts[0], gifts.at(-1)];
  if (first === undefined || second === undefined) return 'no_dedupe';
  const by = new Set([first, second].flatMap((gift) => giversOf(gift, gaveAlone)));
  const wrong = WRONG_GIVERS.find(([giver]) => by.has(giver));
  if (wrong !== undefined) return wrong[1];
  if (by.has('worker')) return 'worker_repeats';
  const isSame = first.moment === second.moment;
  if (by.has('catch_up') && by.size > 1) return 'catch_up_doubles';
  // A worker that also gives where nothing else runs may be one of both.
  if (by.has('catch_up') && isSame && gaveAlone.has('worker')) return 'worker_repeats';
  if (by.has('catch_up')) return !isSame ? 'job_repeats' : first.jobs > 1 ? 'job_race' : 'own_repeat';
  const isAtEnd = ({ event, created_at }: ToldAttempt): boolean =>
    event === 'invoice.canceled' && [first.time, second.time].includes(Date.parse(created_at));
  if (attempts.some(isAtEnd)) return 'unpaid_event_gives';
  const until = attempts.filter(
    ({ event, created_at }) => event === 'invoice.paid' && Date.parse(created_at) <= second.time,
  );
  if (until.reduce((sum, { fault }) => sum + requestsOf(fault), 0) < 2) return 'own_repeat';
  return isSame && record.plan.webhook === 'at_once' ? 'race' : 'no_dedupe';
}

/** How many requests of one attempt reach the shop. */
function requestsOf(fault: string | null): number {
  return fault === 'outage' ? 0 : fault === 'duplicate' ? 2 : 1;
}

function whyForNothing({ seen, record }: Case): StormMistake {
  const by = giftsOf(seen)[0]?.by ?? [];
  const wrong = WRONG_GIVERS.find(([giver]) => by.includes(giver));
  if (wrong !== undefined) return wrong[1];
  if (record.met.has('forgery_accepted')) return 'forged_gives';
  if (by.includes('webhook')) return 'unpaid_event_gives';
  if (by.includes('catch_up')) return 'job_gives';
  if (by.includes('worker')) return 'worker_gives';
  return record.hasVisitedUnpaid ? 'visit_gives' : 'unpaid_event_gives';
}

/** A shop that accepts a large difference accepts a small one too, so the largest one names the mistake. */
function whyForLess({ seen }: Case, { alike, gaveAlone }: Around): StormMistake {
  const [first] = giftsOf(seen);
  const by = first === undefined ? [] : giversOf(first, gaveAlone);
  const wrong = WRONG_GIVERS.find(([giver]) => by.includes(giver));
  if (wrong !== undefined) return wrong[1];
  const gaps = alike.map(({ ordered, paidFiat }) => ({ gap: ordered.minus(paidFiat), part: paidFiat.div(ordered) }));
  if (gaps.some(({ gap, part }) => gap.gt('0.02') && part.lt('0.9'))) return 'adjusted_as_paid';
  return gaps.some(({ gap }) => gap.gt('0.02')) ? 'tolerance' : 'cent';
}

function whyOtherCredit(order: Case): StormMistake {
  const { rows, given, credited, paidFiat, ordered } = order;
  const isOfGifts = !gapOf(order).isZero();
  const back = creditOf(given.filter(({ kind }) => kind === 'credit' || kind === 'refund'));
  const booked = (isOfGifts ? back : (creditOf(rows) ?? creditOf(given))) ?? new Decimal(0);
  if ([paidFiat, ordered, paidFiat.minus(ordered)].some((amount) => booked.eq(amount))) return 'amount_for_credit';
  if (isOfGifts && given.some(({ kind }) => kind === 'refund')) return 'other_refund';
  const times = credited.gt(0) ? booked.div(credited) : new Decimal(0);
  return times.gte(2) && times.minus(times.round()).abs().lt('0.001') ? 'booked_again' : 'other_credit';
}

// What the orders of a group share.

/** What may be said of an order, behind "All 11": a member of its plan with one of these values, or a rule. */
const TRAITS: readonly (readonly [
  words: string,
  of: 'kind' | 'share' | 'network' | 'webhook' | ((order: Case) => boolean),
  ...values: string[],
])[] = [
  ['were paid late', 'kind', 'pay_late'],
  ['were paid by a second invoice, after the first had expired', 'kind', 'renew'],
  ['were paid with a cent less', 'share', 'cent_less'],
  ['were paid with less', 'kind', 'pay_less', 'pay_rest'],
  ['were paid with more', 'kind', 'pay_more'],
  ['were paid with another amount', 'kind', 'pay_less', 'pay_more', 'pay_rest'],
  ['ended unpaid', ({ paid }) => paid.length === 0],
  ['had a double click on the pay button', 'kind', 'click_twice'],
  ['were opened in two tabs', 'kind', 'two_tabs'],
  ['were opened again later', 'kind', 'come_back'],
  ['are second orders of a customer', 'kind', 'second_order'],
  ['were paid by a customer who pressed more than once', 'kind', 'click_twice', 'two_tabs', 'come_back', 'renew'],
  ['lost a response of the service at the checkout', 'network', 'response_lost', 'truncated', 'server_error_after'],
  ['met a failure of the service at the checkout', ({ record: { plan } }) => plan.network !== 'calm'],
  ['had a webhook that came twice at the same moment', 'webhook', 'at_once'],
  ['had a webhook that came twice', 'webhook', 'duplicate'],
  ['had a webhook whose response was lost', 'webhook', 'ack_lost'],
  ['had a webhook that came more than once', 'webhook', 'at_once', 'duplicate', 'ack_lost'],
  ['had events out of order', 'webhook', 'out_of_order'],
  ['had a webhook that never came', 'webhook', 'lost', 'outage'],
  ['met a forged webhook', 'webhook', 'forged'],
  ['were paid by two invoices', ({ paid }) => paid.length > 1],
  ['were paid by an invoice in an old tab', 'kind', 'pay_both', 'old_tab'],
  ['were paid at the same moment as another order of the customer', ({ record }) => record.paidWith === 'payment'],
  ['were paid while the customer returned', ({ record: { plan } }) => plan.paysWith === 'return'],
  ['were paid while the webhook of the end of their first invoice came', ({ record }) => record.paidWith === 'end'],
  ['were paid while the customer pressed again', ({ record }) => record.paidWith === 'press'],
  ['were paid while the job ran', ({ record: { plan } }) => plan.paysWith === 'job'],
  ['were paid while the shop was killed', (order) => killOf(order) !== null],
  ['were given once before and once after a restart', ({ seen }) => isAcrossKill(seen)],
];

/** Whether the shop was killed after something was given, or in that moment, and gave again. */
function isAcrossKill(seen: Case['seen']): boolean {
  const gifts = giftsOf(seen);
  const [first, last] = [gifts[0], gifts.at(-1)];
  if (first === undefined || last === undefined || first === last) return false;
  return seen.some(
    ({ struck, moment }, at) => struck !== undefined && at < last.at && (moment.at?.getTime() ?? 0) >= first.time,
  );
}

/** The trait that all orders of a group have, and the fewest right ones. It must be one that most right ones lack. */
function sharedOf(own: readonly Case[], right: readonly Case[]): string | null {
  if (own.length < 2) return null;
  const counted = TRAITS.flatMap(([words, of, ...values]) => {
    const has = (order: Case): boolean =>
      typeof of === 'function' ? of(order) : values.includes(order.record.plan[of]);
    return own.every(has) ? [{ words, others: right.filter(has).length }] : [];
  });
  const [best] = counted.sort((a, b) => a.others - b.others);
  if (best === undefined || best.others * 2 > right.length) return null;
  const count = own.length === 2 ? 'Both' : `All ${own.length}`;
  return `${count} ${best.words}. Of the ${right.length} right orders it is true of ${best.others === 0 ? 'none' : best.others}.`;
}

// A receiver that accepts nothing.

/**
 * Why the endpoint accepts nothing: what a receiver of this package says, what its response shows, or what it accepts.
 */
async function receiverCause(shop: StormShop, sandbox: Sandbox): Promise<Named> {
  const refused = sandbox
    .deliveries()
    .reverse()
    .flatMap((delivery) => delivery.attempt_log.map((attempt) => ({ delivery, ...attempt })))
    .find(({ success, fault }) => !success && fault === null);
  if (refused === undefined) return named('no_address');
  const { delivery, cause } = refused;
  const isOld = cause?.id === 'timestamp_too_old';
  const isFailed = cause?.id === 'receiver_failed'; // a signature that it cannot read may be why
  if (cause?.id === 'connection_failed' && typeof shop.receive === 'function') return named('own_function');
  if (cause !== null && !isUnexplained(cause) && !isOld && !isFailed) return ofDiagnosis(cause);
  if (isOld && typeof shop.receive === 'function') return named('now_forgotten');
  if (await hasMachineClock(shop, sandbox, delivery)) return named('now_forgotten');
  return isFailed ? ofDiagnosis(cause) : named('signature_refused');
}

function ofDiagnosis({ text, remedy }: Diagnosis): Named {
  return { mistake: 'refused', cause: text, remedy: remedy ?? CAUSES.refused[1] };
}
