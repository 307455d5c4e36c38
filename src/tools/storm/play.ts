import { orderOf } from '../../contract/orders.ts';
import { plainIdent } from '../../contract/values/scalars.ts';
import { kindOf } from '../../errors/checks.ts';
import { notify } from '../../errors/notify.ts';
import { signWebhook } from '../../webhooks/verify/signature.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Fault } from '../sandbox/state/faults.ts';
import type { SandboxEvent } from '../sandbox/state/log.ts';
import type { SandboxInvoice } from '../sandbox/wire-types.ts';
import { OUTAGES_FROM, type PlannedCustomer, TURN } from './customers.ts';
import {
  type CheckedSettings,
  fail,
  refuseStrangeHost,
  type StormFulfilment,
  type StormNetwork,
  type StormShop,
  type StormWebhook,
} from './options.ts';
import { type GivenBy, Story } from './story.ts';

// Plays the plan over the shop, one step at a time: a step is what one customer does at one moment. Between the steps the clock
// moves, and the sandbox delivers, repeats and expires what falls due.

const MINUTE = 60_000;
/** Longer than the lease of a claimed event, 50 seconds. */
const LEASE_IS_OVER = 55_000;
/** The service makes its last attempt after 20 hours and 36 minutes. */
const UNTIL_GIVEN_UP = 22 * 60 * MINUTE;
/** How often the shop's own job runs. In a shop behind an address a run may be a process of its own. */
const TURNS = { inProcess: TURN, overAddress: 60 * MINUTE };
/** How long the workers of the shop may need after a step, in milliseconds of real time. */
const IDLE_LIMIT = 10_000;
/** The rows of `fulfilments()` up to which they are read after each thing that the shop does. Of more, every ten minutes. */
const ROWS_READ_ALWAYS = 3_000;

/** A forged delivery: unsigned, signed by a stranger, or with a signature that is genuine for another body. */
export type Forgery = 'unsigned' | 'of_a_stranger' | 'of_another_body';
const FORGERIES: readonly Forgery[] = ['unsigned', 'of_a_stranger', 'of_another_body'];

/** What the storm has seen of a customer, beside what the sandbox knows. */
export interface CustomerRecord {
  readonly plan: PlannedCustomer;
  /** Whether the customer came to the shop before the storm was ended. */
  hasArrived: boolean;
  /** The uuid of the invoice that the customer was sent to, or null if the shop showed an error. */
  uuid: string | null;
  /** The uuids of the invoices of this order, the oldest first. */
  readonly uuids: string[];
  /** Why the customer cannot pay, although the service works, or null. */
  stuck: string | null;
  /** The error that the customer saw while the service worked, or null. */
  error: string | null;
  /** The end of the invoice whose link the customer got, although nothing can be paid there, or null. */
  deadLink: string | null;
  /** The forged delivery that the endpoint accepted, and its status, or null. */
  acceptedForgery: { readonly forgery: Forgery; readonly status: number } | null;
  /** Whether the customer opened the success_url without having paid. */
  hasVisitedUnpaid: boolean;
}

/** A function of the shop that failed: the first error, and how often. */
export interface Failure {
  readonly message: string;
  count: number;
}

/** What was played, and whether all of it. */
export interface Played {
  readonly records: readonly CustomerRecord[];
  readonly restarts: number;
  /** Customers that the time limit left out. */
  readonly unplayed: number;
  readonly failures: ReadonlyMap<'catchUp' | 'restart' | 'idle', Failure>;
}

interface Step {
  readonly at: number;
  readonly run: () => Promise<void>;
}

const LONGEST_TIMER = 2 ** 31 - 1;
export const TIMED_OUT = Symbol('timed out');

