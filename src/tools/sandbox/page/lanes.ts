// The last minutes of the clock, as lanes: the payments, and what each endpoint answered.
import { isLoopback } from '../../../contract/values/scalars.ts';
import { type Html, html, type Part } from '../../html.ts';
import type { DeliveryRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import { minute, since, span, type Tone } from './elements.ts';
import { causesOf, isOwn, outageOf, sinceOf } from './unheard.ts';

const MINUTE = 60_000;
/** The smallest window. */
const WINDOW = 15 * MINUTE;
/** Minutes from one tick of the axis to the next. A window has six at most. */
const STEPS = [3, 5, 10, 15, 30, 60, 120, 240, 480, 1440];
/** At most so many lanes: the endpoints that refuse, then the others. The last lane has all that have none. */
const SHOWN = 5;

/** Something at a time: a payment, or an attempt. */
interface Mark {
  readonly at: number;
  readonly tone: Tone;
}

/** What one endpoint answered, and what it answered last. */
interface ShopEndpoint {
  readonly url: string;
  readonly marks: Mark[];
  last: { readonly at: number; readonly isGood: boolean; readonly word: string };
}

/** The part of the clock that is drawn. */
interface Window {
  readonly start: number;
  readonly length: number;
  readonly ticks: readonly number[];
}

/**
 * The lanes. They begin before the first payment that the shop has not heard of, so that an outage between two attempts
 * is in sight, and before the first payment of all where it has heard of each. Null while nothing happened.
 */
export function lanes(world: World, unheard: readonly DeliveryRecord[]): Html | null {
  const { clock, store } = world;
  const own = store.invoices().filter(isOwn);
  const begin = unheard.length > 0 ? sinceOf(unheard) : (own[0]?.createdAt ?? clock.now());
  const window = windowOf(clock.now(), begin);
  const payments = own
    .filter((invoice) => invoice.createdAt >= window.start)
    .map(({ createdAt }): Mark => ({ at: createdAt, tone: 'wait' }));
  const deliveries = store.deliveries().filter(({ invoice }) => isOwn(invoice));
  const endpoints = endpointsOf(deliveries, unheard, window.start);
  if (payments.length === 0 && endpoints.length === 0) return null;
  const shown = endpoints.length > SHOWN ? endpoints.slice(0, SHOWN - 1) : endpoints;
  const others = endpoints.slice(shown.length).flatMap(({ marks }) => marks);
  const paths = endpoints.map(({ url }) => new URL(url).pathname);
  const outage = unheard.length === 0 ? null : outageOf(unheard).since;
  const rows = [
    lane(html`<span>Payments</span>`, html`<span class="soft">${payments.length}</span>`, payments, window, outage),
    // The path alone, unless two hosts have the same.
    ...shown.map((each, at) => {
      const isPathEnough = paths.indexOf(paths[at] ?? '') === paths.lastIndexOf(paths[at] ?? '');
      const mine = unheard.filter(({ url }) => url === each.url);
      return endpointLane(each, mine, isPathEnough, window, clock.now());
    }),
    others.length > 0 &&
      lane(
        html`<a href="/webhooks">→ ${endpoints.length - shown.length} others</a>`,
        html`<span class="soft">${acceptedText(others)}</span>`,
        others,
        window,
        null,
      ),
  ];
  return html`<div class="lanes-of">${rows}<div class="lane-of axis" aria-hidden="true"><span class="soft">Last ${span(window.length)}</span><svg width="100%" height="20">${axis(window, outage)}</svg><span></span></div></div>`;
}

/** How wide a time and the word "now" are, in percent of the narrowest chart, and of a wide one. */
const NARROW = { time: 16, now: 10 };
const WIDE = { time: 8, now: 5 };

/** The times below the lanes: when the outage began, now, and those of the ticks that have the room. */
function axis(window: Window, outage: number | null): Part {
  const begin = outage === null ? null : placeOf(outage, window);
  const isLate = begin !== null && begin + NARROW.time > 100 - NARROW.now; // its label ends at the line, or before "now"
  const at = begin === null ? 0 : isLate ? Math.min(begin, 100 - NARROW.now) : begin;
  const free = ({ time, now }: typeof WIDE): Set<number> => {
    const taken = [{ from: 100 - now, to: 100 }];
    if (begin !== null) taken.push(isLate ? { from: at - time, to: at } : { from: at, to: at + time });
    return new Set(
      window.ticks.filter((tick) => {
        const from = placeOf(tick, window);
        const isFree = from !== begin && taken.every((each) => from + time <= each.from || from >= each.to);
        if (isFree) taken.push({ from, to: from + time });
        return isFree;
      }),
    );
  };
  const narrow = free(NARROW);
  const label = (x: number, look: string, text: Part): Html =>
    html`<foreignObject x="${x}%" width="64" height="20" class="${look}">${text}</foreignObject>`;
  return [
    [...free(WIDE)].map((tick) => label(placeOf(tick, window), narrow.has(tick) ? 'tick' : 'tick wide', minute(tick))),
    outage !== null && label(at, `begin${isLate ? ' late' : ''}`, minute(outage)),
    label(100, 'late', html`<span>now</span>`),
  ];
}

/** The window begins a little before a time. */
function windowOf(now: number, begin: number): Window {
  const needed = Math.max(WINDOW, (now - begin) * 1.1);
  const minutes = STEPS.find((step) => step * 6 * MINUTE >= needed) ?? Math.ceil(needed / MINUTE / 6 / 1440) * 1440;
  const step = minutes * MINUTE;
  const start = now - Math.ceil(needed / MINUTE) * MINUTE;
  const first = Math.ceil(start / step) * step;
  const ticks = Array.from({ length: Math.ceil((now - first) / step) }, (_, at) => first + at * step);
  return { start, length: now - start, ticks };
}

/** Those that refuse come first, in the order of the causes below the chart. So none changes its place by an attempt. */
function endpointsOf(
  deliveries: readonly DeliveryRecord[],
  unheard: readonly DeliveryRecord[],
  start: number,
): ShopEndpoint[] {
  const found = new Map<string, ShopEndpoint>();
  for (const { url, log } of deliveries) {
    for (const { created_at, success, status_code, fault } of log) {
      const at = Date.parse(created_at);
      if (at < start) continue;
      const last = { at, isGood: success, word: status_code === null ? 'no response' : String(status_code) };
      const endpoint = found.get(url) ?? { url, marks: [], last };
      endpoint.marks.push({ at, tone: success ? 'good' : fault === null ? 'bad' : 'warn' });
      if (at >= endpoint.last.at) endpoint.last = last;
      found.set(url, endpoint);
    }
  }
  const refusing = new Set(causesOf(unheard).flatMap(({ rows }) => rows[0]?.url ?? []));
  const good = [...found.keys()].filter((url) => !refusing.has(url)).sort();
  return [...refusing, ...good].flatMap((url) => found.get(url) ?? []);
}

/** @param unheard What this endpoint has not accepted. */
function endpointLane(
  { url, marks, last }: ShopEndpoint,
  unheard: readonly DeliveryRecord[],
  isPathEnough: boolean,
  window: Window,
  now: number,
): Html {
  const { host, hostname, port, pathname } = new URL(url);
  const name = isPathEnough ? pathname : `${isLoopback(hostname) ? `:${port}` : host}${pathname}`;
  const label = html`<a href="/webhooks?q=${encodeURIComponent(url)}" title="${url}">→ <bdi>${name}</bdi></a>`;
  const [outage, word] =
    unheard.length === 0
      ? [null, html`<span class="soft">${acceptedText(marks)}</span>`]
      : [
          sinceOf(unheard),
          html`<span class="bad-text">${last.isGood ? `${unheard.length} not accepted` : html`${last.word} since ${since(sinceOf(unheard), now)}`}</span>`,
        ];
  return lane(label, word, marks, window, outage);
}

function acceptedText(marks: readonly Mark[]): string {
  const good = marks.filter(({ tone }) => tone === 'good').length;
  return good === marks.length ? `${good} accepted` : `${good} of ${marks.length} accepted`;
}

/** In percent of the window. */
function placeOf(at: number, { start, length }: Window): number {
  return Math.round(((at - start) / length) * 1000) / 10;
}

/** @param outage From when on a webhook was not accepted. Null if all were. */
function lane(label: Html, word: Html, marks: readonly Mark[], window: Window, outage: number | null): Html {
  // Marks at the same place are drawn once, so that a storm of a thousand stays a page.
  const placed = marks.map(({ at, tone }) => ({ x: placeOf(at, window), tone }));
  const places = new Map(placed.map((mark) => [`${mark.x} ${mark.tone}`, mark]));
  const shapes = [...places.values()].map(({ x, tone }): Part => {
    if (tone === 'bad' || tone === 'warn')
      return html`<svg x="${x}%" y="50%" class="${tone}"><path d="M-3.5-3.5l7 7m0-7l-7 7"/></svg>`;
    return html`<circle cx="${x}%" cy="50%" r="3.5" class="${tone}"/>`;
  });
  const from = outage === null ? null : placeOf(outage, window);
  const shade = from !== null && html`<rect x="${from}%" width="${100 - from}%" height="100%"/>`;
  const begin = from !== null && html`<line class="begin" x1="${from}%" x2="${from}%" y1="0" y2="100%"/>`;
  const grid = window.ticks.map((at) => {
    const x = placeOf(at, window);
    return html`<line x1="${x}%" x2="${x}%" y1="0" y2="100%"/>`;
  });
  return html`<div class="lane-of"><p>${label}</p><svg width="100%" height="32" aria-hidden="true">${shade}${grid}${begin}${shapes}</svg><p class="small num">${word}</p></div>`;
}
