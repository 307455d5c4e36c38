import { Html, html } from '../sandbox/page/html.ts';
import { clockOf, type Moment } from '../story.ts';
import type { Case } from './findings.ts';
import { KINDS, type StormFindingKind, type Tone } from './kinds.ts';
import type { StormFinding, StormResult } from './result.ts';
import type { Seen, Story } from './story.ts';

// The report of a storm as a page in one file: it makes no request, and works without script. It is drawn from data, so the same
// storm gives the same page.

/** What the page is drawn from. */
export interface Report extends Pick<StormResult, 'seed' | 'orders' | 'findings' | 'money' | 'played' | 'notSeen'> {
  readonly cases: readonly Case[];
  readonly story: Story;
  /** The time of the first customer, in epoch milliseconds. */
  readonly start: number;
  /** Each sum as text. */
  readonly moneyText: (kind: 'lost' | 'owed') => string;
  /** What one finding of an order cost, as text. Empty if it cost nothing. */
  readonly costOf: (kind: StormFindingKind) => string;
}

/** Findings with the same kind and the same mistake. */
interface Group {
  readonly first: StormFinding;
  readonly all: readonly StormFinding[];
}

export function pageOf(report: Report): string {
  const groups = groupsOf(report.findings);
  const told = storiesOf(groups);
  const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${`Storm, seed ${report.seed}`}</title><style>${new Html(STYLE)}</style></head><body><main>
${headline(report)}
${cards(report)}
${chart(report, groups[0]?.first.order ?? null)}
${groups.map((group) => groupSection(group, report, told))}
${moreStories(groups, report, told)}
<section class="end"><h2>What the storm could not see</h2><ul>${report.notSeen.map((each) => html`<li>${each}</li>`)}</ul></section>
</main><script>${new Html(SCRIPT)}</script></body></html>`;
  return `${page.text}\n`;
}

function groupsOf(findings: readonly StormFinding[]): Group[] {
  const groups = new Map<string, StormFinding[]>();
  for (const each of findings) {
    const key = `${each.kind} ${each.mistake}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const order = Object.keys(KINDS);
  return [...groups.values()]
    .flatMap((all) => (all[0] === undefined ? [] : [{ first: all[0], all }]))
    .sort((a, b) => order.indexOf(a.first.kind) - order.indexOf(b.first.kind) || b.all.length - a.all.length);
}

function headline({ orders, findings, moneyText, seed, played, start }: Report): Html {
  const wrong = new Set(findings.flatMap(({ order }) => order ?? [])).size;
  const [lost, owed] = [moneyText('lost'), moneyText('owed')];
  const sums = [lost === '' ? '' : `lost ${lost}`, owed === '' ? '' : `owes its customers ${owed}`].filter(
    (each) => each !== '',
  );
  const money = sums.length === 0 ? '' : ` The shop ${sums.join(', and ')}.`;
  const what = findings.length === 0 ? `${orders} orders, nothing wrong.` : `${wrong} of ${orders} orders went wrong.`;
  const { calm: _, ...broken } = played.network;
  const { delivered: __, ...odd } = played.webhooks;
  const day = new Date(start).toUTCString().slice(0, 11);
  const facts = [
    day,
    `seed ${JSON.stringify(seed)} repeats it`,
    `${played.restarts} restarts`,
    `${sum(broken)} broken responses`,
    `${sum(odd)} webhooks lost, late, forged or repeated`,
  ];
  return html`<h1><span class="${findings.length === 0 ? 'good' : 'bad'}">${what}</span>${money}</h1><p class="sub">${facts.join(' · ')}</p>`;
}

function sum(counts: Readonly<Record<string, number | undefined>>): number {
  return Object.values(counts).reduce<number>((total, count) => total + (count ?? 0), 0);
}

