import { environment } from '../../errors/environment.ts';
import { messageOf } from '../../errors/notify.ts';
import { createSandboxWith } from '../sandbox/create-sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { explain } from './causes.ts';
import { Records } from './customer-record.ts';
import { planCustomers } from './customers.ts';
import { Day } from './day.ts';
import { type Judgement, judge, NO_ROWS, type Rows, rowsOf } from './judge.ts';
import {
  type CheckedSettings,
  checkShop,
  fail,
  readSettings,
  type StormOptions,
  type StormService,
  type StormShop,
} from './options.ts';
import { PlayedShop, WITHOUT_IDLE } from './played-shop.ts';
import { spaced } from './probes.ts';
import { pageOf } from './report-page.ts';
import { byMoney, type StormFinding, type StormResult, summaryOf, sumsOf } from './result.ts';
import { type Case, isInState } from './rules.ts';
import { shortestOf } from './shortest.ts';
import { pause, TIMED_OUT, within } from './waiting.ts';
import { type Found, groupOf, type StormFindingKind } from './words.ts';

/** A Monday morning: the same time for each storm, so that its stories are the same. */
const START = Date.UTC(2026, 0, 5, 8);

/**
 * Plays a day of customers over the merchant's own code, with lost responses, repeated and late webhooks, outages and
 * kills, and compares what the shop has at the end with what the sandbox knows.
 *
 * It cancels and fulfils orders in the database that it is given, so it refuses every address that is not on this
 * machine. Where it finds something, it opens the shop again, at most eight times, to find the fewest customers that
 * show it.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option, and for an address of another machine.
 * @example
 * const result = await storm({ seed: 42, shop: (service) => startShop(service) });
 * expect(result.findings).toEqual([]);
 */
export async function storm(options: StormOptions): Promise<StormResult> {
  const settings = readSettings(options);
  settings.signal?.throwIfAborted();
  const { day, verdict, explained } = await playOnce(settings, async (day, verdict, sandbox) => {
    return { day, verdict, explained: byMoney(await explain(verdict, day, sandbox), verdict.cases) };
  });
  const all = day.records.all.map(({ plan }) => plan.order.id);
  const play = async (only: readonly string[]): Promise<readonly Found[]> =>
    await playOnce({ ...settings, only, onProgress: undefined }, async (_, { found }) => found);
  const isRepeated = !day.shop.isAtAddress && day.unplayed === 0;
  const shortest = isRepeated ? await shortestOf(explained, all, play) : new Map<string, readonly string[]>();
  settings.signal?.throwIfAborted();
  const findings = explained.map((each): StormFinding => {
    const only = shortest.get(groupOf(each));
    return { ...each, replay: only === undefined ? replayOf(settings, settings.only) : shortReplayOf(settings, only) };
  });
  const result = resultOf(settings, day, verdict, findings);
  writeReport(result);
  return result;
}

/** The call that repeats the storm, as code. */
function replayOf({ seed, customers, others }: CheckedSettings, only: readonly string[] | undefined): string {
  const size = customers === 200 ? '' : `, customers: ${customers}`;
  const part = only === undefined ? '' : `, only: [${only.map((id) => `'${id}'`).join(', ')}]`;
  const rest = others.map(([name, value]) => `, ${name}: ${JSON.stringify(value)}`);
  return `storm({ seed: ${JSON.stringify(seed)}${size}${part}${rest.join('')}, shop })`;
}

/** More customers than a reader follows. */
const FEW = 5;

function shortReplayOf(settings: CheckedSettings, only: readonly string[]): string {
  if (only.length <= FEW) return replayOf(settings, only);
  return `${replayOf(settings, settings.only)} /* hangs on time or number: ${only.length} customers still show it */`;
}

