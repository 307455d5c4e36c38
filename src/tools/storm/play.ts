import { kindOf } from '../../errors/checks.ts';
import { notify } from '../../errors/notify.ts';
import { signWebhook } from '../../webhooks/verify/signature.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Fault } from '../sandbox/state/faults.ts';
import type { SandboxInvoice } from '../sandbox/wire-types.ts';
import type { PlannedCustomer } from './customers.ts';
import {
  type CheckedSettings,
  fail,
  refuseStrangeHost,
  type StormCustomer,
  type StormNetwork,
  type StormShop,
  type StormWebhook,
} from './options.ts';
import type { Story } from './story.ts';

// Plays the plan over the shop, one step at a time: a step is what one customer does at one moment. Between the steps the clock
// moves, and the sandbox delivers, repeats and expires what falls due.

const MINUTE = 60_000;
/** Longer than the lease of a claimed event, 50 seconds. */
const LEASE_IS_OVER = 55_000;
/** The service makes its last attempt after 20 hours and 36 minutes. */
const UNTIL_GIVEN_UP = 22 * 60 * MINUTE;

/** What the storm has seen of a customer, beside what the sandbox knows. */
export interface CustomerRecord {
  readonly plan: PlannedCustomer;
  /** Whether the customer came to the shop before the storm was ended. */
  hasArrived: boolean;
  /** The uuid of the invoice that the customer was sent to, or null if the shop showed an error. */
  uuid: string | null;
  /** Why the customer cannot pay, although the service works, or null. */
  stuck: string | null;
  /** The status with which the endpoint accepted a forged delivery, or null. */
  acceptedForgery: number | null;
}

/** What was played, and whether all of it. */
export interface Played {
  readonly records: readonly CustomerRecord[];
  readonly restarts: number;
  /** Customers that the time limit left out. */
  readonly unplayed: number;
}

interface Step {
  readonly at: number;
  readonly run: () => Promise<void>;
}

/** Plays a day of customers, then lets the retries run out and gives `catchUp` its turn. */
export async function play(
  customers: readonly PlannedCustomer[],
  shop: StormShop,
  sandbox: Sandbox,
  plan: CheckedSettings,
  story: Story,
): Promise<Played> {
  const begun = performance.now();
  const start = sandbox.now().getTime();
  const records = customers.map(
    (each): CustomerRecord => ({ plan: each, hasArrived: false, uuid: null, stuck: null, acceptedForgery: null }),
  );
  const ended = new AbortController(); // once nobody waits for the rest, no more of the shop's code is run
  const visits = new Visits(shop, sandbox, story, ended.signal);
  const steps = records
    .flatMap((record) => visits.stepsOf(record))
    .map((step, index) => ({ ...step, index }))
    .sort((a, b) => a.at - b.at || a.index - b.index);
  const moveTo = async (at: number): Promise<void> => {
    const ahead = start + at - sandbox.now().getTime();
    if (ahead > 0) await sandbox.advance(ahead);
    await visits.quiet();
    ended.signal.throwIfAborted();
  };
  let done = 0;
  const playAll = async (): Promise<void> => {
    for (const step of steps) {
      if (performance.now() - begun > plan.timeLimit) break;
      await moveTo(step.at);
      await step.run();
      ended.signal.throwIfAborted();
      done += 1;
      const { onProgress } = plan;
      if (onProgress !== undefined) notify(() => onProgress({ done, total: steps.length }));
    }
    await playEnd(steps.at(-1)?.at ?? 0, moveTo, shop, sandbox, ended.signal, story);
  };
  try {
    const isCut = (await within(plan, playAll)) === TIMED_OUT;
    const unplayed = steps.length - done;
    return { records, restarts: visits.restarts, unplayed: isCut ? Math.max(1, unplayed) : unplayed };
  } finally {
    ended.abort();
  }
}

const LONGEST_TIMER = 2 ** 31 - 1;
export const TIMED_OUT = Symbol('timed out');