function cards({ findings, orders, played, costOf }: Report): Html {
  const kinds = (Object.keys(KINDS) as StormFindingKind[]).flatMap((kind) => {
    const count = findings.filter((each) => each.kind === kind).length;
    if (count === 0) return [];
    const isWhole = findings.some((each) => each.kind === kind && each.order === null) && count === 1;
    return [
      html`<div class="${KINDS[kind].tone}"><b>${isWhole ? '' : `${count} `}${KINDS[kind].counted}</b><span>${costOf(kind)}</span></div>`,
    ];
  });
  const right = orders - new Set(findings.flatMap(({ order }) => order ?? [])).size;
  const restarts = played.restarts > 0 ? `also with ${played.restarts} kills in between` : '';
  return html`<div class="cards">${kinds}<div class="right"><b>${right} right</b><span>${restarts}</span></div></div>`;
}

// The day: a line for each order.

const WIDTH = 1232;
/** Up to this number of orders each has a line. Of more, the right ones are folded. */
const LINES_ALL = 300;
const LINES_MAX = 400;
const HOUR = 3_600_000;

function chart({ cases, findings, story, start, orders }: Report, shown: string | null): Html {
  const tones = tonesOf(findings);
  const lines = cases
    .filter(({ record }) => record.hasArrived && (cases.length <= LINES_ALL || tones.has(record.plan.order.id)))
    .slice(0, LINES_MAX);
  const end = Math.max(HOUR, ...cases.map(({ record }) => record.plan.ends)) + 1.5 * HOUR;
  const x = (at: number): number => round((Math.min(Math.max(at - start, 0), end) * WIDTH) / end);
  const step = lines.length > 150 ? 3 : lines.length > 60 ? 5 : 10;
  const bottom = 24 + Math.max(lines.length * step, 40);
  const hours = Array.from({ length: Math.ceil(end / HOUR) }, (_, hour) => {
    const at = x(start + hour * HOUR);
    return html`<line class="grid" x1="${at}" x2="${at}" y1="16" y2="${bottom}"/><text x="${at + 4}" y="12">${clockOf(new Date(start + hour * HOUR)).slice(0, 5)}</text>`;
  });
  const kills = story.moments.flatMap(({ isKill, moment: { at } }) =>
    isKill !== true || at === null
      ? []
      : [
          html`<line class="kill" x1="${x(at.getTime())}" x2="${x(at.getTime())}" y1="16" y2="${bottom + 4}"/><text text-anchor="middle" x="${x(at.getTime())}" y="${bottom + 16}">↻</text>`,
        ],
  );
  const rows = lines.map((each, index) =>
    orderLine(each, story, tones.get(each.record.plan.order.id), 26 + index * step, x),
  );
  const at = lines.findIndex(({ record }) => record.plan.order.id === shown);
  const label =
    at === -1
      ? null
      : html`<text class="label" x="${Math.min(x(start + (lines[at]?.record.plan.arrives ?? 0)) + 4, WIDTH - 170)}" y="${Math.max(24, 24 + at * step)}">${shown}, shown below</text>`;
  const folded = orders - lines.length;
  const height = bottom + 22;
  const used = new Set(tones.values());
  return html`<div class="chart" tabindex="0" role="region" aria-label="The day"><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="A line for each of ${lines.length} orders, from the button pay to its last webhook">${hours}${kills}${rows}${label}</svg></div>
<p class="legend"><span><i class="plain"></i>an order, from the button to its last webhook</span><span><i class="dot"></i>webhook accepted</span><span><i class="fault"></i>with a fault</span>${(Object.keys(TONES) as Tone[]).filter((tone) => used.has(tone)).map((tone) => html`<span><i class="${tone}"></i>${TONES[tone]}</span>`)}${kills.length > 0 && html`<span>↻ the shop is killed and starts again</span>`}${folded > 0 && html`<span>${folded} ${cases.length > LINES_ALL ? 'right ' : ''}orders are folded</span>`}</p>`;
}

const TONES: { readonly [Name in Tone]: string } = {
  lost: 'given twice, or for nothing',
  less: 'given for less',
  owed: 'paid, not given',
  odd: 'another mistake',
};

/** The colour of each wrong order: that of the finding that costs most. */
function tonesOf(findings: readonly StormFinding[]): Map<string, Tone> {
  const rank = Object.keys(TONES);
  const tones = new Map<string, Tone>();
  for (const { order, kind } of findings) {
    if (order === null) continue;
    const [before, tone] = [tones.get(order), KINDS[kind].tone];
    if (before === undefined || rank.indexOf(tone) < rank.indexOf(before)) tones.set(order, tone);
  }
  return tones;
}

