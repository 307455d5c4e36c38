import { kindOf } from '../../errors/checks.ts';
import { messageWithCause, notify } from '../../errors/notify.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Fault } from '../sandbox/state/faults.ts';
import type { SandboxEvent } from '../sandbox/state/log.ts';
import type { SandboxInvoice } from '../sandbox/types.ts';
import type { CustomerRecord, Records } from './customer-record.ts';
import { MINUTE, type PlannedCustomer, TURN } from './customers.ts';
import { type CheckedSettings, fail, refuseStrangeHost, type StormNetwork, type StormWebhook } from './options.ts';
import type { PlayedShop } from './played-shop.ts';
import { FORGERIES, isAccepted, send } from './probes.ts';
import { pause, TIMED_OUT, within } from './waiting.ts';

// Plays the plan over the shop, one step at a time: a step is what one customer does at one moment. Between the steps
// the clock moves, and the sandbox delivers, repeats and expires what falls due.

/** Longer than the lease of a claimed event, 50 seconds. */
const LEASE_IS_OVER = 55_000;
const HOUR = 60 * MINUTE;
/** The service makes its last attempt after 20 hours and 36 minutes. */
const UNTIL_GIVEN_UP = 22 * HOUR;

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
const WEBHOOK: { readonly [Kind in Exclude<StormWebhook, 'delivered' | 'forged'>]: Fault } = {
  duplicate: { type: 'duplicate' },
  at_once: { type: 'duplicate', atOnce: true },
  ack_lost: { type: 'ack_lost' },
  out_of_order: { type: 'hold', for: '20m' },
  late_timestamp: { type: 'late_timestamp' },
  wrong_signature: { type: 'wrong_signature' },
  outage: { type: 'outage', for: '2h' },
  lost: LOST,
};
/** Until after a payment that comes after the end. */
const HELD_LONG: Fault = { type: 'hold', for: '5h' };

interface Step {
  readonly at: number;
  readonly run: () => Promise<void>;
}

const NOTHING_TO_PAY = 'The shop says that nothing is to pay, and nothing was paid.';
const NO_INVOICE =
  'The link that the customer got leads to no invoice of the storm: resolve to its payment_url, and give service.baseUrl, service.apiKey and service.fetch to the client of the shop.';
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** A day of customers over one shop. */
export class Day {
  readonly shop: PlayedShop;
  readonly records: Records;
  /** Steps that the time limit left out. */
  unplayed = 0;
  readonly #sandbox: Sandbox;
  readonly #settings: CheckedSettings;
  readonly #start: number;
  #nextTurn = 0;
  #hasFault = false;
  /** Whether an invoice has ended since the last turn of the shop's job. */
  #hasEnded = false;
  #forgeries = 0;

  constructor(shop: PlayedShop, records: Records, sandbox: Sandbox, settings: CheckedSettings) {
    this.shop = shop;
    this.records = records;
    this.#sandbox = sandbox;
    this.#settings = settings;
    this.#start = sandbox.now().getTime();
  }