/** Opens the shop over a sandbox of its own, plays the day, and gives the verdict to `use`, while both still work. */
async function playOnce<Value>(
  settings: CheckedSettings,
  use: (day: Day, verdict: Judgement, sandbox: Sandbox) => Promise<Value>,
): Promise<Value> {
  const { timeLimit, signal } = settings;
  const wait = <Result>(work: () => Result | Promise<Result>) => within(2 * timeLimit, signal, work);
  let day: Day | null = null;
  let shop: StormShop | null = null;
  const sandbox: Sandbox = createSandboxWith(
    {
      seed: settings.seed,
      now: START,
      quiet: true,
      onEvent: (event) => day?.see(event),
      fetch: (url, init) => (day === null ? fetch(url, init) : day.shop.deliver(url, init)),
    },
    {
      // A shop in this process has the clock of the sandbox, one in another process that of the machine.
      wallClock: () => (day === null ? START : day.shop.isAtAddress ? Date.now() : sandbox.now().getTime()),
      writeBody: unusualBody,
      requestFault: (operation, order) => day?.acts.requestFault(operation, order) ?? null,
    },
  );
  let isFine = false;
  try {
    const made = await wait(() => settings.shop(serviceOf(sandbox)));
    const open = made === TIMED_OUT ? fail(`shop was not made within ${2 * timeLimit} ms`) : checkShop(made);
    shop = open;
    const read = await wait(() => rowsOf(open).catch(() => NO_ROWS)); // its tables may be created later
    const before = read === TIMED_OUT ? NO_ROWS : read;
    const records = new Records(planCustomers(settings));
    day = new Day(new PlayedShop(open, before.fulfilments, sandbox, records, settings), records, sandbox, settings);
    await day.play();
    const verdict = await judgeTwice(wait, before, sandbox, day);
    isFine = verdict.found.length === 0;
    return await use(day, verdict, sandbox);
  } finally {
    try {
      await wait(() => close(shop, isFine));
    } finally {
      await sandbox.close();
    }
  }
}

/** An error of `close` is thrown only where it hides nothing: no finding and no other error. */
async function close(shop: StormShop | null, isFine: boolean): Promise<void> {
  try {
    await shop?.close?.();
  } catch (error) {
    if (isFine) throw error;
  }
}

function serviceOf(sandbox: Sandbox): StormService {
  const { url: baseUrl, apiKey, webhookSecret, fetch } = sandbox;
  const [now, listen] = [() => sandbox.now().getTime(), () => sandbox.listen()];
  return { baseUrl, apiKey, webhookSecret, fetch, origin: 'http://localhost', now, listen };
}

/** A body with spaces and an escape that JSON.stringify would not write, as other services do. The same data. */
function unusualBody(members: object): string {
  return spaced(JSON.stringify(members)).replace('"invoice.', '"invoice\\u002e');
}

/** Milliseconds of real time after which suspects are read again: two seconds in all. */
const READ_AGAIN = [100, 250, 600, 1_000];
/** Findings that disappear when a slow worker finishes. */
const HEALED: ReadonlySet<StormFindingKind> = new Set([
  'paid_not_fulfilled',
  'order_missing',
  'credited_differs',
  'fulfilment_unknown',
]);

/** Judges the shop, and reads suspects again where it may still be at work. A shop that says when it is idle is not. */
async function judgeTwice(
  wait: (work: () => Promise<Rows>) => Promise<Rows | typeof TIMED_OUT>,
  before: Rows,
  sandbox: Sandbox,
  day: Day,
): Promise<Judgement> {
  const shop = day.shop.members;
  const read = async (ms: number): Promise<Judgement> => {
    if (shop.idle === undefined) await pause(ms);
    const rows = await wait(() => rowsOf(shop));
    return rows === TIMED_OUT ? { cases: [], found: [UNREAD] } : judge(rows, before, sandbox, day);
  };
  let verdict = await read(WITHOUT_IDLE);
  for (const ms of shop.idle === undefined ? READ_AGAIN : []) {
    if (!verdict.found.some(({ kind }) => HEALED.has(kind))) break;
    verdict = await read(ms);
  }
  return verdict;
}

const UNREAD: Found = {
  kind: 'not_finished',
  order: null,
  problem: 'The shop gave no rows of orders or fulfilments within twice the time limit, so nothing was compared.',
};

