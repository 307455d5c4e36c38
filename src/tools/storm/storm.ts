import { Decimal } from '../../contract/values/decimal.ts';
import { environment } from '../../errors/environment.ts';
import { createSandboxWith } from '../sandbox/create-sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { explain } from './causes.ts';
import { planCustomers } from './customers.ts';
import { type Case, type Found, judge, moneyOf, type Rows, rowsOf, type Verdict } from './findings.ts';
import { KINDS, type StormFindingKind } from './kinds.ts';
import { type CheckedSettings, checkShop, fail, readSettings, type StormOptions, type StormShop } from './options.ts';
import { Day, type Played, pause, TIMED_OUT, within } from './play.ts';
import { pageOf } from './report-page.ts';
import type { StormFinding, StormMoney, StormResult } from './result.ts';
import { shortestOf } from './shortest.ts';

/** A Monday morning: the same time for each storm, so that its stories are the same. */
const START = Date.UTC(2026, 0, 5, 8);

/** What one storm has shown, and what its report is made of. */
export interface Shown {
  readonly day: Day;
  readonly played: Played;
  readonly verdict: Verdict;
}

/**
 * Plays a day of customers over the merchant's own code, with lost responses, repeated and late webhooks, outages and kills, and
 * compares what the shop has at the end with what the sandbox knows.
 *
 * It cancels and fulfils orders in the database that it is given, so it refuses every address that is not on this machine. Where
 * it finds something, it opens the shop again, at most eight times, to find the fewest customers that show it.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option, and for an address of another machine.
 * @example
 * const result = await storm({ seed: 42, shop: (service) => startShop(service) });
 * expect(result.findings).toEqual([]);
 */
export async function storm(options: StormOptions): Promise<StormResult> {
  const settings = readSettings(options);
  settings.signal?.throwIfAborted();
  const { shop, shown, named } = await playOnce(settings, async (shop, sandbox, shown) => ({
    shop,
    shown,
    named: await explain(shown.verdict.found, shown.verdict.cases, shop, sandbox),
  }));
  const isAtAddress = typeof shop.receive === 'string';
  const shortest =
    isAtAddress || shown.played.unplayed > 0
      ? new Map<string, readonly string[]>()
      : await shortestOf(named, shown.verdict.cases, async (only) => {
          const again = { ...settings, only, onProgress: undefined };
          return await playOnce(again, async (_, __, { verdict }) => verdict.found);
        });
  settings.signal?.throwIfAborted();
  const findings = named.map(({ kind, order, problem, mistake, text: cause, remedy, shared }): StormFinding => {
    const only = shortest.get(`${kind} ${mistake}`);
    return { kind, order, problem, mistake, cause, remedy, shared, replay: replayOf(settings, only) };
  });
  const result = resultOf(settings, shop, shown, findings);
  await writeReport(result);
  return result;
}

/** The lines that repeat it. */
function replayOf({ seed, customers, only: all }: CheckedSettings, only: readonly string[] | undefined): string {
  const ids = only ?? all;
  const part = ids === undefined ? '' : `, only: [${ids.map((id) => `'${id}'`).join(', ')}]`;
  const size = customers === 200 ? '' : `, customers: ${customers}`;
  return `storm({ seed: ${JSON.stringify(seed)}${size}${part}, shop })`;
}

/** Opens the shop over a sandbox of its own, plays the day, and gives the verdict to `use`, while both still work. */
async function playOnce<Value>(
  settings: CheckedSettings,
  use: (shop: StormShop, sandbox: Sandbox, shown: Shown) => Promise<Value>,
): Promise<Value> {
  let day: Day | null = null;
  let shop: StormShop | null = null;
  let clock = (): number => START;
  const sandbox: Sandbox = createSandboxWith(
    {
      seed: settings.seed,
      now: START,
      quiet: true,
      onEvent: (event) => day?.see(event),
      fetch: (url, init) => (day === null ? fetch(url, init) : day.deliver(url, init)),
    },
    {
      // A shop in this process has the clock of the sandbox, one in another process that of the machine.
      wallClock: () => (typeof shop?.receive === 'string' ? Date.now() : clock()),
      writeBody: unusualBody,
    },
  );
  clock = () => sandbox.now().getTime();
  let isFine = false;
  try {
    const made = await within(settings, () => settings.shop(serviceOf(sandbox, clock)));
    shop = made === TIMED_OUT ? fail(`shop was not made within ${2 * settings.timeLimit} ms`) : checkShop(made);
    const open = shop;
    const before = await within(settings, () => rowsOf(open).catch(() => NO_ROWS_YET));
    day = new Day(planCustomers(settings), open, sandbox, settings);
    const played = await day.play();
    const verdict = await judgeTwice(settings, open, before === TIMED_OUT ? NO_ROWS_YET : before, sandbox, day, played);
    isFine = verdict.found.length === 0;
    return await use(open, sandbox, { day, played, verdict });
  } finally {
    try {
      if (shop !== null) await endShop(shop, settings, isFine);
    } finally {
      await sandbox.close();
    }
  }
}