  /** Takes an event of the sandbox. */
  see(event: SandboxEvent): void {
    if (event.kind === 'request' && event.operation === 'invoices.create' && event.fault !== null)
      this.#hasFault = true;
    if (event.kind !== 'invoice' && event.kind !== 'attempt') return;
    if (event.kind === 'invoice' && event.from === null) this.records.own(this.#sandbox.invoice(event.uuid));
    else if (event.kind === 'invoice' && event.to !== 'pending') this.#hasEnded = true;
    const record = this.records.of(event.kind === 'invoice' ? event.uuid : event.external_id);
    this.shop.story.see(event, record?.plan.order.id ?? null, this.#sandbox);
  }

  /** Plays the day, then lets the retries run out and gives `catchUp` its turn. */
  async play(): Promise<void> {
    const begun = performance.now();
    const { timeLimit, signal, onProgress } = this.#settings;
    const steps = this.records.all.flatMap((record) => this.#stepsOf(record)).sort((a, b) => a.at - b.at);
    this.unplayed = steps.length;
    const playAll = async (): Promise<void> => {
      for (const step of steps) {
        if (performance.now() - begun > timeLimit) break;
        await this.#moveTo(step.at);
        await step.run();
        await this.shop.quiet();
        this.unplayed -= 1;
        if (onProgress !== undefined)
          notify(() => onProgress({ done: steps.length - this.unplayed, total: steps.length }));
      }
      await this.#end(steps.at(-1)?.at ?? 0);
    };
    try {
      if ((await within(2 * timeLimit, signal, playAll)) === TIMED_OUT) this.unplayed ||= 1;
    } finally {
      this.shop.end();
    }
  }

  /** Moves the clock, with a turn of the shop's job wherever an invoice has ended since the last one. */
  async #moveTo(at: number): Promise<void> {
    // In a shop behind an address a run may be a process of its own.
    const every = this.shop.isAtAddress ? HOUR : TURN;
    for (; this.shop.members.catchUp !== undefined && this.#nextTurn <= at; this.#nextTurn += every) {
      await this.#advanceTo(this.#nextTurn);
      if (!this.#hasEnded) continue;
      this.#hasEnded = false;
      await this.shop.quiet();
      await this.shop.catchUp();
    }
    await this.#advanceTo(at);
    await this.shop.quiet();
  }

  async #advanceTo(at: number): Promise<void> {
    this.shop.throwIfEnded();
    const ahead = this.#start + at - this.#sandbox.now().getTime();
    if (ahead > 0) await this.#sandbox.advance(ahead);
  }

  async #end(last: number): Promise<void> {
    await this.#moveTo(last + UNTIL_GIVEN_UP);
    this.#sandbox.faults.clear();
    // Twice: what the first turn finds in progress, the second finds done.
    for (let turn = 1; turn <= 2 && this.shop.members.catchUp !== undefined; turn += 1) {
      // A process that was killed holds its event for the lease of the store, by the clock of its machine.
      const isHeld = this.#sandbox.deliveries().some(({ last_http_status }) => last_http_status === 409);
      if (turn === 1 && isHeld && this.shop.isAtAddress) await pause(LEASE_IS_OVER);
      this.shop.story.note(null, 'shop', 'runs catchUp');
      await this.shop.catchUp();
      await this.#advanceTo(last + UNTIL_GIVEN_UP + turn * HOUR);
      await this.shop.quiet();
    }
    await this.shop.look('later');
  }

  #stepsOf(record: CustomerRecord): Step[] {
    const { kind, arrives, ends } = record.plan;
    const press = (what: string) => (): Promise<void> => this.#press(record, [what]);
    return [
      { at: arrives, run: () => this.#arrive(record) },
      { at: arrives + 2 * MINUTE - 1, run: () => this.#comeBackAfterError(record) },
      ...(kind === 'click_twice' ? [{ at: arrives + 1_000, run: press('clicks again') }] : []),
      ...(kind === 'come_back' ? [{ at: arrives + 10 * MINUTE, run: press('comes back') }] : []),
      ...(kind === 'renew' ? [{ at: arrives + 45 * MINUTE, run: press('comes back after the end') }] : []),
      { at: ends, run: () => this.#pay(record) },
    ];
  }

  // What a customer does at the shop.

  async #arrive(record: CustomerRecord): Promise<void> {
    const { network, kind, order } = record.plan;
    record.hasArrived = true;
    if (network !== 'calm') {
      this.#sandbox.faults.next(NETWORK[network], { operation: 'invoices.create' });
      this.shop.story.note(order.id, 'service', `the network: ${network.replaceAll('_', ' ')}`);
    }
    const isTwice = kind === 'two_tabs';
    await this.#press(record, isTwice ? ['presses pay in one tab', 'presses pay in another'] : ['presses pay']);
  }

  async #comeBackAfterError(record: CustomerRecord): Promise<void> {
    if (record.uuid !== null || record.met.has('checkout_stuck')) return;
    await this.#press(record, ['comes back after the error']);
    const problem = 'The customer came back after an error and saw another one, although the service worked.';
    if (record.uuid === null) record.meets('checkout_stuck', problem, 'given_up');
  }

  /** Presses the button, in several tabs at once. An error while no fault was on is the shop's own. */
  async #press(record: CustomerRecord, tabs: readonly string[]): Promise<void> {
    this.records.current = record;
    this.#hasFault = false;
    const errors = await Promise.all(tabs.map((what) => this.#checkout(record, what)));
    this.records.current = null;
    const error = errors.find((each) => each !== null) ?? null;
    const isPaid = record.uuids.some((uuid) => this.#sandbox.invoice(uuid).status === 'success');
    if (error !== null && !this.#hasFault && !isPaid)
      record.meets('checkout_failed', `The customer saw an error while the service worked: ${error}`);
    await this.shop.look('checkout');
  }

  /** The message of the error that the customer saw, or null. */
  async #checkout(record: CustomerRecord, what: string): Promise<string | null> {
    const { order } = record.plan;
    const note = (text: string): void => this.shop.story.note(order.id, 'customer', what, text);
    const asked = await this.shop.ask(() => this.shop.members.checkout({ ...order }));
    if ('error' in asked) {
      const message = messageWithCause(asked.error);
      note(`sees an error: ${message}`);
      return message;
    }
    const link = linkOf(asked.value);
    const uuid = link?.match(UUID)?.find((each) => this.records.of(each)?.uuids.includes(each));
    const invoice = uuid === undefined ? null : this.#sandbox.invoice(uuid);
    const isFirst = record.uuids.length === 0;
    if (invoice !== null) {
      const { status } = invoice;
      note(status === 'pending' ? 'gets the payment link' : `gets the link of an invoice that is ${status}`);
      this.#openPage(record, invoice);
    } else if (link === null) {
      note('is told that nothing is to pay');
      if (isFirst) record.meets('checkout_stuck', NOTHING_TO_PAY, 'wrong_link');
    } else {
      note(isFirst ? 'gets a link to no invoice' : 'gets a page of the shop');
      if (isFirst) record.meets('checkout_stuck', NO_INVOICE, 'wrong_link');
    }
    return null;
  }

  /** The customer is on the payment page of an invoice. */
  #openPage(record: CustomerRecord, { uuid, status, callback_url, external_id }: SandboxInvoice): void {
    if (!record.uuids.includes(uuid)) {
      const owner = this.records.of(uuid)?.plan.order.id;
      record.meets('checkout_stuck', `The link that the customer got leads to the invoice of ${owner}.`, 'wrong_link');
      return;
    }
    record.met.delete('checkout_stuck');
    record.met.delete('dead_link');
    if (status !== 'pending' && status !== 'success')
      record.meets('dead_link', `The customer came back and got the link of an invoice that is ${status}.`);
    const isFirst = record.uuid === null;
    const isRenewed = record.plan.kind === 'renew' && record.uuid !== uuid;
    record.uuid = uuid;
    if (callback_url !== null) refuseStrangeHost('callback_url', callback_url);
    if (isFirst || isRenewed) this.#queueFault(record.plan, external_id, isFirst);
  }

  /** Queues what will go wrong around the webhook of an invoice. */
  #queueFault({ webhook, kind, isLostAlone, isOutageOfAll }: PlannedCustomer, order: string, isFirst: boolean): void {
    if (webhook === 'delivered' || webhook === 'forged') return;
    if (isLostAlone && isFirst) return; // the end is told. What is lost is the payment, of this invoice or of the next.
    if (webhook === 'out_of_order' && !isFirst) return; // the end of the first is told after the payment of the second
    const isHeldLong = webhook === 'out_of_order' && (kind === 'pay_late' || kind === 'renew');
    const fault = isLostAlone ? LOST : isHeldLong ? HELD_LONG : WEBHOOK[webhook];
    this.#sandbox.faults.next(fault, isOutageOfAll ? {} : { order });
  }

  async #pay(record: CustomerRecord): Promise<void> {
    const { uuid, plan } = record;
    const { members } = this.shop;
    if (uuid === null) return;
    if (plan.webhook === 'forged' && members.receive !== undefined) await this.#forge(record, uuid);
    this.shop.nextKill = members.restart === undefined ? null : plan.kill;
    await this.#endInvoice(plan, uuid);
    if (this.shop.nextKill !== null) await this.shop.kill(); // no webhook came
    this.shop.nextKill = null;
    await this.shop.quiet();
    const { success_url, status } = this.#sandbox.invoice(uuid);
    const { visit } = members;
    if (success_url === null || visit === undefined) return;
    refuseStrangeHost('success_url', success_url);
    const hasPaid = status === 'success';
    record.hasVisitedUnpaid ||= !hasPaid;
    const what = hasPaid ? 'returns to the shop' : 'opens the success_url without having paid';
    this.shop.story.note(plan.order.id, 'customer', what, hasPaid ? '' : plan.kind.replaceAll('_', ' '));
    await this.shop.ask(() => visit(success_url)); // its error shows nothing of the money
    await this.shop.look('visit');
  }

