import type { EndpointName } from '../../contract/endpoints.ts';
import { Decimal } from '../../contract/values/decimal.ts';
import { isSameIdent } from '../../contract/values/scalars.ts';
import { kindOf } from '../../errors/checks.ts';
import { FORGERIES } from '../sandbox/delivery/forgeries.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Fault, RequestFault } from '../sandbox/state/faults.ts';
import type { RequestEntry, SandboxEvent } from '../sandbox/state/log.ts';
import type { SandboxInvoice } from '../sandbox/types.ts';
import type { CustomerRecord, Records } from './customer-record.ts';
import { OUTAGE_LASTS, type PlannedCustomer } from './customers.ts';
import type { Act, Moment } from './moments.ts';
import { fail, refuseStrangeHost, type StormNetwork, type StormWebhook } from './options.ts';
import { type Failed, failedBy, type PlayedShop } from './played-shop.ts';
import { isAccepted, send } from './probes.ts';
import { PLACES } from './story.ts';

// The beginning of the acts of a moment: what a customer does at the shop, what the service does, and how two of them
// begin together.

const NETWORK: { readonly [Kind in Exclude<StormNetwork, 'calm'>]: Fault } = {
  response_lost: { type: 'reset_after' },
  request_lost: { type: 'reset_before' },
  server_error: { type: 'server_error' },
  server_error_after: { type: 'server_error', afterWork: true },
  rate_limit: { type: 'rate_limit', retryAfter: 0 },
  slow: { type: 'slow', delay: 1 },
  truncated: { type: 'truncated' },
};
const LOST: Fault = { type: 'outage', for: '3d' };
const WEBHOOK: { readonly [Kind in Exclude<StormWebhook, 'delivered' | 'forged' | 'out_of_order'>]: Fault } = {
  duplicate: { type: 'duplicate' },
  at_once: { type: 'duplicate', atOnce: true },
  ack_lost: { type: 'ack_lost' },
  late_timestamp: { type: 'late_timestamp' },
  wrong_signature: { type: 'wrong_signature' },
  outage: { type: 'outage', for: '2h' },
  lost: LOST,
};
/** What a read of a failing service gets, in turn. None waits for a time limit: that would take real time. */
const READ_FAULTS: readonly RequestFault[] = [{ type: 'server_error' }, { type: 'html' }, { type: 'reset_before' }];
/** Reads that fail in one act: four calls of a client that tries three times, and all of an order that nobody told of. */
const FAILED_READS_MAX = 12;
const ALL_FORGERIES = Object.values(FORGERIES);
/** What is left of a payment after a dispute. */
const CORRECTED_TO = '0.6';

const NOTHING_TO_PAY = 'The shop says that nothing is left to pay, although nothing was paid.';
const NO_INVOICE =
  'The link that the customer got leads to no invoice of the storm. Resolve to the payment_url of the invoice. Give service.baseUrl, service.apiKey and service.fetch to the client of the shop.';
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** The acts in the names of the meter. */
const NAMES = {
  press: 'press',
  pay: 'payment',
  return: 'return',
  end: 'cancellation',
  forge: 'forgery',
  correct: 'correction',
  job: 'job',
};

/** The reads that fail while an act lasts. */
interface FailingReads {
  left: number;
  /** The orders that are paid and that no webhook has told. */
  readonly untold: ReadonlySet<CustomerRecord>;
}

export class Acts {
  /** How many moments had two acts that met, by their names, such as `payment + return`. */
  readonly together: Record<string, number> = {};
  /** What the job reads of the service, where it is alone. */
  readonly jobReads = { lists: 0, single: 0 };
  #isJobAlone = false;
  /** Whether the job has read a list in this moment that shows more than what waits. */
  #hasListed = false;
  readonly #shop: PlayedShop;
  readonly #records: Records;
  readonly #sandbox: Sandbox;
  /** Whether a fault of the service was on in this moment. */
  #hasFault = false;
  #failing: FailingReads | null = null;
  #readFaults = 0;
  #presses = 0;
  #forgeries = 0;

  constructor(shop: PlayedShop, records: Records, sandbox: Sandbox) {
    this.#shop = shop;
    this.#records = records;
    this.#sandbox = sandbox;
  }

