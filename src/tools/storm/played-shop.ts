import { kindOf } from '../../errors/checks.ts';
import { messageWithCause } from '../../errors/notify.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Records } from './customer-record.ts';
import { GivenRows, type Work } from './given.ts';
import { HeldWebhooks } from './held-webhooks.ts';
import { Kills, type Worked } from './kill.ts';
import type { CheckedSettings, StormFulfilment, StormShop } from './options.ts';
import { Story } from './story.ts';
import { pause, TIMED_OUT, within } from './waiting.ts';

// The shop while a storm plays over it: calls its functions, and reads `fulfilments()` when what they began is over.

/** How long the workers of the shop may need after a moment, in milliseconds of real time. */
const IDLE_LIMIT = 10_000;
/** And while a webhook waits for its response, which the service takes for lost after 15 seconds. */
const IDLE_LIMIT_OF_DELIVERY = 8_000;
/** Real time that a storm waits in all for workers that a kill has left behind. */
const IDLE_AFTER_KILLS = 180_000;
/** Real time for the workers of a shop without `idle`, before its job and before the verdict. */
export const WITHOUT_IDLE = 50;

/** Functions of the shop whose error is a finding. */
export const FAILED = { catchUp: 'catch_up_failed', restart: 'restart_failed', idle: 'not_idle' } as const;
type Failing = keyof typeof FAILED;

/** An error of a function of the shop. `isGone`: nothing listens any more at an address of the shop. */
export function failedBy(error: unknown) {
  return { message: messageWithCause(error), isGone: codesOf(error).includes('ECONNREFUSED') };
}
export type Failed = ReturnType<typeof failedBy>;

/** The codes of an error and of its causes. */
function codesOf(error: unknown): unknown[] {
  return error instanceof Error ? ['code' in error && error.code, ...codesOf(error.cause)] : [];
}

/** How a connection ends whose other side is gone, over `fetch` and over `node:http`. */
const CLOSED: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** And where it is not back yet. */
const CUT: ReadonlySet<unknown> = new Set([...CLOSED, 'ECONNREFUSED']);

/** What a function of the shop resolved to, or its error. */
type Asked<Value> = { readonly value: Value } | { readonly error: unknown };

export class PlayedShop {
  readonly members: StormShop;
  /** Whether it is in another process, which has the clock of the machine. */
  readonly isAtAddress: boolean;
  readonly story: Story;
  readonly held = new HeldWebhooks();
  readonly kills: Kills;
  readonly failures: (Failed & { readonly name: Failing })[] = [];
  readonly #sandbox: Sandbox;
  readonly #records: Records;
  readonly #given: GivenRows;
  readonly #idleLimit: number;
  /** The acts that began since the rows were read, and how many of them still last. */
  #works: Work[] = [];
  #lasting = 0;
  /** Paid events that the shop has accepted. */
  readonly #accepted = new Set<string>();
  #idleLeft = IDLE_AFTER_KILLS;
  /** The kill under way or the last one, until the shop has answered a call of this kind. */
  #lastKill: Record<'job' | 'press', Promise<void> | null> = { job: null, press: null };
  /** The last start after a kill, under way or over. */
  #restarting: Promise<void> | null = null;
  /** Whether a kill may have left a worker behind, whose work waits for its lease. */
  #isAfterKill = false;
  #hasEnded = false;

  /** @param given The rows of `fulfilments()` before the first customer. */
  constructor(
    members: StormShop,
    given: readonly StormFulfilment[],
    sandbox: Sandbox,
    records: Records,
    { idleLimit }: CheckedSettings,
  ) {
    this.members = members;
    this.isAtAddress = typeof members.receive === 'string';
    this.story = new Story(() => sandbox.now());
    this.#given = new GivenRows(members, given, records, this.story);
    this.#sandbox = sandbox;
    this.#records = records;
    this.#idleLimit = idleLimit;
    this.kills = new Kills({
      rows: () => this.#given.text(),
      idle: () => this.#idle(IDLE_LIMIT_OF_DELIVERY),
      restart: (isWithin) => this.#restart(isWithin),
      isAtAddress: this.isAtAddress,
    });
  }

