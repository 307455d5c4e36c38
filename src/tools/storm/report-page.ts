import { Html, html } from '../html.ts';
import { clockOf, joinMoments, type Moment, wordsOf } from '../story.ts';
import { BASE, REPORT, STORM } from '../style.ts';
import type { StormCustomer, StormNetwork, StormWebhook } from './options.ts';
import {
  moneyText,
  type StormFinding,
  type StormResult,
  type Sums,
  sumText,
  titleText,
  verdictText,
} from './result.ts';
import type { Case } from './rules.ts';
import { isUnsent, type Seen, type Story } from './story.ts';
import { groupOf, KINDS, type StormFindingKind, type Tone } from './words.ts';

// The report of a storm as a page in one file: it makes no request, and works without script. It is drawn from data, so
// the same storm gives the same page.

/** What the page is drawn from. */
export interface Report extends Pick<StormResult, 'seed' | 'orders' | 'findings' | 'played' | 'notSeen'> {
  readonly sums: Sums;
  readonly cases: readonly Case[];
  readonly story: Story;
  /** The time of the first customer, in epoch milliseconds. */
  readonly start: number;
}

/** Findings with the same kind and the same mistake, the dearest first. */
interface Group {
  readonly first: StormFinding;
  readonly all: readonly StormFinding[];
}