function orderLine({ record }: Case, story: Story, tone: Tone | undefined, y: number, x: (at: number) => number): Html {
  const { id } = record.plan.order;
  const own = story.of(id).filter(({ order }) => order === id);
  const times = own.flatMap(({ moment: { at } }) => at?.getTime() ?? []);
  const [from, to] = [x(Math.min(...times)), x(Math.max(...times))];
  const size = tone === undefined ? 1.3 : 2.4;
  const marks = own.flatMap(({ moment: { at, attempt } }) => {
    if (attempt === undefined || at === null) return [];
    const place = x(at.getTime());
    return attempt.error === null
      ? [html`<circle cx="${place}" cy="${y}" r="${size}"/>`]
      : [
          html`<rect ${attempt.fault === null ? '' : new Html('class="fault" ')}x="${round(place - 0.8)}" y="${round(y - 1.3)}" width="1.6" height="2.6"/>`,
        ];
  });
  return html`<g class="${tone ?? 'plain'}"><title>${id}</title><line x1="${from}" x2="${to}" y1="${y}" y2="${y}"/>${marks}</g>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

// The groups: the story of one order, and the cause.

const STORIES_MAX = 60;
const STORIES_OF_GROUP = 9;

/** The orders whose story is on the page. */
function storiesOf(groups: readonly Group[]): Set<string> {
  const firsts = groups.flatMap(({ first }) => first.order ?? []);
  const others = groups.flatMap(({ all }) => all.slice(1, 1 + STORIES_OF_GROUP).flatMap(({ order }) => order ?? []));
  return new Set([...firsts, ...others].slice(0, STORIES_MAX));
}

function groupSection({ first, all }: Group, { story }: Report, told: ReadonlySet<string>): Html {
  const { order, kind, problem, cause, remedy, shared, replay } = first;
  const title = order === null ? KINDS[kind].counted : `${order}: ${problem}`;
  const others = all.slice(1).flatMap((each) => each.order ?? []);
  const links = others
    .slice(0, 60)
    .map((id) => (told.has(id) ? html`<a href="#${id}">${id}</a> ` : html`<span>${id}</span> `));
  const rest = others.length > 60 ? `and ${others.length - 60} more` : '';
  const code = `import { storm } from 'merchant-invoicing/storm';\n\nconst result = await ${replay};\nassert.deepEqual(result.findings, []);`;
  return html`<section class="two ${KINDS[kind].tone}" ${order === null ? '' : html`id="${order}"`}><div><h2>${title}</h2>${order === null ? html`<p>${problem}</p>` : storyList(story.of(order))}</div>
<div class="cause"><h3>${cause}</h3><p>${remedy}</p>${shared !== null && html`<p class="soft">${shared}</p>`}${others.length > 0 && html`<p class="soft">The other ${others.length}: ${links}${rest}</p>`}
<pre tabindex="0" aria-label="The storm as a test">${code}</pre><button type="button" class="copy" hidden>Copy as test</button></div></section>`;
}

/** The further stories, folded. */
function moreStories(groups: readonly Group[], { story }: Report, told: ReadonlySet<string>): Html {
  const firsts = new Set(groups.map(({ first }) => first.order));
  const others = [...told].filter((id) => !firsts.has(id));
  if (others.length === 0) return html``;
  return html`<section class="end"><h2>Further stories</h2>${others.map((id) => html`<details id="${id}"><summary>${id}</summary>${storyList(story.of(id))}</details>`)}</section>`;
}

const LANES = { customer: 'Customer', service: 'Service', shop: 'Your shop' } as const;

function storyList(seen: readonly Seen[]): Html {
  const [start] = seen;
  const day = start?.moment.at?.toISOString().slice(0, 10) ?? '';
  let gifts = 0;
  const rows = joined(seen).map(({ moment: { at, lane, what, text, grade }, given, isKill, until }) => {
    if (given !== undefined) gifts += 1;
    const tone =
      given !== undefined
        ? gifts > 1
          ? 'again'
          : 'give'
        : isKill === true
          ? 'killed'
          : grade === 'fail'
            ? 'fails'
            : '';
    const word = given !== undefined && gifts > 1 ? `${what} AGAIN` : what;
    const time = at === null ? '' : `${timeOf(at, day)}${until === null ? '' : ` – ${timeOf(until, day)}`}`;
    return html`<li class="${lane} ${tone}"><time>${time}</time><span><em class="lane">${LANES[lane]}</em><b>${word}</b>${text !== '' && html`<i>${text}</i>`}</span></li>`;
  });
  return html`<div class="heads" aria-hidden="true"><span></span><span>Customer</span><span>Service</span><span>Your shop</span></div><ol class="story">${rows}</ol>`;
}

function timeOf(at: Date, day: string): string {
  const isSame = at.toISOString().slice(0, 10) === day;
  return `${isSame ? '' : 'next day '}${clockOf(at)}`;
}

/** Attempts that fail in the same way, one after the other, are one row. */
function joined(seen: readonly Seen[]): (Seen & { readonly until: Date | null })[] {
  const rows: (Seen & { readonly until: Date | null })[] = [];
  for (const each of seen) {
    const before = rows.at(-1);
    const isSame = isSameFailure(before?.moment, each.moment);
    if (before === undefined || !isSame) rows.push({ ...each, until: null });
    else {
      const what = `${before.moment.what
        .split(' to ')[0]
        ?.replace('attempt ', 'attempts ')
        .replace(/ of \d+$/, '')} to ${each.moment.attempt?.number}`;
      rows[rows.length - 1] = { ...before, moment: { ...before.moment, what }, until: each.moment.at };
    }
  }
  return rows;
}

function isSameFailure(before: Moment | undefined, after: Moment): boolean {
  const [one, other] = [before?.attempt, after.attempt];
  if (one === undefined || other === undefined || one.error === null) return false;
  return one.delivery === other.delivery && one.error === other.error && before?.text === after.text;
}

const STYLE = `:root{color-scheme:light dark;--ink:#1a1f36;--soft:#565f72;--paper:#fff;--ground:#f6f7f9;--line:#e3e7ee;--plain:#c3c9d4;--fault:#8b93a3;--mark:#3fa66e;
--lost:#ab1a30;--less:#8a4700;--owed:#6d28d9;--odd:#4c5567;--right:#0a6637;--lost-line:#d4364f;--less-line:#e08a1e;--owed-line:#7c3aed;--odd-line:#5b6b8c;--give:#e2f5ea;--again:#fbe3e6;--service:#eef3fe;--code:#0f1420;--link:#4338ca}
@media(prefers-color-scheme:dark){:root{--ink:#eceef4;--soft:#a9b1c2;--paper:#10131c;--ground:#1a1f2b;--line:#2c3342;--plain:#4a5266;--fault:#7d879b;--mark:#4cc384;
--lost:#ff9ea8;--less:#f4c878;--owed:#c4a6ff;--odd:#b4bdcb;--right:#7fdca4;--lost-line:#ee4d66;--less-line:#f0a040;--owed-line:#a47bff;--odd-line:#8d9dbd;--give:#10301f;--again:#43202a;--service:#1a2544;--code:#080a10;--link:#a9a4ff}}
*{box-sizing:border-box;margin:0;padding:0}body{font:400 14px/20px system-ui,sans-serif;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}
main{max-width:1280px;margin:0 auto;padding:28px 24px 48px}h1{font-size:24px;line-height:32px;letter-spacing:-.01em;font-weight:600}h2{font-size:16px;line-height:24px;font-weight:600}h3{font-size:14px;font-weight:600}
.bad{color:var(--lost)}.good{color:var(--right)}.sub,.soft,.legend{color:var(--soft)}.sub{margin:4px 0 20px}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:12px;margin-bottom:20px}.cards div{border:1px solid var(--line);border-inline-start:4px solid var(--tone-line);border-radius:8px;padding:12px 16px}.cards b{display:block;font-size:20px;line-height:28px;font-weight:600;color:var(--tone)}.cards span{font-size:13px;color:var(--soft)}
.lost{--tone:var(--lost);--tone-line:var(--lost-line)}.less{--tone:var(--less);--tone-line:var(--less-line)}.owed{--tone:var(--owed);--tone-line:var(--owed-line)}.odd{--tone:var(--odd);--tone-line:var(--odd-line)}.right{--tone:var(--right);--tone-line:var(--mark)}.plain{--tone-line:var(--plain)}
.chart{overflow-x:auto}svg{display:block;width:100%;min-width:900px;height:auto}svg text{font:11px system-ui,sans-serif;fill:var(--soft)}svg .label{font-weight:600;fill:var(--lost);paint-order:stroke;stroke:var(--paper);stroke-width:3px}.grid{stroke:var(--line)}.kill{stroke:var(--soft);stroke-dasharray:2 3}g line{stroke:var(--tone-line);stroke-width:2}g.plain line{stroke-width:1}g circle,g rect{fill:var(--tone-line)}g.plain circle{fill:var(--mark)}g.plain rect{fill:var(--fault)}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;font-size:12px;margin:6px 0 24px}.legend i{display:inline-block;width:18px;height:3px;vertical-align:3px;margin-inline-end:6px;background:var(--tone-line)}.legend .dot,.legend .fault{width:7px;height:7px;border-radius:50%;vertical-align:0;background:var(--mark)}.legend .fault{border-radius:0;width:4px;background:var(--fault)}
.two{display:grid;grid-template-columns:minmax(0,1fr) 392px;gap:24px;border-top:1px solid var(--line);padding:20px 0 28px}.two h2{color:var(--tone)}.cause{display:grid;gap:8px;align-content:start}.cause p a,.cause p span{white-space:nowrap}a{color:var(--link)}.end{border-top:1px solid var(--line);padding:20px 0 8px}.end ul{padding-inline-start:20px;color:var(--soft)}details{padding:4px 0}summary{cursor:pointer}
.story{list-style:none}.story li,.heads{display:grid;grid-template-columns:118px 1fr 1fr 1.2fr;gap:0 12px}.heads{font-weight:600;font-size:12px;color:var(--soft);border-bottom:1px solid var(--line);padding-bottom:4px;margin:8px 0 4px}.story time{font-size:12px;color:var(--soft);padding-top:7px}.story span{padding:5px 10px;margin:3px 0;border-radius:6px;background:var(--ground);display:block}.customer span{grid-column:2}.service span{grid-column:3;background:var(--service)}.shop span{grid-column:4}.story i{font-style:normal;font-size:12px;line-height:16px;color:var(--soft);display:block}.story b{font-weight:500}.lane{display:none;font-style:normal;font-size:12px;color:var(--soft)}.story .give span{background:var(--give)}.story .again span{background:var(--again);outline:2px solid var(--lost-line)}.again b{color:var(--lost);font-weight:600}.again i{color:var(--ink)}.fails span{border-inline-start:3px solid var(--fault)}.killed span{border-inline-start:3px dotted var(--soft)}
pre{font:12px/18px ui-monospace,monospace;background:var(--code);color:#d9e0ee;border-radius:8px;padding:12px 16px;white-space:pre-wrap}button{font:inherit;font-weight:600;justify-self:start;min-height:32px;padding:0 12px;border:1px solid var(--plain);border-radius:6px;background:var(--paper);color:var(--ink);cursor:pointer}:focus-visible{outline:2px solid var(--link);outline-offset:2px}[hidden]{display:none}
@media(max-width:900px){.two{grid-template-columns:minmax(0,1fr)}}
@media(max-width:700px){main{padding:20px 16px 32px}.heads{display:none}.story li{grid-template-columns:minmax(0,1fr)}.story span{grid-column:1}.story time{padding-top:4px}.lane{display:block}}
@media print{button{display:none!important}.chart{overflow:visible}svg{min-width:0}.story li,.cards div,pre{break-inside:avoid}}`;

const SCRIPT = `for(const button of document.querySelectorAll('.copy')){button.hidden=false;const code=button.previousElementSibling;button.onclick=async()=>{try{await navigator.clipboard.writeText(code.textContent);button.textContent='Copied'}catch{getSelection().selectAllChildren(code)}}}
const open=()=>{const at=document.getElementById(decodeURIComponent(location.hash.slice(1)));if(at&&at.tagName==='DETAILS')at.open=true};addEventListener('hashchange',open);open()`;