/** Waits for what the shop does, at most twice the time limit. Rejects at an abort during the wait. The work is not ended. */
export async function within<Value>(
  { timeLimit, signal }: CheckedSettings,
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

/** Lets the retries run out, and gives `catchUp` its turn. */
async function playEnd(
  last: number,
  moveTo: (at: number) => Promise<void>,
  shop: StormShop,
  sandbox: Sandbox,
  ended: AbortSignal,
  story: Story,
): Promise<void> {
  await moveTo(last + UNTIL_GIVEN_UP);
  sandbox.faults.clear();
  // Twice: what the first turn finds in progress, the second finds done.
  for (let turn = 1; turn <= 2 && shop.catchUp !== undefined; turn += 1) {
    // A process that was killed holds its event for the lease of the store, by the clock of its machine.
    const isHeld = sandbox.deliveries().some(({ last_http_status }) => last_http_status === 409);
    if (turn === 1 && isHeld && typeof shop.receive === 'string') await pause(LEASE_IS_OVER);
    ended.throwIfAborted();
    story.note(null, 'shop', 'the shop runs catchUp');
    await ignoringErrors(() => shop.catchUp?.());
    await moveTo(last + UNTIL_GIVEN_UP + turn * 60 * MINUTE);
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

/** Outages of the whole shop, of two hours each. */
const OUTAGES_MAX = 3;

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

/** What customers do in the shop and on the payment page. */
class Visits {
  restarts = 0;
  #outages = 0;
  readonly #shop: StormShop;
  readonly #sandbox: Sandbox;
  readonly #story: Story;
  readonly #ended: AbortSignal;

  constructor(shop: StormShop, sandbox: Sandbox, story: Story, ended: AbortSignal) {
    this.#shop = shop;
    this.#sandbox = sandbox;
    this.#story = story;
    this.#ended = ended;
  }

  /** Waits until the shop has no work left. A shop in another process shows it by silence alone. */
  async quiet(): Promise<void> {
    await this.#sandbox.settle(typeof this.#shop.receive === 'string' ? { quiet: 10 } : {});
  }

  stepsOf(record: CustomerRecord): Step[] {
    const { kind, arrives, ends } = record.plan;
    const steps: Step[] = [{ at: arrives, run: () => this.#arrive(record) }];
    steps.push({ at: arrives + 2 * MINUTE - 1, run: () => this.#comeBackAfterError(record) });
    if (kind === 'click_twice') steps.push({ at: arrives + 1_000, run: () => this.#checkout(record, 'clicks again') });
    if (kind === 'come_back')
      steps.push({ at: arrives + 10 * MINUTE, run: () => this.#checkout(record, 'comes back') });
    if (kind === 'renew')
      steps.push({ at: arrives + 45 * MINUTE, run: () => this.#checkout(record, 'comes back after the end') });
    steps.push({ at: ends, run: () => this.#end(record) });
    return steps;
  }

  async #arrive(record: CustomerRecord): Promise<void> {
    const { network, kind } = record.plan;
    record.hasArrived = true;
    if (network !== 'calm') this.#sandbox.faults.next(NETWORK[network], { operation: 'invoices.create' });
    if (network !== 'calm') this.#story.note(record, 'service', `the network: ${network.replaceAll('_', ' ')}`);
    const visits = kind === 'two_tabs' ? ['presses pay in one tab', 'presses pay in another'] : ['presses pay'];
    await Promise.all(visits.map((what) => this.#checkout(record, what)));
  }

  async #comeBackAfterError(record: CustomerRecord): Promise<void> {
    if (record.uuid !== null) return;
    await this.#checkout(record, 'comes back after the error');
    if (record.uuid === null)
      record.stuck ??= 'The customer came back after an error and saw another one, although the service worked.';
  }

  async #checkout(record: CustomerRecord, what: string): Promise<void> {
    const { order } = record.plan;
    let given: unknown;
    try {
      given = await this.#shop.checkout(order);
    } catch (error) {
      this.#story.note(
        record,
        'customer',
        `${what}, and sees an error: ${error instanceof Error ? error.message : String(error)}`,
      );
      return;
    }
    this.#ended.throwIfAborted();
    const got = typeof given === 'object' && given !== null && 'payment_url' in given ? given.payment_url : given;
    const link =
      typeof got === 'string'
        ? got
        : fail(`checkout must resolve to the payment_url or the invoice, not ${kindOf(given)}`);
    const invoice = this.#invoiceOf(link);
    const isOver = invoice !== undefined && invoice.status !== 'pending';
    const gets =
      invoice === undefined
        ? 'a link to no invoice'
        : isOver
          ? 'the link of an invoice that has ended'
          : 'the payment link';
    const isFirst = record.uuid === null;
    const isRenewed = record.plan.kind === 'renew' && record.uuid !== invoice?.uuid;
    if (invoice !== undefined) [record.uuid, record.stuck] = [invoice.uuid, null];
    else if (isFirst) record.stuck = 'The link that the customer got leads to no invoice: resolve to its payment_url.';
    this.#story.note(record, 'customer', `${what}, and gets ${gets}`);
    if (invoice === undefined) return;
    if (invoice.callback_url !== null) refuseStrangeHost('callback_url', invoice.callback_url);
    if (isFirst || isRenewed) this.#prepareWebhook(record, invoice.uuid, isFirst);
  }

  /** The invoice that a link leads to. A search writes every invoice, so a uuid in the link is tried first. */
  #invoiceOf(link: string): SandboxInvoice | undefined {
    const uuid = UUID.exec(link)?.[0];
    try {
      if (uuid !== undefined) return this.#sandbox.invoice(uuid);
    } catch {
      // The uuid is not one of an invoice, but an id of the shop.
    }
    return this.#sandbox.invoices().find(({ payment_url, uuid }) => link === payment_url || link.includes(uuid));
  }

  /** Queues what will go wrong around the webhook of an invoice. */
  #prepareWebhook({ plan: { webhook, kind } }: CustomerRecord, uuid: string, isFirst: boolean): void {
    const { external_id: order } = this.#sandbox.invoice(uuid);
    const { faults } = this.#sandbox;
    const late = kind === 'pay_late' || kind === 'renew' ? '5h' : '20m';
    if (isLostAlone(kind, webhook)) {
      if (!isFirst) faults.next({ type: 'outage', for: '3d' }, { order });
      return; // that of a late payment is queued when it is paid
    }
    // The end of the first invoice of an order is told after the payment of the second.
    if (webhook === 'out_of_order' && !isFirst) return;
    if (webhook === 'out_of_order') faults.next({ type: 'hold', for: late }, { order });
    else if (webhook === 'lost') faults.next({ type: 'outage', for: '3d' }, { order });
    else if (webhook === 'outage') faults.next({ type: 'outage', for: '2h' }, this.#isOutageOfAll() ? {} : { order });
    else if (webhook !== 'delivered' && webhook !== 'forged') faults.next(webhook, { order });
  }

  /** Whether the next outage is of the whole shop. More than three would leave a large storm nothing but outages. */
  #isOutageOfAll(): boolean {
    const isOne = this.#sandbox.faults.queued().some(({ fault, order }) => fault.type === 'outage' && order === null);
    if (isOne || this.#outages >= OUTAGES_MAX) return false;
    this.#outages += 1;
    return true;
  }

  async #end(record: CustomerRecord): Promise<void> {
    const { kind, webhook, isKilled } = record.plan;
    if (record.uuid === null) return;
    if (webhook === 'forged') await this.#forge(record, record.uuid);
    this.#ended.throwIfAborted();
    const paying = this.#pay(record, record.uuid);
    if (isKilled && this.#shop.restart !== undefined) {
      await pause(0); // the webhook is on its way
      this.#story.note(null, 'shop', 'the shop is killed, and starts again');
      this.restarts += 1;
      await ignoringErrors(() => this.#shop.restart?.());
    }
    await paying;
    await this.quiet();
    this.#ended.throwIfAborted();
    const { success_url } = this.#sandbox.invoice(record.uuid);
    if (success_url === null || this.#shop.visit === undefined) return;
    refuseStrangeHost('success_url', success_url);
    const hasPaid = this.#sandbox.invoice(record.uuid).status === 'success';
    this.#story.note(
      record,
      'customer',
      hasPaid ? 'returns to the shop' : `opens the success_url without having paid (${kind})`,
    );
    await ignoringErrors(() => this.#shop.visit?.(success_url));
  }

  async #pay({ plan: { kind, share, webhook } }: CustomerRecord, uuid: string): Promise<void> {
    const { status, amount, external_id: order } = this.#sandbox.invoice(uuid);
    if (status !== 'pending') {
      if (status === 'success' || kind !== 'pay_late') return;
      if (isLostAlone(kind, webhook)) this.#sandbox.faults.next({ type: 'outage', for: '3d' }, { order });
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
        await this.#sandbox.pay(uuid, share === 1 ? {} : { amount: (Number(amount) * share).toFixed(2) });
    }
  }

  /** Sends a paid event that a stranger has signed. */
  async #forge(record: CustomerRecord, uuid: string): Promise<void> {
    const { external_id, amount, callback_url } = this.#sandbox.invoice(uuid);
    const { receive } = this.#shop;
    const url = typeof receive === 'string' ? receive : (callback_url ?? 'http://localhost/webhook');
    refuseStrangeHost('callback_url', url);
    const paid = { event: 'invoice.paid', invoice_uuid: uuid, external_id, status: 'success', amount };
    const body = JSON.stringify({ ...paid, credited_usdt: amount, adjusted: false });
    const timestamp = typeof receive === 'string' ? Date.now() : this.#sandbox.now().getTime();
    const headers = await signWebhook(body, 'whsec_of_a_stranger_0123', { timestamp });
    const request = new Request(url, { method: 'POST', headers, body });
    let status = 0;
    try {
      ({ status } = await (typeof receive === 'string' ? fetch(request) : receive(request)));
    } catch {
      // It throws or is down, so nothing was accepted.
    }
    const reaction = status === 0 ? 'gives no response' : `answers ${status}`;
    this.#story.note(record, 'shop', `a stranger sends a forged webhook, and the shop ${reaction}`);
    if (status >= 200 && status < 300) record.acceptedForgery = status;
  }
}

/**
 * Whether the shop hears that the invoice has expired, and not that it, or the one after it, was paid: then only a
 * catch-up that asks for canceled orders too, and for all of their invoices, finds the payment.
 */
function isLostAlone(kind: StormCustomer, webhook: StormWebhook): boolean {
  return (kind === 'pay_late' || kind === 'renew') && (webhook === 'lost' || webhook === 'outage');
}

/** Runs a function of the shop. The storm goes on after its error, and the findings show what it left undone. */
async function ignoringErrors(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // ignored
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