export function pageOf(report: Report): string {
  const groups = groupsOf(report);
  const told = new Set(groups.flatMap(({ all }) => all.slice(0, 1 + STORIES_MAX).map(({ order }) => order)));
  const further = groups.flatMap(({ first, all }) =>
    all.slice(1, 1 + STORIES_MAX).map((finding) => ({ first, finding })),
  );
  const apart = further.filter(({ finding: { order } }, at) => {
    const isFirst = groups.some(({ first }) => first.order === order);
    return order !== null && !isFirst && further.findIndex(({ finding }) => finding.order === order) === at;
  });
  const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${titleText(report, report.sums)}</title><style>${new Html(BASE + REPORT + STORM)}</style></head><body><main>
${headline(report)}
${cards(report)}
${chart(report, groups[0]?.first.order ?? null, told)}
${report.findings.length === 0 && survived(report)}
${groups.map((group) => groupSection(group, report, told, groups))}
${apart.length > 0 && html`<section class="end"><h2>Further stories</h2>${apart.map(({ finding }) => furtherStory(finding, report))}</section>`}
<section class="end"><h2>What the storm could not see</h2><ul>${report.notSeen.map((each) => html`<li>${each}</li>`)}</ul></section>
</main><script>${new Html(SCRIPT)}</script></body></html>`;
  return `${page.text}\n`;
}

function furtherStory({ order, kind }: StormFinding, { story, sums }: Report): Html {
  const cost = moneyText(sums.ofFinding(order, kind));
  return html`<details id="${order}"><summary>${order}: ${KINDS[kind].counted}${cost !== '' && html`, ${cost}`}</summary>${storyList(story.of(order ?? ''))}</details>`;
}

/** What a right shop went through. */
function survived({ played }: Report): Html {
  const { calm: _, ...broken } = played.network;
  const { delivered: __, ...odd } = played.webhooks;
  const rows: readonly (readonly [what: string, counts: Readonly<Record<string, number | undefined>>])[] = [
    ['Kills during work', killsOf(played)],
    ['At the same moment', played.together],
    ['Webhooks', odd],
    ['Responses at the checkout', broken],
    ['Customers', played.customers],
  ];
  const items = rows.map(([what, counts]) => {
    const text = countsText(counts);
    return text !== '' && html`<li><b>${what}</b>: ${text}</li>`;
  });
  return html`<section class="end"><h2>What the shop survived</h2><ul>${items}</ul></section>`;
}

function killsOf({ kills: { delivery, job, press } }: Report['played']): Readonly<Record<string, number>> {
  return { deliveries: delivery, 'runs of the job': job, presses: press };
}

function countsText(counts: Readonly<Record<string, number | undefined>>): string {
  const parts = Object.entries(counts).filter(([, count]) => count !== undefined && count > 0);
  return parts.map(([name, count]) => `${count} ${PLAYED[name] ?? name}`).join(', ');
}

/** What was played, as words behind its number. */
const PLAYED: Readonly<Record<string, string>> = {
  pay: 'paid',
  pay_less: 'paid less',
  pay_more: 'paid more',
  pay_late: 'paid late',
  cancel: 'canceled',
  fail: 'failed to pay',
  expire: 'let it expire',
  come_back: 'came back',
  renew: 'paid a renewal',
  click_twice: 'clicked twice',
  two_tabs: 'used two tabs',
  second_order: 'paid a second order',
  pay_both: 'paid two invoices',
  old_tab: 'paid in an old tab',
  pay_rest: 'paid the rest',
  dispute: 'disputed the payment',
  response_lost: 'lost after the work',
  request_lost: 'lost before the work',
  server_error: '5xx before the work',
  server_error_after: '5xx after the work',
  rate_limit: 'refused by a rate limit',
  slow: 'slow',
  truncated: 'cut off',
  duplicate: 'sent twice',
  at_once: 'sent twice at once',
  ack_lost: 'whose response was lost',
  out_of_order: 'out of order',
  late_timestamp: 'with a late timestamp',
  wrong_signature: 'with a wrong signature',
  outage: 'in an outage',
  lost: 'lost',
  forged: 'forged',
} satisfies Readonly<
  Record<StormCustomer | Exclude<StormNetwork, 'calm'> | Exclude<StormWebhook, 'delivered'>, string>
>;

/** The findings are sorted by what they cost, so the groups are too. */
function groupsOf({ findings }: Report): Group[] {
  return [...Map.groupBy(findings, groupOf).values()].flatMap((all) => (all[0] ? [{ first: all[0], all }] : []));
}

function headline(report: Report): Html {
  const { findings, seed, played, start, sums } = report;
  const [lost, owed] = [sumText(sums.money, 'lost'), sumText(sums.money, 'owed')];
  const parts = [lost && `lost ${lost}`, owed && `owes its customers ${owed}`].filter((each) => each !== '');
  const money = parts.length === 0 ? '' : ` The shop ${parts.join(', and ')}.`;
  const kinds = sums.wrong > 0 || findings.length === 0 ? '' : `: ${sums.kinds.map(({ words }) => words).join(', ')}`;
  const { calm: _, ...broken } = played.network;
  const { delivered: __, ...odd } = played.webhooks;
  const facts = [
    DAY.format(start),
    `seed ${JSON.stringify(seed)} repeats it`,
    `${played.restarts} ${played.restarts === 1 ? 'kill' : 'kills'}`,
    `${sumOf(played.together)} moments with two acts`,
    `${sumOf(broken)} broken responses`,
    `${sumOf(odd)} webhooks lost, late, forged or repeated`,
  ];
  const verdict = html`<span class="${findings.length === 0 ? 'good' : 'bad'}">${verdictText(report, sums)}${kinds}.</span>`;
  return html`<h1>${verdict}${money}</h1><p class="sub">${facts.join(' · ')}</p>`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });

function sumOf(counts: Readonly<Record<string, number | undefined>>): number {
  return Object.values(counts).reduce<number>((total, count) => total + (count ?? 0), 0);
}

function cards({ sums, orders, played }: Report): Html {
  const kinds = sums.kinds.map(
    ({ kind, words, money }) =>
      html`<div class="${toneOf(kind)}"><b>${words}</b><span>${moneyText(money) || KINDS[kind].means}</span></div>`,
  );
  const met = countsText(killsOf(played));
  const restarts = met !== '' && `also with kills in ${met}`;
  return html`<div class="cards">${kinds}<div class="right"><b>${orders - sums.wrong} right</b><span>${restarts}</span></div></div>`;
}

// The day: a line for each order over the hours.

const WIDTH = 1232;
/** On a phone. */
const NARROW = 358;
/** Up to this number of orders each has a line. Of more, the right ones are folded. */
const LINES_ALL = 300;
const LINES_MAX = 400;
/** Its letters are larger where the drawing is smaller. */
const LABEL_WIDTH = 240;
const HOUR_LABEL = 40;
const HOUR = 3_600_000;

/** The tones in the order of what they cost, and what the legend says of them. */
const TONES: { readonly [Name in Tone]: string } = {
  lost: 'given twice, or for nothing',
  less: 'given for less',
  owed: 'paid, and not given or kept in part',
  odd: 'another mistake',
};

function toneOf(kind: StormFindingKind): Tone {
  return KINDS[kind].tone ?? 'odd';
}

/**
 * The day, wide with all orders, and narrow with the wrong ones alone.
 *
 * @param shown The order whose story is told below.
 * @param told The orders whose story is on the page.
 */
function chart(report: Report, shown: string | null, told: ReadonlySet<string | null>): Html {
  const { cases, findings, story } = report;
  const tones = new Map<string, Tone>();
  for (const tone of (Object.keys(TONES) as Tone[]).reverse()) // what costs most is set last
    for (const { order, kind } of findings) if (order !== null && toneOf(kind) === tone) tones.set(order, tone);
  const orders = cases.filter(({ record }) => record.hasArrived).map(({ record }) => record.plan.order.id);
  const isFolded = orders.length > LINES_ALL;
  const wrong = orders.filter((id) => tones.has(id)).slice(0, LINES_MAX);
  const lines = isFolded ? wrong : orders.slice(0, LINES_MAX);
  const drawn = { report, shown, told, tones };
  const used = (Object.keys(TONES) as Tone[]).filter((tone) => [...tones.values()].includes(tone));
  const folded = orders.length - lines.length;
  const hasKills = story.moments.some(({ struck }) => struck !== undefined);
  return html`<div class="chart wide" tabindex="0" role="region" aria-label="The day">${drawing(drawn, lines, WIDTH)}</div>
${wrong.length > 0 && html`<div class="chart narrow" role="region" aria-label="The day of the wrong orders">${drawing(drawn, wrong, NARROW)}</div>`}
<p class="legend"><span class="of-right"><i class="plain"></i>an order, from the button to its last webhook</span><span class="of-right"><i class="dot"></i>webhook accepted</span><span class="of-right"><i class="fault"></i>with a fault</span>${used.map((tone) => html`<span><i class="${tone}"></i>${TONES[tone]}</span>`)}${hasKills && html`<span>↻ the shop is killed and starts again</span>`}${folded > 0 && html`<span class="of-right">${folded} ${isFolded && 'right '}orders are folded</span>`}</p>`;
}

interface Drawn {
  readonly report: Report;
  readonly shown: string | null;
  readonly told: ReadonlySet<string | null>;
  readonly tones: ReadonlyMap<string, Tone>;
}

function drawing(
  { report: { cases, story, start }, shown, told, tones }: Drawn,
  lines: readonly string[],
  width: number,
): Html {
  const end = Math.max(HOUR, ...cases.map(({ record }) => record.plan.ends)) + 1.5 * HOUR;
  const x = (at: number): number => round((Math.min(Math.max(at - start, 0), end) * width) / end);
  const step = lines.length > 150 ? 3 : lines.length > 60 ? 5 : 10;
  const bottom = 24 + Math.max(lines.length * step, 40);
  const rows = lines.map((id, index) => {
    const own = story.of(id).filter(({ order }) => order === id);
    const line = orderLine({ id, own, tone: tones.get(id), y: 26 + index * step, x, isShown: id === shown, width });
    return told.has(id) ? html`<a href="#${id}">${line}</a>` : line;
  });
  const every = width < WIDTH ? 3 : 1; // hours
  const hours = Array.from({ length: Math.ceil(end / HOUR / every) }, (_, index) => {
    const time = start + index * every * HOUR;
    const label =
      x(time) + HOUR_LABEL < width &&
      html`<text x="${x(time) + 4}" y="14">${clockOf(new Date(time)).slice(0, 5)}</text>`;
    return html`<line class="grid" x1="${x(time)}" x2="${x(time)}" y1="16" y2="${bottom}"/>${label}`;
  });
  const killed = story.moments.flatMap(({ struck, moment: { at } }) => (struck && at ? x(at.getTime()) : []));
  const kills = killed.map((at, index) => {
    const isApart = at - (killed[index - 1] ?? 0) > 10;
    return html`<line class="kill" x1="${at}" x2="${at}" y1="16" y2="${bottom + 4}"/>${isApart && html`<text text-anchor="middle" x="${at}" y="${bottom + 16}">↻</text>`}`;
  });
  return html`<svg viewBox="0 0 ${width} ${bottom + 22}" role="group" aria-label="A line for each of ${lines.length} orders, from the button pay to its last webhook">${hours}${kills}${rows}</svg>`;
}

interface DrawnOrder {
  readonly id: string;
  readonly own: readonly Seen[];
  readonly tone: Tone | undefined;
  readonly y: number;
  readonly x: (at: number) => number;
  readonly isShown: boolean;
  readonly width: number;
}

function orderLine({ id, own, tone, y, x, isShown, width }: DrawnOrder): Html {
  const times = own.flatMap(({ moment: { at } }) => at?.getTime() ?? []);
  const [from, to] = [x(Math.min(...times)), x(Math.max(...times))];
  const marks = own.flatMap(({ moment: { at, attempt } }) => {
    if (attempt === undefined || at === null) return [];
    const place = x(at.getTime());
    const fault = attempt.fault === null ? '' : 'fault';
    return attempt.error === null
      ? html`<circle cx="${place}" cy="${y}" r="${tone === undefined ? 1.3 : 2.4}"/>`
      : html`<rect class="${fault}" x="${round(place - 0.8)}" y="${round(y - 1.3)}" width="1.6" height="2.6"/>`;
  });
  const label = isShown && shownLabel(id, [from, to], y, width);
  return html`<g class="${tone ?? 'plain'}"><title>${id}</title><line x1="${from}" x2="${to}" y1="${y}" y2="${y}"/>${marks}${label}</g>`;
}

/** Behind the line where there is room, else before it, else above its end. */
function shownLabel(id: string, [from, to]: readonly [from: number, to: number], y: number, width: number): Html {
  const isBehind = to < width - LABEL_WIDTH;
  const isBefore = !isBehind && from > LABEL_WIDTH;
  const at = isBehind ? to + 10 : isBefore ? from - 10 : width - 4;
  return html`<rect class="shown" x="${from - 4}" y="${y - 4}" width="${round(to - from + 8)}" height="8" rx="4"/><text class="label" text-anchor="${isBehind ? 'start' : 'end'}" x="${at}" y="${isBehind || isBefore ? y + 4 : y - 7}">${id}, shown below</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

// The groups: the story of one order, the cause, and its other orders.

/** The stories of a group beside the first. */
const STORIES_MAX = 9;

/** @param told The orders whose story is on the page. */
function groupSection(
  { first, all }: Group,
  { story }: Report,
  told: ReadonlySet<string | null>,
  groups: readonly Group[],
): Html {
  const { order, kind, problem, cause, remedy, shared, replay } = first;
  const others = all.slice(1).flatMap((each) => each.order ?? []);
  const links = others.filter((id) => told.has(id)).map((id) => html`<a href="#${id}">${id}</a> `);
  const untold = others.filter((id) => !told.has(id));
  const rest =
    untold.length > 0 && html`<details><summary>and ${untold.length} more</summary>${untold.join(', ')}</details>`;
  const code = `import { storm } from 'merchant-invoicing/storm';\n\nconst result = await ${replay};\nassert.deepEqual(result.findings, []);`;
  const title = order === null ? KINDS[kind].counted : `${order}: ${problem}`;
  const isTarget = order !== null && groups.find((each) => each.first.order === order)?.first === first; // of two groups, the first
  return html`<section class="two ${toneOf(kind)}"${isTarget && html` id="${order}"`}><div><h2>${title}</h2>${order === null ? html`<p>${problem}</p>` : storyList(story.of(order))}</div>
<div class="cause"><h3>${cause}</h3><p>${remedy}</p>${shared !== null && html`<p class="soft">${shared}</p>`}${others.length > 0 && html`<div class="soft"><p>The other ${others.length}: ${links}</p>${rest}</div>`}
<pre tabindex="0" aria-label="The storm as a test">${code}</pre><button type="button" class="copy" hidden>Copy as test</button></div></section>`;
}

const LANES = { customer: 'Customer', service: 'Service', shop: 'Your shop' } as const;

/** How many repeats of a gift a story shows. The others are a count. */
const REPEATS_SHOWN = 4;

function storyList(all: readonly Seen[]): Html {
  const firsts = new Map([...all].reverse().flatMap((each) => (each.given ? [[each.moment.what, each] as const] : [])));
  const repeats = all.filter((each) => each.given !== undefined && firsts.get(each.moment.what) !== each);
  const hidden = new Set(repeats.length > REPEATS_SHOWN + 1 ? repeats.slice(REPEATS_SHOWN) : []);
  const lastShown = hidden.size > 0 ? repeats[REPEATS_SHOWN - 1] : undefined;
  const end = lastShown === undefined ? all.length : all.indexOf(lastShown);
  // The kills between repeats that are not shown are not shown either.
  const seen = all.filter((each, at) => !hidden.has(each) && (at <= end || each.struck === undefined));
  const day = seen[0]?.moment.at?.toISOString().slice(0, 10) ?? '';
  const given = new Set<string>();
  const rows = joined(seen).map(({ row, last, words }) => {
    const { at, lane, what, text } = row.moment;
    const isAgain = row.given !== undefined && given.has(what);
    if (row.given !== undefined) given.add(what);
    const time = [at, last?.at].map((each) => each && timeOf(each, day)).filter(Boolean);
    return html`<li class="${lane} ${toneOfRow(row, isAgain)}"><time>${time.join(' – ')}</time><span><em class="lane">${LANES[lane]}</em><b>${words}${isAgain && ' AGAIN'}</b>${text !== '' && html`<i>${text}</i>`}${row === lastShown && html`<i>and ${hidden.size} more times</i>`}</span></li>`;
  });
  return html`<div class="heads" aria-hidden="true"><span></span><span>Customer</span><span>Service</span><span>Your shop</span></div><ol class="story">${rows}</ol>`;
}

interface Row {
  readonly row: Seen;
  /** The last moment that it stands for. */
  readonly last: Moment | null;
  readonly words: string;
}

/** Rows that stand for several moments. Each gift has a row of its own, and an outage one with the kills in it. */
function joined(seen: readonly Seen[]): Row[] {
  const runs: Seen[][] = [];
  let sort = '';
  for (const each of seen) {
    const own = each.given !== undefined ? 'gift' : isUnsent(each.moment) || each.struck ? 'outage' : 'other';
    if (own === sort && own !== 'gift') runs.at(-1)?.push(each);
    else runs.push([each]);
    sort = own;
  }
  return runs.flatMap((run) => {
    const [first] = run;
    if (first === undefined || (!isUnsent(first.moment) && first.struck === undefined))
      return joinMoments(run).map((each) => ({ ...each, words: wordsOf(each) }));
    const [unsent, kills] = [run.filter(({ struck }) => struck === undefined), run.filter(({ struck }) => struck)];
    return [
      folded(unsent, (times) => [`${times} attempts`, 'no webhook reaches the shop']),
      folded(kills, (times) => [`is killed ${times} times, and starts again`, '']),
    ].flat();
  });
}

function folded(run: readonly Seen[], of: (times: number) => readonly [words: string, text: string]): Row[] {
  const [row] = run;
  if (row === undefined) return [];
  if (run.length === 1) return [{ row, last: null, words: row.moment.what }];
  const [words, text] = of(run.length);
  return [{ row: { ...row, moment: { ...row.moment, text } }, last: run.at(-1)?.moment ?? null, words }];
}

function toneOfRow({ given, struck, moment }: Seen, isAgain: boolean): string {
  if (given !== undefined) return isAgain ? 'again' : 'give';
  if (struck !== undefined) return 'killed';
  return moment.grade === 'fail' ? 'fails' : '';
}

function timeOf(at: Date, day: string): string {
  return `${at.toISOString().startsWith(day) ? '' : 'next day '}${clockOf(at)}`;
}

const SCRIPT = `for(const button of document.querySelectorAll('.copy')){button.hidden=false;const code=button.previousElementSibling;button.onclick=async()=>{try{await navigator.clipboard.writeText(code.textContent);button.textContent='Copied'}catch{getSelection().selectAllChildren(code)}}}
const open=()=>{const at=document.getElementById(decodeURIComponent(location.hash.slice(1)));if(at&&at.tagName==='DETAILS')at.open=true};addEventListener('hashchange',open);open()`;
