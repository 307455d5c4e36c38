import { kindOf } from '../../errors/checks.ts';
import { messageWithCause } from '../../errors/notify.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Records } from './customer-record.ts';
import type { Kill } from './customers.ts';
import type { StormFulfilment, StormShop } from './options.ts';
import { type GivenBy, Story } from './story.ts';
import { pause, TIMED_OUT, within } from './waiting.ts';

// The shop while a storm plays over it. Calls the functions of the shop, and reads `fulfilments()` after each call to
// see what was given.

/** How long the workers of the shop may need after a step, in milliseconds of real time. */
const IDLE_LIMIT = 10_000;
/** Milliseconds of real time after which a shop in another process is killed while it handles a webhook, in turns. */
const UNTIL_BEGUN = [3, 30, 100];
/** What a killed shop in this process has for the function that it was in: its work cannot be cut off. */
const UNTIL_CUT_OFF = 20;
/**
 * The rows of `fulfilments()` up to which they are read after each thing that the shop does. Of more, around its job
 * alone.
 */
const ROWS_READ_ALWAYS = 3_000;

/** Functions of the shop whose error is a finding. */
export const FAILED = { catchUp: 'catch_up_failed', restart: 'restart_failed', idle: 'not_idle' } as const;
type Failing = keyof typeof FAILED;

/** What a function of the shop resolved to, or its error. */
type Asked<Value> = { readonly value: Value } | { readonly error: unknown };

export class PlayedShop {
  readonly members: StormShop;
  /** Whether it is in another process, which has the clock of the machine. */
  readonly isAtAddress: boolean;
  readonly story: Story;
  readonly failures: { readonly name: Failing; readonly message: string }[] = [];
  restarts = 0;
  /** The kill that the next webhook brings. */
  nextKill: Kill | null = null;
  readonly #sandbox: Sandbox;
  readonly #records: Records;
  #rows: readonly StormFulfilment[];
  #looking: Promise<void> = Promise.resolve();
  #hasEnded = false;

  /** @param given The rows of `fulfilments()` before the first customer. */
  constructor(members: StormShop, given: readonly StormFulfilment[], sandbox: Sandbox, records: Records) {
    this.members = members;
    this.isAtAddress = typeof members.receive === 'string';
    this.story = new Story(() => sandbox.now());
    this.#rows = given;
    this.#sandbox = sandbox;
    this.#records = records;
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

  /** Runs a function of the shop whose error is a finding. The storm goes on. */
  async #run(name: Failing, work: () => unknown): Promise<void> {
    const asked = await this.ask(work);
    if (!('error' in asked)) return;
    const message = messageWithCause(asked.error);
    this.failures.push({ name, message });
    this.story.note(null, 'shop', `${name} fails`, message);
  }

  /** Sends a webhook to the shop, with the kill that was planned for it. */
  async deliver(url: string, init: RequestInit): Promise<Response> {
    const { receive } = this.members;
    const kill = this.nextKill;
    this.nextKill = null;
    const asking = this.ask(() => (typeof receive === 'function' ? receive(new Request(url, init)) : fetch(url, init)));
    if (kill === 'inside') {
      asking.catch(() => {}); // nobody waits for it if the storm ends during the restart
      if (this.isAtAddress) await pause(UNTIL_BEGUN[this.restarts % UNTIL_BEGUN.length] ?? 3);
      await this.kill();
      await Promise.race([asking, pause(UNTIL_CUT_OFF)]);
      await this.look('webhook');
      throw Object.assign(new Error('the process was killed'), { code: 'ECONNRESET' });
    }
    const asked = await asking;
    if (kill === 'after') await this.kill();
    else await this.look('webhook');
    if ('value' in asked && typeof asked.value?.text === 'function') return asked.value;
    if ('error' in asked && this.isAtAddress) throw asked.error;
    const got = 'error' in asked ? `throws (${messageWithCause(asked.error)})` : `resolves to ${kindOf(asked.value)}`;
    throw new TypeError(
      `receive ${got}: it must resolve to a Response. For Express, give the address where it listens`,
    );
  }