  async #endInvoice({ kind, share, pays, order, isLostAlone }: PlannedCustomer, uuid: string): Promise<void> {
    const { status, amount, external_id } = this.#sandbox.invoice(uuid);
    const isLate = kind === 'pay_late' && status !== 'pending' && status !== 'success';
    if (isLate && isLostAlone) this.#sandbox.faults.next(LOST, { order: external_id });
    if (isLate) await this.#sandbox.pay(uuid, { late: true });
    if (status !== 'pending' || kind === 'expire' || kind === 'pay_late') return; // the clock ends it
    if (kind === 'cancel') await this.#sandbox.cancel(uuid);
    else if (kind === 'fail') await this.#sandbox.fail(uuid);
    else {
      // Of an invoice over another amount than the order, the same part.
      const part = Number(amount) / Number(order.amount);
      const other = part === 1 ? pays : (Number(pays) * part).toFixed(2);
      await this.#sandbox.pay(uuid, share === 'whole' ? {} : { amount: other });
    }
  }

  /** A stranger sends a paid event. */
  async #forge(record: CustomerRecord, uuid: string): Promise<void> {
    const { external_id, amount, callback_url } = this.#sandbox.invoice(uuid);
    const { members, story } = this.shop;
    const url = typeof members.receive === 'string' ? members.receive : (callback_url ?? 'http://localhost/webhook');
    refuseStrangeHost('callback_url', url);
    const [words, ofBody] = FORGERIES[this.#forgeries % FORGERIES.length] ?? ['', () => ({})];
    this.#forgeries += 1;
    const paid = { event: 'invoice.paid', invoice_uuid: uuid, external_id, status: 'success', amount };
    const body = JSON.stringify({ ...paid, credited_usdt: amount, adjusted: false });
    const asked = await this.shop.ask(() => send(members, this.#sandbox, { url, body }, ofBody(body)));
    const status = 'error' in asked ? 0 : asked.value;
    const reaction = status === 0 ? 'gives no response' : `answers ${status}`;
    const what = `a stranger sends a forged webhook, and the shop ${reaction}`;
    story.note(record.plan.order.id, 'shop', what, words);
    if (isAccepted(status))
      record.meets('forgery_accepted', `The endpoint answered ${status} to a webhook of a stranger: ${words}.`);
    await this.shop.look('forgery');
  }
}

function linkOf(given: unknown): string | null {
  const got = typeof given === 'object' && given !== null && 'payment_url' in given ? given.payment_url : given;
  if (typeof got === 'string' || got === null) return got;
  return fail(`checkout must resolve to the payment_url, the invoice or null, not ${kindOf(given)}`);
}