const NO_ROWS_YET: Rows = { orders: [], fulfilments: [] };

function serviceOf(sandbox: Sandbox, now: () => number) {
  const { url: baseUrl, apiKey, webhookSecret, fetch } = sandbox;
  const listen = () => sandbox.listen();
  return { baseUrl, apiKey, webhookSecret, fetch, origin: 'http://localhost', now, listen };
}

/** A body with spaces and an escape that JSON.stringify would not write, as other services do. The same data. */
function unusualBody(members: object): string {
  const text = JSON.stringify(members).replace(/("(?:[^"\\]|\\.)*")|([,:])/g, (_, value, mark) => value ?? `${mark} `);
  return text.replace('"invoice.', '"invoice\\u002e');
}

/** Milliseconds of real time before the verdict, and those after which suspects are read again: two seconds in all. */
const BEFORE_VERDICT = 50;
const READ_AGAIN = [100, 250, 600, 1_000];
/** What a worker that is behind may still heal. */
const HEALED: ReadonlySet<StormFindingKind> = new Set([
  'paid_not_fulfilled',
  'order_missing',
  'credited_differs',
  'fulfilment_unknown',
]);

/** Judges the shop, and reads suspects again where it may still be at work. A shop that says when it is idle is not. */
async function judgeTwice(
  settings: CheckedSettings,
  shop: StormShop,
  before: Rows,
  sandbox: Sandbox,
  day: Day,
  played: Played,
): Promise<Verdict> {
  if (shop.idle === undefined) await pause(BEFORE_VERDICT);
  const read = async (): Promise<Verdict> => {
    const rows = await within(settings, () => rowsOf(shop));
    if (rows !== TIMED_OUT) return judge(shop, rows, before, sandbox, day, played);
    return { cases: [], found: [NO_ROWS] };
  };
  let verdict = await read();
  for (const wait of shop.idle === undefined ? READ_AGAIN : []) {
    if (!verdict.found.some(({ kind }) => HEALED.has(kind))) break;
    await pause(wait);
    verdict = await read();
  }
  return verdict;
}

const NO_ROWS: Found = {
  kind: 'not_finished',
  order: null,
  problem: 'The shop gave no rows of orders or fulfilments within twice the time limit, so nothing was compared.',
};

/** An error of `close` is thrown only where it hides nothing: no finding and no other error. */
async function endShop(shop: StormShop, settings: CheckedSettings, isFine: boolean): Promise<void> {
  try {
    await within(settings, () => shop.close?.());
  } catch (error) {
    if (isFine) throw error;
  }
}

function resultOf(
  settings: CheckedSettings,
  shop: StormShop,
  { day, played, verdict }: Shown,
  findings: readonly StormFinding[],
): StormResult {
  const arrived = played.records.filter(({ hasArrived }) => hasArrived);
  const counts = {
    customers: countsOf(arrived.map(({ plan: { kind } }) => kind)),
    network: countsOf(arrived.map(({ plan: { network } }) => network)),
    webhooks: countsOf(arrived.flatMap(({ uuid, plan: { webhook } }) => (uuid === null ? [] : [webhook]))),
    restarts: played.restarts,
  };
  const money = moneyByCurrency(verdict.cases, findings);
  const notSeen = notSeenOf(shop, settings);
  const facts = { seed: settings.seed, orders: arrived.length, findings, money, played: counts, notSeen };
  const { cases } = verdict;
  return {
    ...facts,
    story: (order) => day.story.textOf(day.recordOf(order)?.plan.order.id ?? order),
    summary() {
      const file = environment('STORM_REPORT');
      const where = file === undefined || findings.length === 0 ? '' : `: ${file}`;
      return `${sentenceOf(facts)} Replay with seed ${JSON.stringify(settings.seed)}${where === '' ? '.' : where}`;
    },
    html() {
      const costOf = (kind: StormFindingKind): string =>
        costText(
          moneyByCurrency(
            cases,
            findings.filter((each) => each.kind === kind),
          ),
        );
      const textOfSum = (sum: 'lost' | 'owed'): string => sumText(money, sum);
      return pageOf({ ...facts, cases, story: day.story, start: START, moneyText: textOfSum, costOf });
    },
  };
}