function resultOf(settings: CheckedSettings, day: Day, { cases }: Judgement, findings: StormResult['findings']) {
  const { records, shop } = day;
  const { seed, only, weights } = settings;
  const arrived = records.all.filter(({ hasArrived }) => hasArrived);
  const hasReceiver = shop.members.receive !== undefined;
  const played = {
    customers: countsOf(arrived.map(({ plan: { kind } }) => kind)),
    network: countsOf(arrived.map(({ plan: { network } }) => network)),
    webhooks: countsOf(
      arrived.flatMap(({ uuid, plan: { webhook } }) => (uuid === null || !hasReceiver ? [] : [webhook])),
    ),
    refused: arrived.filter(({ isRefused }) => isRefused).length,
    restarts: shop.kills.total,
    kills: { ...shop.kills.met },
    together: { ...day.acts.together },
  };
  const ofWebhooks = hasReceiver ? weights.webhooks : {};
  const wanted = only === undefined ? { ...weights.customers, ...weights.network, ...ofWebhooks } : {};
  const seen = { ...played.customers, ...played.network, ...played.webhooks };
  const notPlayed = Object.keys(wanted).filter((kind) => wanted[kind] !== 0 && !(kind in seen));
  const sums = sumsOf(cases, findings, notPlayed);
  const notSeen = notSeenOf(shop.members, settings, notPlayed, played, cases);
  const facts = { seed, orders: arrived.length, findings, money: sums.money, played, notSeen };
  return {
    ...facts,
    story: (order: string) => shop.story.textOf(records.of(order)?.plan.order.id ?? order),
    summary: () => summaryOf(facts, sums),
    html: () => pageOf({ ...facts, sums, cases, story: shop.story, start: START }),
  };
}

function countsOf<Kind extends string>(kinds: readonly Kind[]): Partial<Record<Kind, number>> {
  const counts: Partial<Record<Kind, number>> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function notSeenOf(
  shop: StormShop,
  { amounts, currencies, customers, restartEvery }: CheckedSettings,
  notPlayed: readonly string[],
  { kills, restarts }: StormResult['played'],
  cases: readonly Case[],
) {
  const { fulfilments, catchUp, restart, visit, receive, accepts } = shop;
  const isBelieved = ({ rows, given }: Case): boolean =>
    isInState(rows, 'refunded') && !given.some(({ kind }) => kind === 'refund');
  const absent: readonly (readonly [isAbsent: boolean, words: string])[] = [
    [receive === undefined, 'webhooks: give receive'],
    [fulfilments === undefined, 'double fulfilment: give fulfilments()'],
    [restart === undefined, 'a process that is killed: give restart()'],
    [
      restart !== undefined && restarts === 0 && customers >= restartEvery,
      'a process that is killed: no kill came during work',
    ],
    [
      restarts > 0 && kills.delivery === 0 && receive !== undefined,
      'a process that is killed while it handles a webhook: no kill came then',
    ],
    [true, 'selling more than the stock, or stock that a late canceled event frees: write a test of your own for it'],
    [visit === undefined, 'fulfilment at the return to the shop: give visit(url)'],
    [catchUp === undefined, 'a catch-up: give catchUp()'],
    [new Set(currencies).size < 2, "a second currency: give currencies: ['EUR', 'USD']"],
    [notPlayed.length > 0, `${notPlayed.join(', ')}: give more customers`],
    [typeof receive === 'function', 'work after the 2xx, which a kill would cut off: play the shop in another process'],
    [true, 'errors that the shop catches and answers with 2xx: let the database fail in a test of your own'],
    [
      fulfilments !== undefined && cases.some(isBelieved),
      'whether money went back: give a row with kind "refund" for each refunded order',
    ],
    [amounts === undefined, "amounts of a thousand and more: give amounts: ['1250.00', '80.00']"],
    [accepts?.less !== undefined || accepts?.surplus !== undefined, 'amounts within accepts'],
    [true, 'an order that is pressed before midnight and paid after it'],
    [true, 'effects outside of the rows, such as a balance, or a mail or a bonus that was given twice'],
  ];
  return absent.flatMap(([isAbsent, words]) => (isAbsent ? [words] : []));
}

/** Whether this process has written a report with findings, which a later storm without any must not replace. */
let hasWrittenFindings = false;

/** Writes the page where the environment asks for it. What fails here fails no test. */
function writeReport(result: StormResult): void {
  const file = environment('STORM_REPORT') ?? '';
  const hasFindings = result.findings.length > 0;
  if (file === '' || (hasWrittenFindings && !hasFindings)) return;
  hasWrittenFindings ||= hasFindings;
  try {
    // Not by an import(), which bundlers for workers refuse.
    const { process } = globalThis as { readonly process?: Partial<NodeJS.Process> }; // workers have none
    const fs = process?.getBuiltinModule?.('node:fs');
    if (fs === undefined) throw new Error('this runtime has no files');
    fs.writeFileSync(file, result.html());
    if (hasFindings) console.error(`storm: ${result.summary()}`);
  } catch (error) {
    console.error(`storm: ${file} was not written: ${messageOf(error)}`);
  }
}
