import { createSandboxWith } from '../sandbox/create-sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { planCustomers } from './customers.ts';
import { findingsOf, type StormFinding } from './findings.ts';
import {
  type CheckedSettings,
  checkShop,
  fail,
  readSettings,
  type StormCustomer,
  type StormNetwork,
  type StormOptions,
  type StormShop,
  type StormWebhook,
} from './options.ts';
import { type Played, play, TIMED_OUT, within } from './play.ts';
import { Story } from './story.ts';

/** The result of a storm. */
export interface StormResult {
  /** The seed that repeats it. */
  readonly seed: number | string;
  /** The number of orders that were placed: all, unless the time limit ended the storm. */
  readonly orders: number;
  /** What is wrong. Empty for a correct shop. */
  readonly findings: readonly StormFinding[];
  /** How often each kind was played. A customer without a payment link has no webhook. */
  readonly played: {
    readonly customers: Readonly<Partial<Record<StormCustomer, number>>>;
    readonly network: Readonly<Partial<Record<StormNetwork, number>>>;
    readonly webhooks: Readonly<Partial<Record<StormWebhook, number>>>;
    readonly restarts: number;
  };
  /** What the storm could not check, such as a mail that was sent twice, with what would make it visible. */
  readonly notSeen: readonly string[];
  /** The timeline of one order, a line for each event. */
  story(order: string): string;
  /** One line: the number of orders, what was found, and the seed. */
  summary(): string;
}

/** A Monday morning: the same time for each storm, so that its stories are the same. */
const START = Date.UTC(2026, 0, 5, 8);

/**
 * Plays a day of customers over the merchant's own code, with lost responses, repeated and late webhooks, outages and kills, and
 * compares what the shop has at the end with what the sandbox knows.
 *
 * It cancels and fulfils orders in the database that it is given, so it refuses every address that is not on this machine.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option, and for an address of another machine.
 * @example
 * const result = await storm({ seed: 42, shop: (service) => startShop(service) });
 * expect(result.findings).toEqual([]);
 */
export async function storm(options: StormOptions): Promise<StormResult> {
  const plan = readSettings(options);
  plan.signal?.throwIfAborted();
  const { sandbox, shop } = await ownService(plan);
  const story = new Story(sandbox);
  let isFine = false;
  try {
    const played = await play(planCustomers(plan), shop, sandbox, plan, story);
    const replay = `storm({ seed: ${JSON.stringify(plan.seed)}, customers: ${plan.customers}, … })`;
    const found = await within(plan, () => findingsOf(shop, sandbox, played));
    const findings = (found === TIMED_OUT ? [NO_ROWS] : found).map((each) => ({ ...each, replay }));
    isFine = findings.length === 0;
    return resultOf(plan, shop, played, findings, story);
  } finally {
    try {
      await endShop(shop, plan, isFine);
    } finally {
      await sandbox.close();
    }
  }
}

const NO_ROWS = {
  kind: 'not_finished',
  order: null,
  problem: 'The shop gave no rows of orders or fulfilments within twice the time limit, so nothing was compared.',
} as const;

/** An error of `close` is thrown only where it hides nothing: no finding and no other error. */
async function endShop(shop: StormShop, plan: CheckedSettings, isFine: boolean): Promise<void> {
  try {
    await within(plan, () => shop.close?.());
  } catch (error) {
    if (isFine) throw error;
  }
}

/** A sandbox whose webhooks go to the shop, and the shop over it. */
async function ownService(plan: CheckedSettings): Promise<{ readonly sandbox: Sandbox; readonly shop: StormShop }> {
  let shop: StormShop | null = null;
  let clock = (): number => START;
  const sandbox: Sandbox = createSandboxWith(
    {
      seed: plan.seed,
      now: START,
      quiet: true,
      fetch: async (url, init) => {
        const receive = shop?.receive;
        return typeof receive === 'function' ? await receive(new Request(url, init)) : await fetch(url, init);
      },
    },
    // A shop in this process has the clock of the sandbox, one in another process that of the machine.
    { wallClock: () => (typeof shop?.receive === 'string' ? Date.now() : clock()) },
  );
  clock = () => sandbox.now().getTime();
  const { apiKey, webhookSecret } = sandbox;
  try {
    const made = await within(plan, () =>
      plan.shop({
        baseUrl: sandbox.url,
        apiKey,
        webhookSecret,
        fetch: sandbox.fetch,
        origin: 'http://localhost',
        now: clock,
        listen: async () => (await sandbox.listen()).url,
      }),
    );
    shop = made === TIMED_OUT ? fail(`shop was not made within ${2 * plan.timeLimit} ms`) : checkShop(made);
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  return { sandbox, shop };
}

function resultOf(
  plan: CheckedSettings,
  shop: StormShop,
  { records, restarts }: Played,
  findings: readonly StormFinding[],
  story: Story,
): StormResult {
  const arrived = records.filter(({ hasArrived }) => hasArrived);
  const orders = arrived.length;
  return {
    seed: plan.seed,
    orders,
    findings,
    played: {
      customers: countsOf(arrived.map(({ plan: { kind } }) => kind)),
      network: countsOf(arrived.map(({ plan: { network } }) => network)),
      webhooks: countsOf(arrived.flatMap(({ uuid, plan: { webhook } }) => (uuid === null ? [] : [webhook]))),
      restarts,
    },
    notSeen: notSeenOf(shop),
    story: (order) => story.of(order),
    summary() {
      const kinds = [...new Set(findings.map(({ kind }) => kind))];
      const found = kinds.map((kind) => {
        const [first, ...more] = findings.filter((each) => each.kind === kind);
        return `${1 + more.length} ${kind.replaceAll('_', ' ')}${first?.order ? `: ${first.order}` : ''}`;
      });
      return `${orders} orders, ${found.length === 0 ? 'nothing wrong' : found.join(', ')}, replay with seed ${JSON.stringify(plan.seed)}`;
    },
  };
}

function countsOf<Kind extends string>(kinds: readonly Kind[]): Partial<Record<Kind, number>> {
  const counts: Partial<Record<Kind, number>> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function notSeenOf({ fulfilments, catchUp, restart, visit }: StormShop): string[] {
  return [
    ...(fulfilments === undefined ? ['double fulfilment: give fulfilments()'] : []),
    ...(restart === undefined ? ['a process that is killed: give restart()'] : []),
    ...(visit === undefined ? ['fulfilment at the return to the shop: give visit(url)'] : []),
    ...(catchUp === undefined ? ['a catch-up: give catchUp()'] : []),
    'effects outside of the orders, such as a mail that was sent twice',
  ];
}