/** One sum in each of its currencies, such as `2,817.95 EUR and 10.00 USD`. Empty where it is nothing. */
function sumText(money: StormResult['money'], sum: 'lost' | 'owed'): string {
  const parts = Object.entries(money).flatMap(([currency, each]) =>
    each[sum].gt(0) ? [`${moneyText(each[sum])} ${currency}`] : [],
  );
  return parts.join(' and ');
}

function costText(money: StormResult['money']): string {
  const [lost, owed] = [sumText(money, 'lost'), sumText(money, 'owed')];
  return [lost === '' ? '' : `${lost} lost`, owed === '' ? '' : `${owed} owed`]
    .filter((text) => text !== '')
    .join(', ');
}

type Facts = Pick<StormResult, 'seed' | 'orders' | 'findings' | 'money'>;

/** The verdict as a sentence: how many orders went wrong, what it cost, and what was found. */
function sentenceOf({ orders, findings, money }: Facts): string {
  if (findings.length === 0) return `${orders} orders, nothing wrong.`;
  const wrong = new Set(findings.flatMap(({ order }) => order ?? [])).size;
  const sums = (['lost', 'owed'] as const).flatMap((sum) => {
    const text = sumText(money, sum);
    return text === '' ? [] : [`${sum} ${text}`];
  });
  const kinds = (Object.keys(KINDS) as StormFindingKind[]).flatMap((kind) => {
    const found = findings.filter((each) => each.kind === kind);
    if (found.length === 0) return [];
    return [
      found[0]?.order === null && found.length === 1 ? KINDS[kind].counted : `${found.length} ${KINDS[kind].counted}`,
    ];
  });
  const parts = [sums.join(', '), kinds.join(', ')].filter((part) => part !== '');
  const which = orders === 1 ? 'order' : 'orders';
  return `${wrong} of ${orders} ${which} went wrong: ${parts.join(': ')}.`;
}

/** Thousands are parted, cents are always there. */
function moneyText(amount: Decimal): string {
  return amount.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',');
}

function moneyByCurrency(cases: readonly Case[], findings: readonly StormFinding[]): Record<string, StormMoney> {
  const kindsOf = new Map<string | null, Set<StormFindingKind>>();
  for (const { order, kind } of findings) kindsOf.set(order, (kindsOf.get(order) ?? new Set()).add(kind));
  const money: Record<string, StormMoney> = {};
  for (const each of cases) {
    const kinds = kindsOf.get(each.record.plan.order.id);
    if (kinds === undefined) continue;
    const { lost, owed } = moneyOf(each, kinds);
    if (lost.isZero() && owed.isZero()) continue;
    const currency = each.invoices[0]?.currency.code ?? each.record.plan.order.currency;
    const before = money[currency] ?? { lost: new Decimal(0), owed: new Decimal(0) };
    money[currency] = { lost: before.lost.plus(lost), owed: before.owed.plus(owed) };
  }
  return money;
}

function countsOf<Kind extends string>(kinds: readonly Kind[]): Partial<Record<Kind, number>> {
  const counts: Partial<Record<Kind, number>> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function notSeenOf(shop: StormShop, { currencies }: CheckedSettings): string[] {
  const { fulfilments, catchUp, restart, visit, receive } = shop;
  return [
    ...(receive === undefined ? ['webhooks: give receive'] : []),
    ...(fulfilments === undefined ? ['double fulfilment: give fulfilments()'] : []),
    ...(restart === undefined ? ['a process that is killed: give restart()'] : []),
    ...(visit === undefined ? ['fulfilment at the return to the shop: give visit(url)'] : []),
    ...(catchUp === undefined ? ['a catch-up: give catchUp()'] : []),
    ...(new Set(currencies).size < 2 ? ["a second currency: give currencies: ['EUR', 'USD']"] : []),
    'effects outside of the orders, such as a mail that was sent twice',
  ];
}

/** Whether this process has written a report with findings, which a later storm without any must not replace. */
let hasWrittenFindings = false;

/** Writes the page where the environment asks for it. What fails here fails no test. */
async function writeReport(result: StormResult): Promise<void> {
  const file = environment('STORM_REPORT');
  if (file === undefined || file === '') return;
  const hasFindings = result.findings.length > 0;
  if (hasWrittenFindings && !hasFindings) return;
  hasWrittenFindings ||= hasFindings;
  try {
    const { writeFileSync } = await import('node:fs');
    writeFileSync(file, result.html());
    if (hasFindings) console.error(`storm: ${result.summary()}`);
  } catch (error) {
    console.error(`storm: ${file} was not written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
