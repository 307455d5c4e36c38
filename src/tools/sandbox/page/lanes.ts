// The last fifteen minutes of the clock, as lanes: the payments, and what each endpoint answered.
import { isLoopback } from '../../../contract/values/scalars.ts';
import { type Html, html, type Part } from '../../html.ts';
import type { World } from '../world.ts';
import { counted, minute, section, type Tone, webhookState } from './elements.ts';

const WINDOW = 15 * 60_000;
const MINUTE = 60_000;
/** A tick of the axis every three minutes. */
const TICKS = [0, 3, 6, 9, 12];
/** At most so many lanes: the endpoints that refuse, then those that were used last. The last lane has all others. */
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

/** Null while nothing happened in the window. */
export function lanes(world: World): Html | null {
  const { clock, store } = world;
  // To the next whole minute, so that the ticks are whole minutes too.
  const end = Math.ceil(clock.now() / MINUTE) * MINUTE;
  const start = end - WINDOW;
  const payments = store
    .invoices()
    .filter(({ createdAt }) => createdAt >= start)
    .map(({ createdAt }): Mark => ({ at: createdAt, tone: 'wait' }));
  const deliveries = store.deliveries();
  const endpoints = endpointsOf(deliveries, start);
  if (payments.length === 0 && endpoints.length === 0) return null;
  const inWindow = deliveries.filter(({ log }) => log.some((attempt) => Date.parse(attempt.created_at) >= start));
  const states = inWindow.map((row) => webhookState(row).tone);
  const [delivered, not] = [
    states.filter((tone) => tone === 'good').length,
    states.filter((tone) => tone === 'bad').length,
  ];
  const sums = [
    counted(payments.length, 'payment'),
    delivered > 0 && `${counted(delivered, 'webhook')} delivered`,
    not > 0 && `${not} not`,
  ];
  const shown = endpoints.length > SHOWN ? endpoints.slice(0, SHOWN - 1) : endpoints;
  const others = endpoints
    .slice(shown.length)
    .reverse()
    .flatMap(({ marks }) => marks);
  const paths = endpoints.map(({ url }) => new URL(url).pathname);
  const rows = [
    lane(html`<span>Payments</span>`, counted(payments.length, 'payment'), payments, start),
    // The path alone, unless two hosts have the same.
    ...shown.map((each, at) =>
      endpointLane(each, paths.indexOf(paths[at] ?? '') === paths.lastIndexOf(paths[at] ?? ''), start),
    ),
    others.length > 0 &&
      lane(html`<a href="/webhooks">→ ${endpoints.length - shown.length} others</a>`, marksText(others), others, start),
  ];
  const axis = TICKS.map((at) => html`<span>${minute(start + at * MINUTE)}</span>`);
  const aside = html`<span class="soft small">${sums.filter(Boolean).join(' · ')}</span>`;
  return section(
    'lanes',
    'Last 15 minutes',
    html`<div class="lanes-of">${rows}<p class="axis" aria-hidden="true"><span></span>${axis}</p></div>`,
    aside,
  );
}

/** Those that refuse come first, then those that were used last. */
function endpointsOf(deliveries: ReturnType<World['store']['deliveries']>, start: number): ShopEndpoint[] {
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
  return [...found.values()].sort((a, b) => Number(a.last.isGood) - Number(b.last.isGood) || b.last.at - a.last.at);
}

function endpointLane(endpoint: ShopEndpoint, isPathEnough: boolean, start: number): Html {
  const { url, marks, last } = endpoint;
  const { host, hostname, port, pathname } = new URL(url);
  const name = isPathEnough ? pathname : `${isLoopback(hostname) ? `:${port}` : host}${pathname}`;
  const label = html`<a href="/webhooks?q=${encodeURIComponent(url)}" title="${url}">→ <bdi>${name}</bdi></a>${!last.isGood && html` <span class="bad-text">${last.word}</span>`}`;
  return lane(label, marksText(marks), marks, start);
}

/** The lane for those who do not see it. */
function marksText(marks: readonly Mark[]): string {
  const good = marks.filter(({ tone }) => tone === 'good').length;
  return `${good} accepted, ${marks.length - good} not`;
}

function lane(label: Html, text: string, marks: readonly Mark[], start: number): Html {
  const placed = marks.map(({ at, tone }) => ({ x: `${(((at - start) / WINDOW) * 100).toFixed(1)}%`, tone }));
  // Marks at the same place are drawn once, so that a storm of a thousand stays a page.
  const places = new Map(placed.map((mark) => [`${mark.x} ${mark.tone}`, mark]));
  const shapes = [...places.values()].map(({ x, tone }): Part => {
    if (tone === 'bad' || tone === 'warn')
      return html`<svg x="${x}" y="50%" class="${tone}"><path d="M-3.5-3.5l7 7m0-7l-7 7"/></svg>`;
    return html`<circle cx="${x}" cy="50%" r="3.5" class="${tone}"/>`;
  });
  const grid = TICKS.map((at) => html`<line x1="${(at * 100) / 15}%" x2="${(at * 100) / 15}%" y1="0" y2="100%"/>`);
  return html`<div class="lane-of"><p>${label}<span class="unseen">: ${text}</span></p><svg width="100%" height="28" aria-hidden="true">${grid}${shapes}</svg></div>`;
}