/** Waits for what the shop does, at most twice the time limit. Rejects at an abort during the wait. The work is not ended. */
export async function within<Value>(
  { timeLimit, signal }: Pick<CheckedSettings, 'timeLimit' | 'signal'>,
  work: () => Value | Promise<Value>,
): Promise<Value | typeof TIMED_OUT> {
  let onAbort = (): void => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cut = new Promise<typeof TIMED_OUT>((resolve, reject) => {
    timer = setTimeout(() => resolve(TIMED_OUT), Math.min(2 * timeLimit, LONGEST_TIMER));
    onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work(), cut]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

const NETWORK: { readonly [Kind in Exclude<StormNetwork, 'calm'>]: Fault } = {
  response_lost: { type: 'reset_after' },
  request_lost: { type: 'reset_before' },
  server_error: { type: 'server_error' },
  server_error_after: { type: 'server_error', afterWork: true },
  rate_limit: { type: 'rate_limit', retryAfter: 0 },
  slow: { type: 'slow', delay: 1 },
  truncated: { type: 'truncated' },
};
const WEBHOOK: {
  readonly [Kind in Extract<
    StormWebhook,
    'duplicate' | 'at_once' | 'ack_lost' | 'late_timestamp' | 'wrong_signature'
  >]: Fault;
} = {
  duplicate: { type: 'duplicate' },
  at_once: { type: 'duplicate', atOnce: true },
  ack_lost: { type: 'ack_lost' },
  late_timestamp: { type: 'late_timestamp' },
  wrong_signature: { type: 'wrong_signature' },
};

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

/** A day over one shop: its story, its customers, and what the sandbox tells while it is played. */
export class Day {
  readonly story: Story;
  readonly records: readonly CustomerRecord[];
  readonly #sandbox: Sandbox;
  readonly #settings: CheckedSettings;
  readonly #ended = new AbortController(); // once nobody waits for the rest, no more of the shop's code is run
  readonly #byUuid = new Map<string, CustomerRecord>();
  readonly #byOrder = new Map<string, CustomerRecord>();
  readonly #byCustomer = new Map<string, CustomerRecord>();
  readonly #failures = new Map<'catchUp' | 'restart' | 'idle', Failure>();
  /** The rows of `fulfilments()` that were seen, by their content. */
  readonly #given = new Map<string, number>();
  #shop: StormShop;
  #looking: Promise<void> = Promise.resolve();
  #rows = 0;
  #hasSkipped = false;
  /** The customer whose checkout runs. */
  #current: CustomerRecord | null = null;
  #hasFault = false;
  /** Whether an invoice has ended since the last turn of the shop's job. */
  #hasEnded = false;
  #nextTurn = 0;
  #killInside = false;
  #killing: Promise<void> | null = null;
  #restarts = 0;
  #outages = 0;
  #forgeries = 0;
  readonly #start: number;

  constructor(customers: readonly PlannedCustomer[], shop: StormShop, sandbox: Sandbox, settings: CheckedSettings) {
    this.#shop = shop;
    this.#sandbox = sandbox;
    this.#settings = settings;
    this.#start = sandbox.now().getTime();
    this.story = new Story(() => sandbox.now());
    this.records = customers.map((plan) => ({
      plan,
      hasArrived: false,
      uuid: null,
      uuids: [],
      stuck: null,
      error: null,
      deadLink: null,
      acceptedForgery: null,
      hasVisitedUnpaid: false,
    }));
    for (const record of this.records) {
      this.#byOrder.set(plainIdent(record.plan.order.id), record);
      this.#byCustomer.set(record.plan.order.customer_id, record);
    }
  }

  /** The order of an id: its own, or that of one of its invoices. */
  recordOf(id: string): CustomerRecord | undefined {
    return (
      this.#byOrder.get(plainIdent(id)) ??
      this.#byUuid.get(id.toLowerCase()) ??
      this.#byOrder.get(plainIdent(orderOf(id).order))
    );
  }

  /** Takes an event of the sandbox. A new invoice belongs to the customer whose checkout runs. */
  see(event: SandboxEvent): void {
    if (event.kind === 'request' && event.operation === 'invoices.create' && event.fault !== null)
      this.#hasFault = true;
    if (event.kind === 'invoice') {
      if (event.from === null) this.#own(event.uuid, event.external_id);
      else if (event.to !== 'pending') this.#hasEnded = true;
    }
    if (event.kind !== 'invoice' && event.kind !== 'attempt') return;
    const record = event.kind === 'invoice' ? this.#byUuid.get(event.uuid) : this.recordOf(event.external_id);
    this.story.see(event, record?.plan.order.id ?? null, this.#sandbox);
  }

  #own(uuid: string, external_id: string): void {
    const { customer_id } = this.#sandbox.invoice(uuid);
    // A shop may create an invoice outside of a checkout, such as in its handler: then the ids say whose it is.
    const record = this.#current ?? this.recordOf(external_id) ?? this.#byCustomer.get(customer_id);
    if (record === undefined) return;
    record.uuids.push(uuid);
    this.#byUuid.set(uuid, record);
    this.#byOrder.set(plainIdent(external_id), record);
  }

  /** Sends a webhook to the shop, and looks at what the shop has given then. */
  async deliver(url: string, init: RequestInit): Promise<Response> {
    const { receive } = this.#shop;
    const handled = typeof receive === 'function' ? receive(new Request(url, init)) : fetch(url, init);
    if (this.#killInside && typeof receive === 'function') {
      this.#killInside = false;
      const over = Promise.resolve(handled).then(
        () => {},
        () => {},
      );
      await Promise.resolve(); // the function of the shop has begun
      this.#killing = this.#kill();
      await Promise.race([over, pause(20)]); // work that the kill has cut off may never end
      await this.#look('webhook');
      throw Object.assign(new Error('the process was killed'), { code: 'ECONNRESET' });
    }
    const response = await handled;
    await this.#look('webhook');
    return response;
  }

  /** Plays the day, then lets the retries run out and gives `catchUp` its turn. */
  async play(): Promise<Played> {
    const begun = performance.now();
    const { timeLimit, onProgress } = this.#settings;
    const steps = this.records
      .flatMap((record) => this.#stepsOf(record))
      .map((step, index) => ({ ...step, index }))
      .sort((a, b) => a.at - b.at || a.index - b.index);
    let done = 0;
    const playAll = async (): Promise<void> => {
      await this.#look('later', true);
      for (const step of steps) {
        if (performance.now() - begun > timeLimit) break;
        await this.#moveTo(step.at);
        await step.run();
        await this.#quiet();
        this.#ended.signal.throwIfAborted();
        done += 1;
        if (onProgress !== undefined) notify(() => onProgress({ done, total: steps.length }));
      }
      await this.#end(steps.at(-1)?.at ?? 0);
    };
    try {
      const isCut = (await within(this.#settings, playAll)) === TIMED_OUT;
      const unplayed = steps.length - done;
      return {
        records: this.records,
        restarts: this.#restarts,
        unplayed: isCut ? Math.max(1, unplayed) : unplayed,
        failures: this.#failures,
      };
    } finally {
      this.#ended.abort();
    }
  }

  /** Moves the clock, with a turn of the shop's job wherever an invoice has ended since the last one. */
  async #moveTo(at: number): Promise<void> {
    const every = typeof this.#shop.receive === 'string' ? TURNS.overAddress : TURNS.inProcess;
    while (this.#shop.catchUp !== undefined && this.#nextTurn <= at) {
      await this.#advanceTo(this.#nextTurn);
      this.#nextTurn += every;
      if (!this.#hasEnded) continue;
      this.#hasEnded = false;
      await this.#quiet();
      await this.#look('later');
      await this.#catchUp(false);
    }
    await this.#advanceTo(at);
    await this.#quiet();
    this.#ended.signal.throwIfAborted();
  }

  async #advanceTo(at: number): Promise<void> {
    const ahead = this.#start + at - this.#sandbox.now().getTime();
    if (ahead > 0) await this.#sandbox.advance(ahead);
    this.#ended.signal.throwIfAborted();
  }

  /** Runs the shop's job. The story has the turns at the end, and those that gave something. */
  async #catchUp(isTold: boolean): Promise<void> {
    if (isTold) this.story.note(null, 'shop', 'runs catchUp');
    await this.#run('catchUp', () => this.#shop.catchUp?.());
    await this.#look('catch_up');
  }

  /** Lets the retries run out, and gives `catchUp` its turn. */
  async #end(last: number): Promise<void> {
    await this.#moveTo(last + UNTIL_GIVEN_UP);
    this.#sandbox.faults.clear();
    // Twice: what the first turn finds in progress, the second finds done.
    for (let turn = 1; turn <= 2 && this.#shop.catchUp !== undefined; turn += 1) {
      // A process that was killed holds its event for the lease of the store, by the clock of its machine.
      const isHeld = this.#sandbox.deliveries().some(({ last_http_status }) => last_http_status === 409);
      if (turn === 1 && isHeld && typeof this.#shop.receive === 'string') await pause(LEASE_IS_OVER);
      this.#ended.signal.throwIfAborted();
      await this.#catchUp(true);
      await this.#advanceTo(last + UNTIL_GIVEN_UP + turn * 60 * MINUTE);
      await this.#quiet();
    }
    await this.#look('later');
  }

  /** Waits until the shop has no work left. A shop in another process shows it by silence alone. */
  async #quiet(): Promise<void> {
    const { receive, idle } = this.#shop;
    await this.#sandbox.settle(typeof receive === 'string' ? { quiet: 10 } : {});
    this.#ended.signal.throwIfAborted();
    if (idle === undefined || this.#failures.has('idle')) return;
    await this.#run('idle', () =>
      within({ timeLimit: IDLE_LIMIT / 2, signal: undefined }, idle).then((end) => {
        if (end === TIMED_OUT) throw new Error(`it did not resolve within ${IDLE_LIMIT / 1_000} s`);
      }),
    );
  }

  /** Runs a function of the shop. Its error is a finding, and the storm goes on. */
  async #run(name: 'catchUp' | 'restart' | 'idle', work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#ended.signal.throwIfAborted();
      const failure = this.#failures.get(name) ?? { message: messageOf(error), count: 0 };
      failure.count += 1;
      this.#failures.set(name, failure);
      this.story.note(null, 'shop', `${name} fails`, messageOf(error));
    }
  }

  async #kill(): Promise<void> {
    this.story.note(null, 'shop', 'is killed, and starts again', '', { isKill: true });
    this.#restarts += 1;
    await this.#run('restart', () => this.#shop.restart?.());
  }

  /**
   * Notes the rows of `fulfilments()` that were not there before. One at a time: webhooks may come together. A read that fails
   * is made up for by the next one, and the last one is that of the verdict.
   */
  #look(by: GivenBy, isFirst = false): Promise<void> {
    const { fulfilments } = this.#shop;
    if (fulfilments === undefined || this.#ended.signal.aborted) return this.#looking;
    if (this.#rows > ROWS_READ_ALWAYS && by !== 'catch_up' && by !== 'later') {
      this.#hasSkipped = true;
      return this.#looking;
    }
    this.#looking = this.#looking.then(async () => {
      let rows: readonly StormFulfilment[];
      try {
        rows = await listOf<StormFulfilment>(fulfilments());
      } catch {
        return;
      }
      this.#rows = rows.length;
      const counts = new Map<string, number>();
      for (const row of rows) {
        const key = keyOfRow(row);
        const count = (counts.get(key) ?? 0) + 1;
        counts.set(key, count);
        const before = this.#given.get(key) ?? 0;
        if (count <= before) continue;
        this.#given.set(key, count);
        if (isFirst || typeof row?.external_id !== 'string') continue;
        this.#noteGiven(row, this.#hasSkipped ? 'later' : by);
      }
      this.#hasSkipped = false;
    });
    return this.#looking;
  }

  #noteGiven({ external_id, kind, item, credited_usdt }: StormFulfilment, by: GivenBy): void {
    const order = this.recordOf(external_id)?.plan.order.id;
    if (order === undefined) return;
    const what =
      { goods: 'gives the order', credit: 'gives credit', refund: 'gives the money back', review: 'asks a person' }[
        kind ?? 'goods'
      ] ?? 'gives the order';
    const part = item === null || item === undefined ? '' : ` (${item})`;
    const credit = credited_usdt === null || credited_usdt === undefined ? '' : `${String(credited_usdt)} USDT`;
    this.story.note(order, 'shop', `${what}${part}`, [credit, GIVEN[by]].filter((text) => text !== '').join(', '), {
      given: by,
    });
  }

  #stepsOf(record: CustomerRecord): Step[] {
    const { kind, arrives, ends } = record.plan;
    const steps: Step[] = [{ at: arrives, run: () => this.#arrive(record) }];
    const press = (what: string) => async (): Promise<void> => this.#press(record, [what]);
    steps.push({ at: arrives + 2 * MINUTE - 1, run: () => this.#comeBackAfterError(record) });
    if (kind === 'click_twice') steps.push({ at: arrives + 1_000, run: press('clicks again') });
    if (kind === 'come_back') steps.push({ at: arrives + 10 * MINUTE, run: press('comes back') });
    if (kind === 'renew') steps.push({ at: arrives + 45 * MINUTE, run: press('comes back after the end') });
    steps.push({ at: ends, run: () => this.#pay(record) });
    return steps;
  }

  async #arrive(record: CustomerRecord): Promise<void> {
    const { network, kind, order } = record.plan;
    record.hasArrived = true;
    if (network !== 'calm') {
      this.#sandbox.faults.next(NETWORK[network], { operation: 'invoices.create' });
      this.story.note(order.id, 'service', `the network: ${network.replaceAll('_', ' ')}`);
    }
    await this.#press(
      record,
      kind === 'two_tabs' ? ['presses pay in one tab', 'presses pay in another'] : ['presses pay'],
    );
  }

  async #comeBackAfterError(record: CustomerRecord): Promise<void> {
    if (record.uuid !== null || record.stuck !== null) return;
    await this.#press(record, ['comes back after the error']);
    if (record.uuid === null)
      record.stuck ??= 'The customer came back after an error and saw another one, although the service worked.';
  }

  /** Presses the button, in several tabs at once. An error while no fault was on is the shop's own. */
  async #press(record: CustomerRecord, tabs: readonly string[]): Promise<void> {
    this.#current = record;
    this.#hasFault = false;
    const errors = await Promise.all(tabs.map((what) => this.#checkout(record, what)));
    this.#current = null;
    const error = errors.find((each) => each !== null) ?? null;
    const isPaid = record.uuids.some((uuid) => this.#sandbox.invoice(uuid).status === 'success');
    if (error !== null && !this.#hasFault && !isPaid) record.error ??= error;
    await this.#look('checkout');
  }

  /** Returns the message of the error that the customer saw, or null. */
  async #checkout(record: CustomerRecord, what: string): Promise<string | null> {
    const { order } = record.plan;
    let given: unknown;
    try {
      given = await this.#shop.checkout({ ...order });
    } catch (error) {
      this.#ended.signal.throwIfAborted();
      const message = messageOf(error);
      this.story.note(order.id, 'customer', what, `sees an error: ${message}`);
      return message;
    }
    this.#ended.signal.throwIfAborted();
    const link = linkOf(given);
    const invoice = link === null ? undefined : this.#invoiceOf(link);
    const isOver = invoice !== undefined && invoice.status !== 'pending';
    const gets =
      link === null
        ? 'is told that nothing is to pay'
        : invoice === undefined
          ? record.uuids.length === 0
            ? 'gets a link to no invoice'
            : 'gets a page of the shop'
          : isOver
            ? `gets the link of an invoice that is ${invoice.status}`
            : 'gets the payment link';
    this.story.note(order.id, 'customer', what, gets);
    if (invoice !== undefined) this.#arriveAt(record, invoice, isOver);
    else if (record.uuids.length === 0)
      record.stuck =
        link === null
          ? 'The shop says that nothing is to pay, and nothing was paid.'
          : 'The link that the customer got leads to no invoice: resolve to its payment_url.';
    return null;
  }

  /** The customer is on the payment page of an invoice. */
  #arriveAt(record: CustomerRecord, invoice: SandboxInvoice, isOver: boolean): void {
    const owner = this.#byUuid.get(invoice.uuid);
    if (owner !== undefined && owner !== record) {
      record.stuck = `The link that the customer got leads to the invoice of ${owner.plan.order.id}.`;
      return;
    }
    if (isOver && invoice.status !== 'success') record.deadLink = invoice.status;
    else record.deadLink = null;
    const isFirst = record.uuid === null;
    const isRenewed = record.plan.kind === 'renew' && record.uuid !== invoice.uuid;
    [record.uuid, record.stuck] = [invoice.uuid, null];
    if (invoice.callback_url !== null) refuseStrangeHost('callback_url', invoice.callback_url);
    if (isFirst || isRenewed) this.#prepareWebhook(record, invoice.uuid, isFirst);
  }

  /** The invoice that a link leads to. A search writes every invoice, so a uuid in the link is tried first. */
  #invoiceOf(link: string): SandboxInvoice | undefined {
    const uuid = UUID.exec(link)?.[0];
    try {
      const found = uuid === undefined ? undefined : this.#sandbox.invoice(uuid);
      if (found?.uuid === uuid) return found; // else it is an id of the shop that is an external_id too
    } catch {
      // The uuid is not one of an invoice, but an id of the shop.
    }
    return this.#sandbox.invoices().find(({ payment_url, uuid }) => link === payment_url || link.includes(uuid));
  }

  /** Queues what will go wrong around the webhook of an invoice. */
  #prepareWebhook({ plan }: CustomerRecord, uuid: string, isFirst: boolean): void {
    const { webhook, kind } = plan;
    const { external_id: order } = this.#sandbox.invoice(uuid);
    const { faults } = this.#sandbox;
    const late = kind === 'pay_late' || kind === 'renew' ? '5h' : '20m';
    if (isLostAlone(plan)) {
      if (!isFirst) faults.next({ type: 'outage', for: '3d' }, { order });
      return; // that of a late payment is queued when it is paid
    }
    // The end of the first invoice of an order is told after the payment of the second.
    if (webhook === 'out_of_order' && !isFirst) return;
    if (webhook === 'out_of_order') faults.next({ type: 'hold', for: late }, { order });
    else if (webhook === 'lost') faults.next({ type: 'outage', for: '3d' }, { order });
    else if (webhook === 'outage')
      faults.next({ type: 'outage', for: '2h' }, this.#isOutageOfAll(plan) ? {} : { order });
    else if (webhook !== 'delivered' && webhook !== 'forged') faults.next(WEBHOOK[webhook], { order });
  }

  /** Whether the next outage is of the whole shop. More than three would leave a large storm nothing but outages. */
  #isOutageOfAll({ arrives }: PlannedCustomer): boolean {
    const from = OUTAGES_FROM[this.#outages];
    const isOne = this.#sandbox.faults.queued().some(({ fault, order }) => fault.type === 'outage' && order === null);
    if (isOne || from === undefined || arrives < from) return false;
    this.#outages += 1;
    return true;
  }

  async #pay(record: CustomerRecord): Promise<void> {
    const { kind, webhook, kill, order } = record.plan;
    if (record.uuid === null) return;
    if (webhook === 'forged' && this.#shop.receive !== undefined) await this.#forge(record, record.uuid);
    this.#ended.signal.throwIfAborted();
    const isKilled = kill !== null && this.#shop.restart !== undefined;
    const isInside = isKilled && kill === 'inside';
    this.#killInside = isInside && typeof this.#shop.receive === 'function';
    const paying = this.#endInvoice(record, record.uuid);
    if (isKilled && !this.#killInside) {
      await pause(isInside ? 3 : 0); // the webhook is on its way
      if (this.#killing === null) await this.#kill();
    }
    await paying;
    await this.#killing;
    if (this.#killInside) await this.#kill(); // no webhook came
    [this.#killInside, this.#killing] = [false, null];
    await this.#quiet();
    this.#ended.signal.throwIfAborted();
    const { success_url, status } = this.#sandbox.invoice(record.uuid);
    const { visit } = this.#shop;
    if (success_url === null || visit === undefined) return;
    refuseStrangeHost('success_url', success_url);
    const hasPaid = status === 'success';
    if (!hasPaid) record.hasVisitedUnpaid = true;
    this.story.note(
      order.id,
      'customer',
      hasPaid ? 'returns to the shop' : 'opens the success_url without having paid',
      hasPaid ? '' : kind.replaceAll('_', ' '),
    );
    await ignoringErrors(() => visit(success_url));
    await this.#look('visit');
  }

  async #endInvoice({ plan }: CustomerRecord, uuid: string): Promise<void> {
    const { kind, pays } = plan;
    const { status, amount, external_id: order } = this.#sandbox.invoice(uuid);
    if (status !== 'pending') {
      if (status === 'success' || kind !== 'pay_late') return;
      if (isLostAlone(plan)) this.#sandbox.faults.next({ type: 'outage', for: '3d' }, { order });
      await this.#sandbox.pay(uuid, { late: true });
      return;
    }
    switch (kind) {
      case 'cancel':
        return void (await this.#sandbox.cancel(uuid));
      case 'fail':
        return void (await this.#sandbox.fail(uuid));
      case 'expire':
      case 'pay_late':
        return; // the clock ends it
      default:
        await this.#sandbox.pay(uuid, plan.share === 'whole' ? {} : { amount: partOf(plan, amount, pays) });
    }
  }

  /** Sends a paid event that the service has not signed. */
  async #forge(record: CustomerRecord, uuid: string): Promise<void> {
    const { external_id, amount, callback_url } = this.#sandbox.invoice(uuid);
    const { receive } = this.#shop;
    const url = typeof receive === 'string' ? receive : (callback_url ?? 'http://localhost/webhook');
    refuseStrangeHost('callback_url', url);
    const forgery = FORGERIES[this.#forgeries % FORGERIES.length] ?? 'unsigned';
    this.#forgeries += 1;
    const paid = { event: 'invoice.paid', invoice_uuid: uuid, external_id, status: 'success', amount };
    const body = JSON.stringify({ ...paid, credited_usdt: amount, adjusted: false });
    const timestamp = typeof receive === 'string' ? Date.now() : this.#sandbox.now().getTime();
    const signed =
      forgery === 'of_a_stranger'
        ? await signWebhook(body, 'whsec_of_a_stranger_0123', { timestamp })
        : await signWebhook(`${body} `, this.#sandbox.webhookSecret, { timestamp });
    const headers: Record<string, string> =
      forgery === 'unsigned' ? { 'Content-Type': 'application/json' } : { ...signed };
    const request = new Request(url, { method: 'POST', headers, body, redirect: 'manual' });
    let status = 0;
    try {
      ({ status } = await (typeof receive === 'function' ? receive(request) : fetch(request)));
    } catch {
      // It throws or is down, so nothing was accepted.
    }
    const reaction = status === 0 ? 'gives no response' : `answers ${status}`;
    this.story.note(
      record.plan.order.id,
      'shop',
      `a stranger sends a forged webhook, and the shop ${reaction}`,
      FORGED[forgery],
    );
    if (status >= 200 && status < 300) record.acceptedForgery ??= { forgery, status };
    await this.#look('forgery');
  }
}

/** What is said of a forged delivery. */
export const FORGED: { readonly [Kind in Forgery]: string } = {
  unsigned: 'it is not signed',
  of_a_stranger: 'a stranger signed it',
  of_another_body: 'its signature is that of another body',
};

const GIVEN: { readonly [By in GivenBy]: string } = {
  checkout: 'at the checkout',
  webhook: '',
  catch_up: 'by catchUp',
  visit: 'at the success_url',
  forgery: 'by a forged webhook',
  later: '',
};

/** What is paid, where the invoice is over another amount than the order. */
function partOf({ order }: PlannedCustomer, amount: string, pays: string): string {
  return Number(amount) === Number(order.amount)
    ? pays
    : ((Number(amount) * Number(pays)) / Number(order.amount)).toFixed(2);
}

/** A row as a text. The same order may have several equal ones. */
export function keyOfRow(row: StormFulfilment): string {
  const { external_id, kind, item } = row ?? {};
  return JSON.stringify([String(external_id), kind ?? 'goods', item ?? null]);
}

/** The rows that a function of the shop gives. */
export async function listOf<Row>(
  rows: ReturnType<StormShop['orders']> | ReturnType<NonNullable<StormShop['fulfilments']>>,
): Promise<Row[]> {
  const list: Row[] = [];
  for await (const row of await rows) list.push(row as Row); // the rows of this function of the shop
  return list;
}

function linkOf(given: unknown): string | null {
  const got = typeof given === 'object' && given !== null && 'payment_url' in given ? given.payment_url : given;
  if (typeof got === 'string' || got === null) return got;
  return fail(`checkout must resolve to the payment_url, the invoice or null, not ${kindOf(given)}`);
}

/**
 * Whether the shop hears that the invoice has expired, and not that it, or the one after it, was paid: then only a
 * catch-up that asks for canceled orders too, and for all of their invoices, finds the payment.
 */
function isLostAlone({ kind, webhook }: PlannedCustomer): boolean {
  return (kind === 'pay_late' || kind === 'renew') && (webhook === 'lost' || webhook === 'outage');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Follows a customer to a page of the shop. Its error shows nothing of the money. */
async function ignoringErrors(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // ignored
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