  /** The fault of a request where reads fail. */
  readonly requestFault = (operation: EndpointName | null, order: () => string | null): RequestFault | null => {
    const failing = this.#failing;
    if (failing === null || (operation !== 'invoices.get' && operation !== 'invoices.list')) return null;
    const record = this.#records.of(order() ?? '');
    if (failing.left <= 0 && (record === undefined || !failing.untold.has(record))) return null;
    if (record !== undefined && this.#isAsking()) record.isUnread = record.payments.size > 0;
    failing.left -= 1;
    this.#hasFault = true;
    this.#readFaults += 1;
    return READ_FAULTS[this.#readFaults % READ_FAULTS.length] ?? null;
  };

  see(event: SandboxEvent): void {
    if (event.kind === 'request' && event.fault !== null) this.#hasFault = true;
    if (this.#isJobAlone && event.kind === 'request') this.#seeRead(event);
    this.#shop.held.see(event);
  }

  /**
   * Whether a single read asks for its order. What a job reads behind such a list is read in passing, as `reconcile` does:
   * it does not show that the job asks for this order.
   */
  #isAsking(): boolean {
    return this.#isJobAlone && !this.#hasListed;
  }

  #seeRead({ operation, status, path, query }: RequestEntry): void {
    if (operation === 'invoices.list') {
      this.jobReads.lists += 1;
      this.#hasListed ||= status === 200 && !/[?&]status=pending(?:&|$)/.test(query);
    }
    if (operation !== 'invoices.get') return;
    this.jobReads.single += 1;
    if (!this.#isAsking()) return;
    const id = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
    const record = this.#records.of(id);
    if (record === undefined || status !== 200) return;
    record.isUnread = false;
    for (const [uuid, { external_id }] of record.payments)
      if (isSameIdent(id, uuid) || isSameIdent(id, external_id)) record.readByJob.add(uuid);
  }

  /** Begins all acts of a moment together, and waits for them. */
  async play({ acts }: Moment): Promise<void> {
    this.#hasFault = false;
    this.#hasListed = false;
    const [first, second] = acts;
    if (first === undefined) return;
    this.#isJobAlone = acts.every(({ does }) => does === 'job');
    if (second === undefined) return await this.#run(first);
    await this.#shop.during(null, async () => {
      this.#tell(acts);
      if (await this.#begin(acts)) this.#count(acts);
    });
  }

  #count(acts: readonly Act[]): void {
    const paying = acts.filter(({ does }) => does === 'pay');
    const other = acts.find(({ does }) => does === 'end' || does === 'press')?.does;
    for (const act of paying.length > 1 || other !== undefined ? paying : []) {
      const record = act.does === 'pay' ? this.#records.of(act.who.order.id) : undefined;
      if (record !== undefined) record.paidWith = other === 'end' || other === 'press' ? other : 'payment';
    }
    const name = acts.map(({ does }) => NAMES[does]).join(' + ');
    this.together[name] = (this.together[name] ?? 0) + 1;
  }