  /** Ends the storm: from now on no function of the shop is called. */
  end(): void {
    this.#hasEnded = true;
  }

  throwIfEnded(): void {
    if (this.#hasEnded) throw new Error('the storm has ended');
  }

  /** Runs a function of the shop. It throws if the storm has ended meanwhile, and for nothing else. */
  async ask<Value>(work: () => Value | Promise<Value>): Promise<Asked<Value>> {
    this.throwIfEnded();
    let asked: Asked<Value>;
    try {
      asked = { value: await work() };
    } catch (error) {
      asked = { error };
    }
    this.throwIfEnded();
    return asked;
  }

  /**
   * Runs the job or a checkout, with the kill that waits for it. A connection from before a kill is closed, and its
   * client may not know it yet: then the function is run once more, after the restart.
   */
  async call<Value>(kind: 'job' | 'press', work: () => Value | Promise<Value>): Promise<Worked<Asked<Value>>> {
    const before = this.#lastKill[kind];
    const isWork = (_: unknown, isChanged: () => Promise<boolean>): Promise<boolean> => isChanged();
    const worked = await this.kills.during(kind, () => this.ask(work), isWork);
    const kill = this.#lastKill[kind] ?? before;
    if (worked === 'killed' || kill === null) return worked;
    if ('error' in worked.value && codesOf(worked.value.error).some((code) => CLOSED.has(code))) {
      await kill;
      return { value: await this.ask(work) };
    }
    if (kill === before) this.#lastKill[kind] = null;
    return worked;
  }

  /** Runs a function of the shop whose error is a finding. The storm goes on. */
  async #run(name: Failing, work: () => unknown): Promise<void> {
    const asked = await this.ask(work);
    if ('error' in asked) this.#fails(name, asked.error);
  }

