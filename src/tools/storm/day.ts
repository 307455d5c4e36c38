import { notify } from '../../errors/notify.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SandboxEvent } from '../sandbox/state/log.ts';
import { Acts } from './acts.ts';
import type { Records } from './customer-record.ts';
import { MINUTE, TURN } from './customers.ts';
import { type Act, type Moment, momentsOf } from './moments.ts';
import type { CheckedSettings } from './options.ts';
import type { PlayedShop } from './played-shop.ts';
import { pause, TIMED_OUT, within } from './waiting.ts';

// Plays the list of moments over the shop, one after the other. Before a moment the clock moves, and the sandbox
// delivers, repeats and expires what falls due. After it the shop becomes quiet.

/** Longer than the lease of a claimed event, 50 seconds. */
const LEASE_IS_OVER = 55_000;
const HOUR = 60 * MINUTE;

/** A day of customers over one shop. */
export class Day {
  readonly shop: PlayedShop;
  readonly records: Records;
  readonly acts: Acts;
  /** Moments that the time limit left out. */
  unplayed = 0;
  readonly #sandbox: Sandbox;
  readonly #settings: CheckedSettings;
  readonly #start: number;
  /** Whether an invoice has ended since the last turn of the shop's job. */
  #hasEnded = false;
  #hasWaitedForLease = false;

  constructor(shop: PlayedShop, records: Records, sandbox: Sandbox, settings: CheckedSettings) {
    this.shop = shop;
    this.records = records;
    this.acts = new Acts(shop, records, sandbox);
    this.#sandbox = sandbox;
    this.#settings = settings;
    this.#start = sandbox.now().getTime();
  }

  /** Takes an event of the sandbox. */
  see(event: SandboxEvent): void {
    this.acts.see(event);
    if (event.kind !== 'invoice' && event.kind !== 'attempt') return;
    if (event.kind === 'invoice' && event.from === null) this.records.own(this.#sandbox.invoice(event.uuid));
    else if (event.kind === 'invoice' && event.to !== 'pending') this.#hasEnded = true;
    const record = this.records.of(event.kind === 'invoice' ? event.uuid : event.external_id);
    if (event.kind === 'invoice' && event.to === 'success' && event.from !== 'success')
      record?.payments.set(event.uuid, this.#sandbox.invoice(event.uuid));
    this.shop.story.see(event, record?.plan.order.id ?? event.external_id, this.#sandbox);
  }

  /** Plays the day, lets the retries run out, and gives `catchUp` its last turns. */
  async play(): Promise<void> {
    const begun = performance.now();
    const { timeLimit, signal, onProgress } = this.#settings;
    const { catchUp } = this.shop.members;
    // In a shop behind an address a run may be a process of its own.
    const jobEvery = catchUp === undefined ? null : this.shop.isAtAddress ? HOUR : TURN;
    const plans = this.records.all.map(({ plan }) => plan);
    const moments = momentsOf(plans, jobEvery);
    this.unplayed = moments.length;
    const playAll = async (): Promise<void> => {
      for (const moment of moments) {
        if (performance.now() - begun > timeLimit) break;
        await this.#play(moment);
        this.unplayed -= 1;
        if (onProgress !== undefined)
          notify(() => onProgress({ done: moments.length - this.unplayed, total: moments.length }));
      }
    };
    try {
      if ((await within(2 * timeLimit, signal, playAll)) === TIMED_OUT) this.unplayed ||= 1;
    } finally {
      this.shop.end();
    }
  }

  async #play(moment: Moment): Promise<void> {
    await this.#moveTo(moment);
    if (moment.isIdleTurn && !this.#hasEnded) return;
    if (moment.isEnd) await this.#waitForLease();
    await this.acts.play(moment);
    // After a turn in which reads failed there is another one.
    if (moment.acts.some(({ does }) => does === 'job')) this.#hasEnded = moment.acts.some(isFailing);
    await this.shop.quiet();
  }

  async #moveTo({ at }: Moment): Promise<void> {
    this.shop.throwIfEnded();
    const ahead = this.#start + at - this.#sandbox.now().getTime();
    if (ahead <= 0) return;
    await this.#sandbox.advance(ahead);
    await this.shop.quiet();
  }

  /** A process that was killed holds its event for the lease of the store, by the clock of its machine. */
  async #waitForLease(): Promise<void> {
    this.#sandbox.faults.clear();
    this.shop.story.note(null, 'shop', 'runs catchUp');
    if (this.#hasWaitedForLease || !this.shop.isAtAddress) return;
    this.#hasWaitedForLease = true;
    if (this.#sandbox.deliveries().some(({ last_http_status }) => last_http_status === 409)) await pause(LEASE_IS_OVER);
  }
}

function isFailing(act: Act): boolean {
  return act.does === 'job' && act.reads === 'fail';
}