  /** Kills the shop and starts it again. What it has given until then stands before the kill in the story. */
  async kill(): Promise<void> {
    this.restarts += 1;
    await this.#run('restart', () => this.members.restart?.());
    await this.look('webhook');
    this.story.note(null, 'shop', 'is killed, and starts again', '', { isKill: true });
  }

  /** Runs the shop's job. */
  async catchUp(): Promise<void> {
    await this.look('later');
    await this.#run('catchUp', () => this.members.catchUp?.());
    await this.look('catch_up');
  }

  /** Waits until the shop has no work left. A shop in another process shows it by silence alone. */
  async quiet(): Promise<void> {
    await this.#sandbox.settle(this.isAtAddress ? { quiet: 10 } : {});
    const { idle } = this.members;
    if (idle === undefined || this.failures.some(({ name }) => name === 'idle')) return this.throwIfEnded();
    await this.#run('idle', async () => {
      if ((await within(IDLE_LIMIT, undefined, idle)) === TIMED_OUT)
        throw new Error(`it did not resolve within ${IDLE_LIMIT / 1_000} s`);
    });
  }

  /**
   * Notes what was given since the last look. One look at a time: webhooks may come together. Rows are added and not
   * taken away, so the same number of rows shows the same ones. If a read fails, the next one shows its rows too.
   */
  look(by: GivenBy): Promise<void> {
    const { fulfilments } = this.members;
    const isAroundJob = by === 'later' || by === 'catch_up';
    if (fulfilments === undefined || (this.#rows.length > ROWS_READ_ALWAYS && !isAroundJob)) return this.#looking;
    this.#looking = this.#looking.then(async () => {
      const asked = await this.ask(() => listOf<StormFulfilment>('fulfilments', fulfilments()));
      if ('error' in asked || asked.value.length === this.#rows.length) return;
      for (const row of newRows(asked.value, this.#rows)) this.#noteGiven(row, by);
      this.#rows = asked.value;
    });
    return this.#looking;
  }

  #noteGiven(row: StormFulfilment, by: GivenBy): void {
    if (typeof row?.external_id !== 'string') return;
    const record = this.#records.of(row.external_id);
    if (record === undefined) return;
    const part = (row.item ?? null) === null ? '' : ` (${row.item})`;
    const credit = (row.credited_usdt ?? null) === null ? '' : `${row.credited_usdt} USDT`;
    const text = [credit, GIVEN_BY[by]].filter((each) => each !== '').join(', ');
    const what = GIVEN[row.kind ?? 'goods'] ?? GIVEN.goods;
    this.story.note(record.plan.order.id, 'shop', `${what}${part}`, text, { given: by });
  }
}

/** The kinds of rows in `fulfilments()`, as a story tells them. */
export const GIVEN = {
  goods: 'gives the order',
  credit: 'gives credit',
  refund: 'gives the money back',
  review: 'asks a person',
} as const;

const GIVEN_BY: { readonly [By in GivenBy]: string } = {
  checkout: 'at the checkout',
  webhook: '',
  catch_up: 'by catchUp',
  visit: 'at the success_url',
  forgery: 'by a forged webhook',
  later: '',
};

/** The rows that were not there before. The same order may have several equal ones. */
export function newRows(
  rows: readonly StormFulfilment[],
  before: readonly StormFulfilment[],
): readonly StormFulfilment[] {
  const left = new Map<string, number>();
  for (const row of before) left.set(keyOf(row), (left.get(keyOf(row)) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(keyOf(row)) ?? 0;
    left.set(keyOf(row), count - 1);
    return count <= 0;
  });
}

function keyOf(row: StormFulfilment): string {
  return `${row?.kind ?? 'goods'} ${row?.item ?? ''} ${row?.external_id}`;
}

function isIterable(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

/** The rows that a function of the shop gives. */
export async function listOf<Row>(name: 'orders' | 'fulfilments', given: unknown): Promise<Row[]> {
  const list: Row[] = [];
  const rows = await given;
  if (!isIterable(rows))
    throw new TypeError(`${name}() of the shop must give rows, not ${kindOf(rows)}: of a query of pg, its rows`);
  for await (const row of rows) list.push(row as Row); // the rows of this function of the shop
  return list;
}
