import { Decimal } from '../../contract/values/decimal.ts';
import { type Diagnosis, isUnexplained, sentenceOf } from '../sandbox/delivery/diagnose.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Judgement } from './judge.ts';
import type { StormShop } from './options.ts';
import { hasMachineClock } from './probes.ts';
import { type Case, creditOf, isInState } from './rules.ts';
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
export async function explain({ found, cases }: Judgement, shop: StormShop, sandbox: Sandbox): Promise<Explained[]> {
  const byOrder = new Map<string | null, Case>(cases.map((each) => [each.record.plan.order.id, each]));
  const ofKind = Map.groupBy(found, ({ kind }) => kind);
  const receiver = ofKind.has('nothing_delivered') ? await receiverCause(shop, sandbox) : null;
  // A checkout that fails without a fault before it does not give an order up: it fails.
  const alwaysFails = cases.some(({ record: { met, plan } }) => plan.network === 'calm' && met.has('checkout_failed'));
  const explained = found.map((each) => {
    const order = byOrder.get(each.order);
    const mistake =
      alwaysFails && each.mistake === 'given_up' ? 'error_shown' : (each.mistake ?? KINDS[each.kind].mistake);
    const alike = (ofKind.get(each.kind) ?? []).flatMap(({ order: id }) => byOrder.get(id) ?? []);
    if (mistake !== undefined) return { ...each, ...named(mistake) };
    if (order === undefined) return { ...each, ...(receiver ?? named('own_function')) }; // other kinds have an order or a mistake
    return { ...each, ...causeOf(each, order, alike, shop, ofKind.has('catch_up_failed')) };
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

/** @param alike All orders with a finding of this kind: one mistake may show in each in another way. */
function causeOf({ kind }: Found, order: Case, alike: readonly Case[], shop: StormShop, isJobBroken: boolean): Named {
  if (kind === 'paid_not_fulfilled') return whyNotGiven(order, alike, shop, isJobBroken);
  if (kind === 'state_differs') return named(wasTurnedBack(order) ? 'turned_back' : 'canceled_stays');
  if (kind === 'fulfilled_twice') return named(whyTwiceInAll(order, alike));
  if (kind === 'fulfilled_not_paid') return named(whyForNothing(order));
  if (kind === 'fulfilled_for_less') return named(whyForLess(alike));
  if (kind === 'credited_differs') return named(whyOtherCredit(order));
  const ordered = new Decimal(order.record.plan.order.amount);
  const isHundredfold = (amount: string): boolean =>
    ordered.times(100).eq(amount) || ordered.div(100).toDecimalPlaces(2).eq(amount);
  return named(order.invoices.some(({ amount }) => isHundredfold(amount)) ? 'cents' : 'own_price');
}

function whyNotGiven(order: Case, alike: readonly Case[], shop: StormShop, isJobBroken: boolean): Named {
  const ofPaid = order.attempts.filter(({ event }) => event === 'invoice.paid');
  const refusal = ofPaid.filter(({ fault, status_code }) => fault === null && status_code !== null).at(-1);
  const dropped = whyDropped(order, shop);
  if (isInState(order.rows, 'fulfilled')) return named('no_row');
  if (isInState(order.rows, 'paid') && (dropped !== null || refusal === undefined)) return named('paid_for_ever');
  if (dropped !== null) return named(dropped);
  if (refusal !== undefined) {
    const why = refusal.cause === null ? (refusal.error ?? '') : sentenceOf(refusal.cause);
    return named('refused', `It ${refusal.error}. ${why}`.trim());
  }
  if (shop.catchUp === undefined) return named('no_catch_up');
  if (isJobBroken) return named('own_function', 'No webhook arrived, and catchUp failed.');
  // What it drops where a webhook arrives, it drops where the catch-up brings it.
  const [usual, drops]: readonly [StormMistake, StormMistake] = isLater(order)
    ? ['catch_up_first', 'renewed_unknown']
    : isInState(order.rows, 'canceled')
      ? ['catch_up_canceled', 'canceled_stays']
      : ['catch_up_missing', 'accepted_not_given'];
  return named(alike.some((each) => whyDropped(each, shop) === drops) ? drops : usual);
}

/** Why the shop did nothing with a payment whose webhook it accepted. Null if it accepted none. */
function whyDropped(order: Case, shop: StormShop): StormMistake | null {
  const { attempts, record, paidFiat, ordered, showsGiven } = order;
  if (!attempts.some(({ event, success }) => event === 'invoice.paid' && success)) return null;
  if (record.plan.kill !== null && shop.restart !== undefined) return 'acknowledged_early';
  const wasBooked = !showsGiven || !paidFiat.eq(ordered); // a payment as ordered would be in a row of fulfilments()
  if (isInState(order.rows, 'canceled') && wasBooked && wasTurnedBack(order)) return 'turned_back';
  if (isLater(order)) return 'renewed_unknown';
  if (isInState(order.rows, 'canceled')) return 'canceled_stays';
  if (record.plan.kind === 'pay_late') return 'late_dropped';
  return paidFiat.eq(ordered) ? 'accepted_not_given' : 'adjusted_dropped';
}

/** Whether a later invoice of the order was paid, and not its first one. */
function isLater({ paid, invoices }: Case): boolean {
  return paid[0] !== invoices[0];
}

/** Whether the shop heard of an end without payment after it had heard of the payment, and not before. */
function wasTurnedBack({ attempts }: Case): boolean {
  const heard = attempts.filter(({ success, fault }) => success || fault === 'ack_lost');
  const [paid, canceled] = ['paid', 'canceled'].map((name) => heard.find(({ event }) => event === `invoice.${name}`));
  return paid !== undefined && canceled !== undefined && canceled.created_at > paid.created_at;
}

/** A restart is the cause where no order was given twice in the same way without one. */
function whyTwiceInAll(order: Case, alike: readonly Case[]): StormMistake {
  const why = whyTwice(order);
  if (!RECORDS.has(why) || !isAcrossKill(order.acts)) return why;
  return alike.some((each) => whyTwice(each) === why && !isAcrossKill(each.acts)) ? why : 'forgets';
}

/** Mistakes that also appear when a restart has lost the records. */
const RECORDS: ReadonlySet<StormMistake> = new Set(['catch_up_doubles', 'race', 'no_dedupe']);

function whyTwice({ acts, given, record }: Case): StormMistake {
  const kinds = new Set(given.flatMap(({ kind }) => (kind === 'review' ? [] : (kind ?? 'goods'))));
  if (kinds.size > 1) return 'goods_and_credit';
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

function whyForNothing({ acts, record }: Case): StormMistake {
  const by = acts.find(({ given }) => given !== undefined)?.given;
  if (by === 'checkout') return 'checkout_gives';
  if (by === 'visit') return 'visit_gives';
  if (by === 'forgery' || record.met.has('forgery_accepted')) return 'forged_gives';
  if (by === 'webhook') return 'unpaid_event_gives';
  return record.hasVisitedUnpaid ? 'visit_gives' : 'unpaid_event_gives';
}

/** A shop that accepts a large difference accepts a small one too, so the largest one names the mistake. */
function whyForLess(alike: readonly Case[]): StormMistake {
  const shares = new Set(alike.map(({ record }) => record.plan.share));
  return shares.has('less') ? 'adjusted_as_paid' : shares.has('little_less') ? 'tolerance' : 'cent';
}

function whyOtherCredit({ rows, given, credited, paidFiat, ordered }: Case): StormMistake {
  const booked = creditOf(rows) ?? creditOf(given) ?? new Decimal(0);
  if (booked.eq(paidFiat) || booked.eq(ordered)) return 'amount_for_credit';
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
  ['were paid with less', 'kind', 'pay_less'],
  ['were paid with more', 'kind', 'pay_more'],
  ['were paid with another amount', 'kind', 'pay_less', 'pay_more'],
  ['ended unpaid', ({ paid }) => paid.length === 0],
  ['were clicked twice', 'kind', 'click_twice'],
  ['were opened in two tabs', 'kind', 'two_tabs'],
  ['were opened again later', 'kind', 'come_back'],
  ['are second orders of a customer', 'kind', 'second_order'],
  ['were pressed more than once', 'kind', 'click_twice', 'two_tabs', 'come_back', 'renew'],
  ['lost the response of the service at the checkout', 'network', 'response_lost', 'truncated', 'server_error_after'],
  ['met a failure of the service at the checkout', ({ record: { plan } }) => plan.network !== 'calm'],
  ['had a webhook that came twice at the same moment', 'webhook', 'at_once'],
  ['had a webhook that came twice', 'webhook', 'duplicate'],
  ['had a webhook whose response was lost', 'webhook', 'ack_lost'],
  ['had a webhook that came more than once', 'webhook', 'at_once', 'duplicate', 'ack_lost'],
  ['had events out of order', 'webhook', 'out_of_order'],
  ['had a webhook that never came', 'webhook', 'lost', 'outage'],
  ['met a forged webhook', 'webhook', 'forged'],
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
  return `${count} ${best.words}, and of the ${right.length} right orders ${best.others === 0 ? 'none' : best.others}.`;
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
  return isFailed ? ofDiagnosis(cause) : named('other_secret');
}

function ofDiagnosis({ text, remedy }: Diagnosis): Named {
  return { mistake: 'refused', cause: text, remedy: remedy ?? CAUSES.refused[1] };
}