  #fails(name: Failing, error: unknown): void {
    const failed = failedBy(error);
    this.failures.push({ name, ...failed });
    this.story.note(null, 'shop', `${name} fails`, failed.message);
  }

  // Moments: the rows are read when all that began together is over.

  /** An act that lasts as long as `work`. When the last one of a moment is over, the rows are read. */
  async during<Value>(act: Work | null, work: () => Promise<Value>): Promise<Value> {
    if (act !== null) this.#works.push(act);
    this.#lasting += 1;
    try {
      return await work();
    } finally {
      this.#lasting -= 1;
      if (this.#lasting === 0) await this.#readRows();
    }
  }

  async #readRows(): Promise<void> {
    // A killed worker keeps its lease for longer than a webhook may wait: quiet() waits for it.
    if (this.#isAfterKill) this.throwIfEnded();
    else await this.#idle(IDLE_LIMIT_OF_DELIVERY);
    const works = this.#works;
    await this.#given.look(works);
    if (this.#lasting === 0 && this.#works === works) this.#works = [];
  }

  /** Sends a webhook to the shop, with the kill that waits for it. */
  async deliver(url: string, init: RequestInit): Promise<Response> {
    const { receive } = this.members;
    const { invoice_uuid: uuid, event } = JSON.parse(String(init.body)); // the sandbox has written it
    await this.held.pass(uuid);
    const act: Work = { by: 'webhook', record: this.#records.of(uuid) ?? null };
    return await this.during(act, async () => {
      const work = () =>
        this.ask(() => (typeof receive === 'function' ? receive(new Request(url, init)) : fetch(url, init)));
      // A repeated or canceled event is no work.
      const isNew = event === 'invoice.paid' && !this.#accepted.has(uuid);
      const isGood = (asked: Asked<Response>): boolean => 'value' in asked && asked.value?.ok === true;
      const worked = isNew ? await this.kills.during('delivery', work, isGood) : { value: await work() };
      if (worked === 'killed') throw Object.assign(new Error('the process was killed'), { code: 'ECONNRESET' });
      const asked = worked.value;
      if (isNew && isGood(asked)) this.#accepted.add(uuid);
      act.isRefused = 'value' in asked && asked.value?.status === 401;
      if ('value' in asked && typeof asked.value?.text === 'function') return asked.value;
      if ('error' in asked && this.isAtAddress) throw asked.error;
      const got = 'error' in asked ? `throws (${messageWithCause(asked.error)})` : `resolves to ${kindOf(asked.value)}`;
      throw new TypeError(
        `receive ${got}: it must resolve to a Response. For Express, give the address where the app listens`,
      );
    });
  }

  /** Whether the shop has accepted the paid event of an invoice. */
  isTold(uuid: string): boolean {
    return this.#accepted.has(uuid);
  }

  /** Runs the shop's job. It may reject during a kill, and where the service fails (`mayReject`). */
  async catchUp(mayReject: boolean): Promise<void> {
    if (this.members.idle === undefined) {
      await pause(WITHOUT_IDLE);
      await this.#given.look([]);
    }
    const kills = this.kills.total;
    await this.during({ by: 'catch_up', record: null }, async () => {
      const worked = await this.call('job', () => this.members.catchUp?.());
      const isKilled = worked === 'killed' || this.#isAfterKill || this.kills.total > kills;
      if (!isKilled && 'error' in worked.value && !mayReject) this.#fails('catchUp', worked.value.error);
    });
  }

  /** Kills the shop and starts it again. What it has given until then stands before the kill in the story. */
  async #restart(isWithin: boolean): Promise<void> {
    this.#isAfterKill = true; // what runs meanwhile may reject
    const kill = this.#run('restart', () => this.members.restart?.());
    this.#lastKill = { job: kill, press: kill };
    this.#restarting = kill;
    await kill;
    this.#isAfterKill = true;
    await this.#given.look(this.#works);
    const orders = this.#works.flatMap(({ record }) => record?.plan.order.id ?? []);
    const struck = { orders, isWithin };
    this.story.note(null, 'shop', 'is killed, and starts again', '', { struck });
  }

  /** Waits until the shop has no work left. A shop in another process shows it by silence alone. */
  async quiet(): Promise<void> {
    await this.#restarting; // the service waits for a delivery no longer than 15 seconds, and a shop may take longer to start
    await this.#sandbox.settle(this.isAtAddress ? { quiet: 10 } : {});
    const isAfterKill = this.#isAfterKill;
    await this.#idle(IDLE_LIMIT);
    if (isAfterKill) await this.#given.look([]);
  }

  /**
   * Waits until the workers of the shop have nothing to do. After a kill a job may wait for the lease of the dead
   * worker: that is no finding, and it is awaited again.
   */
  async #idle(usual: number): Promise<void> {
    const { idle } = this.members;
    if (idle === undefined || this.failures.some(({ name }) => name === 'idle')) {
      this.#isAfterKill = false;
      return this.throwIfEnded();
    }
    const isWaiting = this.#isAfterKill;
    const limit =
      !isWaiting || usual !== IDLE_LIMIT ? usual : Math.max(WITHOUT_IDLE, Math.min(this.#idleLimit, this.#idleLeft));
    const begun = performance.now();
    const asked = await this.ask(() => within(limit, undefined, idle));
    if (isWaiting) this.#idleLeft -= performance.now() - begun;
    if (!('error' in asked) && asked.value !== TIMED_OUT) this.#isAfterKill = false;
    else if ('error' in asked) {
      // Where a kill closed its connection, it is asked again after the next moment.
      const isOfKill = this.kills.total > 0 && codesOf(asked.error).some((code) => CUT.has(code));
      if (!isOfKill) this.#fails('idle', asked.error);
    } else if (!isWaiting && usual === IDLE_LIMIT)
      this.#fails('idle', new Error(`it did not resolve within ${limit / 1_000} s`));
  }
}