  /** The line of each order about the other acts. */
  #tell(acts: readonly Act[]): void {
    const orderOf = (act: Act): string | null => (act.does === 'job' ? null : act.who.order.id);
    const wordsOf = (act: Act): string =>
      act.does === 'job' ? 'a run of the job' : `the ${NAMES[act.does]} of ${act.who.order.id}`;
    for (const act of acts) {
      const order = orderOf(act);
      const others = acts.filter((each) => each !== act && (orderOf(each) !== order || act.does === 'pay'));
      if (order === null || others.length === 0) continue;
      this.#shop.story.note(order, 'shop', 'at the same moment', others.map(wordsOf).join(', '), {
        place: PLACES.together,
      });
    }
  }

  /**
   * Begins two or more acts. The webhooks of payments wait until all are at the door, and beside a turn of the job or a
   * press until it has read the invoice. Returns whether the acts met.
   */
  async #begin(acts: readonly Act[]): Promise<boolean> {
    const { held } = this.#shop;
    const others = acts.filter(({ does }) => does !== 'pay' && does !== 'end');
    const payments = acts.flatMap((act) => {
      const uuid = act.does === 'pay' || act.does === 'end' ? this.#uuidOf(act) : null;
      return uuid === null ? [] : [{ act, uuid }];
    });
    const [only] = payments;
    if (only !== undefined && others.some(({ does }) => does === 'press')) {
      this.#presses += 1;
      if (this.#presses % 2 === 0) return await this.#payWhilePressed(only, others);
    }
    for (const [uuid, { length }] of Map.groupBy(payments, ({ uuid }) => uuid)) held.hold(uuid, length);
    const paying = payments.map(({ act, uuid }) => ({ uuid, done: this.#run(act) }));
    const atDoor = await Promise.all(
      payments.map(({ uuid }) => {
        const mine = paying.filter((each) => each.uuid === uuid);
        // One that is over before has no webhook.
        return Promise.race([held.arrived(uuid).then(() => true), ...mine.map(({ done }) => done.then(() => false))]);
      }),
    );
    let hasMet = atDoor.every((each) => each);
    if (others.some(({ does }) => does === 'job' || does === 'press') && payments.length > 0) {
      const letIn = Promise.all(payments.map(({ uuid }) => held.opened(uuid))).then(() => true);
      const turn = Promise.all(others.map((act) => this.#run(act)));
      hasMet &&= await Promise.race([letIn, turn.then(() => false)]);
      await turn;
      for (const { uuid } of payments) held.release(uuid);
      await Promise.all(paying.map(({ done }) => done));
    } else {
      for (const { uuid } of payments) held.release(uuid);
      await Promise.all([...others.map((act) => this.#run(act)), ...paying.map(({ done }) => done)]);
    }
    return hasMet;
  }

  /** The customer pays in the other tab when the press has just read that the invoice is open. */
  async #payWhilePressed({ act, uuid }: { act: Act; uuid: string }, others: readonly Act[]): Promise<boolean> {
    const { held } = this.#shop;
    held.hold(uuid, 1, true);
    const pressing = Promise.all(others.map((each) => this.#run(each)));
    const hasMet = await Promise.race([held.opened(uuid).then(() => true), pressing.then(() => false)]);
    held.release(uuid);
    await Promise.all([this.#run(act), pressing]);
    return hasMet;
  }

  async #run(act: Act): Promise<void> {
    if (act.does === 'job') return await this.#reading(act.reads, () => this.#shop.catchUp(act.reads === 'fail'));
    const record = this.#records.of(act.who.order.id);
    if (record === undefined) return;
    if (act.does === 'press') await this.#press(record, act.words, act.isAfterError === true);
    else if (act.does === 'pay') await this.#pay(record, act);
    else if (act.does === 'return') await this.#reading(act.reads, () => this.#return(record));
    else if (act.does === 'end') await this.#end(record);
    else if (act.does === 'forge') await this.#forge(record);
    else await this.#correct(record);
  }

  /** Does something while the reads of the service fail. */
  async #reading(reads: 'fail' | undefined, work: () => Promise<void>): Promise<void> {
    if (reads === undefined) return await work();
    const untold = this.#records.all.filter(({ payments }) =>
      [...payments.keys()].some((uuid) => !this.#shop.isTold(uuid)),
    );
    this.#failing = { left: FAILED_READS_MAX, untold: new Set(untold) };
    try {
      await work();
    } finally {
      this.#failing = null;
    }
  }

  // What a customer does at the shop.

  /** Presses the button. An error while no fault was on is the shop's own. */
  async #press(record: CustomerRecord, words: string, isAfterError: boolean): Promise<void> {
    const { met } = record;
    if (isAfterError && (record.uuid !== null || record.isRefused || met.has('checkout_stuck'))) return;
    if (!record.hasArrived) this.#arrive(record);
    const kills = this.#shop.kills.total;
    this.#records.pressing.push(record);
    const failed = await this.#shop.during({ by: 'checkout', record }, () => this.#checkout(record, words));
    this.#records.pressing.splice(this.#records.pressing.indexOf(record), 1);
    const isPaid = record.payments.size > 0;
    const isKilled = this.#shop.kills.total > kills;
    const gone = failed?.isGone === true ? 'process_ended' : undefined;
    if (failed !== null && !this.#hasFault && !isKilled && !isPaid)
      record.meets('checkout_failed', `The customer saw an error while the service worked: ${failed.message}`, gone);
    const problem = 'The customer came back after an error and saw another error, although the service worked.';
    if (isAfterError && record.uuid === null && !isKilled && !record.isRefused)
      record.meets('checkout_stuck', problem, gone ?? 'given_up');
  }

  #arrive(record: CustomerRecord): void {
    const { network, order, kill } = record.plan;
    record.hasArrived = true;
    if (kill?.in === 'press' && this.#shop.members.restart !== undefined) this.#shop.kills.add(kill);
    if (network === 'calm') return;
    this.#sandbox.faults.next(NETWORK[network], { operation: 'invoices.create' });
    this.#shop.story.note(order.id, 'service', `the network: ${network.replaceAll('_', ' ')}`);
  }

  /** The error that the customer saw, or null. */
  async #checkout(record: CustomerRecord, what: string): Promise<Failed | null> {
    const { order } = record.plan;
    const note = (text: string): void =>
      this.#shop.story.note(order.id, 'customer', what, text, { place: PLACES.begins });
    const worked = await this.#shop.call('press', () => this.#shop.members.checkout({ ...order }));
    if (worked === 'killed') {
      note('sees an error: the process was killed');
      return { message: 'the process was killed', isGone: false };
    }
    const asked = worked.value;
    if ('error' in asked) {
      const failed = failedBy(asked.error);
      note(`sees an error: ${failed.message}`);
      return failed;
    }
    this.#takeLink(record, readCheckout(asked.value), note);
    return null;
  }

  #takeLink(record: CustomerRecord, { link, refused }: CheckoutResult, note: (text: string) => void): void {
    if (refused !== null) {
      record.isRefused = true;
      note(`is refused: ${refused}`);
      return;
    }
    const isOfStorm = (each: string): boolean =>
      this.#records.of(each)?.uuids.includes(each) === true || this.#claim(each, record);
    const uuid = link?.match(UUID)?.find(isOfStorm);
    const invoice = uuid === undefined ? null : this.#sandbox.invoice(uuid);
    const isFirst = record.uuids.length === 0;
    if (invoice !== null) {
      const { status } = invoice;
      note(status === 'pending' ? 'gets the payment link' : `gets the link of an invoice that is ${status}`);
      this.#openPage(record, invoice);
    } else if (link === null) {
      note('is told that nothing is left to pay');
      if (isFirst) record.meets('checkout_stuck', NOTHING_TO_PAY, 'wrong_link');
    } else {
      note(isFirst ? 'gets a link to no invoice' : 'gets a page of the shop');
      if (isFirst) record.meets('checkout_stuck', NO_INVOICE, 'wrong_link');
    }
  }

  /** Gives an invoice that is nobody's yet, and its story, to the customer who got its link. */
  #claim(uuid: string, record: CustomerRecord): boolean {
    if (!this.#records.claim(uuid, record)) return false;
    this.#shop.story.claim(this.#sandbox.invoice(uuid).external_id, record.plan.order.id);
    return true;
  }

  /** The customer is on the payment page of an invoice. */
  #openPage(record: CustomerRecord, { uuid, status, callback_url, external_id }: SandboxInvoice): void {
    if (!record.uuids.includes(uuid)) {
      const owner = this.#records.of(uuid)?.plan.order.id;
      record.meets('checkout_stuck', `The link that the customer got leads to the invoice of ${owner}.`, 'wrong_link');
      return;
    }
    record.met.delete('checkout_stuck');
    record.met.delete('dead_link');
    record.isRefused = false;
    if (status !== 'pending' && status !== 'success')
      record.meets('dead_link', `The customer came back and got the link of an invoice that is ${status}.`);
    const isFirst = record.uuid === null;
    const isRenewed = record.plan.renews.length > 0 && record.uuid !== uuid;
    record.uuid = uuid;
    record.firstUuid ??= uuid;
    if (callback_url !== null) refuseStrangeHost('callback_url', callback_url);
    if (isFirst || isRenewed) this.#queueFault(record.plan, external_id, isFirst);
  }

  /** Queues what will go wrong around the webhook of an invoice. */
  #queueFault(
    { webhook, heldFor, isLostAlone, isOutageOfAll }: PlannedCustomer,
    order: string,
    isFirst: boolean,
  ): void {
    if (webhook === 'delivered' || webhook === 'forged') return;
    if (isLostAlone && isFirst) return; // the end is told. What is lost is the payment, of this invoice or of the next.
    if (webhook === 'out_of_order' && !isFirst) return; // the end of the first is told after the payment of the second
    const fault: Fault = isLostAlone
      ? LOST
      : webhook === 'out_of_order'
        ? ({ type: 'hold', for: heldFor } as const)
        : WEBHOOK[webhook];
    if (isOutageOfAll) this.#sandbox.faults.next({ type: 'outage', for: OUTAGE_LASTS });
    else this.#sandbox.faults.next(fault, { order });
  }

  #uuidOf(act: Act & { readonly does: 'pay' | 'end' }): string | null {
    const record = this.#records.of(act.who.order.id);
    return (act.does === 'end' || act.link === 'first' ? record?.firstUuid : record?.uuid) ?? null;
  }

  async #pay(record: CustomerRecord, act: Act & { readonly does: 'pay' }): Promise<void> {
    const { plan } = record;
    const { kill, kind, isLostAlone } = plan;
    const uuid = this.#uuidOf(act);
    if (uuid === null) return;
    const { kills, members } = this.#shop;
    if (kill !== null && kill.in !== 'press' && record.payments.size === 0 && members.restart !== undefined)
      kills.add(kill);
    const { status, external_id } = this.#sandbox.invoice(uuid);
    const isOver = status !== 'pending' && status !== 'success';
    const isLate = isOver && (kind === 'pay_late' || act.link === 'first');
    if (isLate && isLostAlone) this.#sandbox.faults.next(LOST, { order: external_id });
    if (isLate) await this.#sandbox.pay(uuid, { late: true });
    else if (status === 'pending' && kind !== 'expire' && kind !== 'pay_late') await this.#payPending(plan, act, uuid);
  }

  async #payPending({ kind, share, pays, order }: PlannedCustomer, act: Act & { readonly does: 'pay' }, uuid: string) {
    if (kind === 'cancel') return await this.#sandbox.cancel(uuid);
    if (kind === 'fail') return await this.#sandbox.fail(uuid);
    if (share === 'whole' || act.share === 'whole') return await this.#sandbox.pay(uuid);
    // Of an invoice over another amount than the order, the same part.
    const { amount } = this.#sandbox.invoice(uuid);
    const part = new Decimal(amount).div(order.amount);
    return await this.#sandbox.pay(uuid, { amount: part.eq(1) ? pays : part.times(pays).toFixed(2) });
  }

  async #end({ firstUuid }: CustomerRecord): Promise<void> {
    const isHeld = firstUuid !== null && this.#sandbox.deliveries(firstUuid).some(({ status }) => status === 'pending');
    if (isHeld) await this.#sandbox.resend(firstUuid);
  }

  async #return(record: CustomerRecord): Promise<void> {
    const { visit } = this.#shop.members;
    const { plan, uuid } = record;
    if (uuid === null || visit === undefined) return;
    const { success_url } = this.#sandbox.invoice(uuid);
    if (success_url === null) return;
    refuseStrangeHost('success_url', success_url);
    const hasPaid = record.payments.size > 0;
    record.hasVisitedUnpaid ||= !hasPaid;
    const what = hasPaid ? 'returns to the shop' : 'opens the success_url without having paid';
    this.#shop.story.note(plan.order.id, 'customer', what, hasPaid ? '' : plan.kind.replaceAll('_', ' '));
    // Its error shows nothing of the money.
    await this.#shop.during({ by: 'visit', record }, () => this.#shop.ask(() => visit(success_url)));
  }

  /** A stranger sends a paid event. */
  async #forge(record: CustomerRecord): Promise<void> {
    const { members, story } = this.#shop;
    const { uuid } = record;
    if (uuid === null || members.receive === undefined) return;
    const { external_id, amount, callback_url } = this.#sandbox.invoice(uuid);
    const url = typeof members.receive === 'string' ? members.receive : (callback_url ?? 'http://localhost/webhook');
    refuseStrangeHost('callback_url', url);
    const { words, change } = ALL_FORGERIES[this.#forgeries % ALL_FORGERIES.length] ?? FORGERIES.unsigned;
    this.#forgeries += 1;
    const paid = { event: 'invoice.paid', invoice_uuid: uuid, external_id, status: 'success', amount };
    const body = JSON.stringify({ ...paid, credited_usdt: amount, adjusted: false });
    await this.#shop.during({ by: 'forgery', record }, async () => {
      const asked = await this.#shop.ask(() => send(members, this.#sandbox, { url, body }, change));
      const status = 'error' in asked ? 0 : asked.value;
      const reaction = status === 0 ? 'gives no response' : `answers ${status}`;
      const what = `a stranger sends a forged webhook, and the shop ${reaction}`;
      story.note(record.plan.order.id, 'shop', what, words);
      if (isAccepted(status))
        record.meets('forgery_accepted', `The endpoint answered ${status} to a webhook of a stranger: ${words}.`);
    });
  }

  /** The service corrects the last payment of an order. */
  async #correct({ uuid, payments }: CustomerRecord): Promise<void> {
    const paid = uuid === null ? undefined : payments.get(uuid);
    if (paid === undefined) return;
    const amount = paid.adjustment?.actual_amount_fiat ?? paid.amount;
    await this.#sandbox.adjust(paid.uuid, Decimal.max(new Decimal(amount).times(CORRECTED_TO), '0.01').toFixed(2));
  }
}

/** What the customer got at the checkout: a link or none, or a refusal. */
interface CheckoutResult {
  readonly link: string | null;
  readonly refused: string | null;
}

function readCheckout(given: unknown): CheckoutResult {
  const member = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined; // just looked for
  const refused = member(given, 'refused');
  if (typeof refused === 'string') return { link: null, refused };
  const link = member(given, 'payment_url') ?? member(member(given, 'invoice'), 'payment_url') ?? given;
  if (typeof link === 'string' || link === null) return { link, refused: null };
  return fail(
    `checkout must resolve to the payment_url, the invoice, the result of createOrRenew, { refused } or null, not ${kindOf(given)}`,
  );
}
