// A list with its search, its filters and its pages, and the page of a list with one of its rows beside it.

import { type Html, html, type Part } from '../../html.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import { addressOf, byDay, nothing } from './elements.ts';
import { type DashboardPage, dashboardPage } from './frame.ts';
import { isOwn } from './unheard.ts';

const PAGE_SIZE = 25;

/** How a list is searched and filtered. */
interface ListParts<Row> {
  /** The filters by name, the first one for all rows. */
  readonly states: Readonly<Record<string, (row: Row) => boolean>>;
  /** The texts of a row that a search looks into. */
  readonly texts: (row: Row) => readonly (string | null | undefined)[];
  readonly hint: string;
  /** What stands in place of a list without any rows. */
  readonly none: Html;
  /** The row whose page is shown, where the filter has it. */
  readonly chosen?: Row | null;
  readonly show: (rows: readonly Row[]) => Html;
}

/** The part of a list that the address asks for by filter, search and page, with what changes these three. */
interface Listing<Row> {
  /** The rows of the page. */
  readonly part: readonly Row[];
  readonly rows: Html;
  readonly search: Html;
  readonly tabs: Html;
  /** Null where there is one page. */
  readonly pager: Html | null;
}

/** Without case, and with plain spaces: an amount may have a space that does not break. */
function comparable(text: string): string {
  return text.toLowerCase().replace(/\s/g, ' ');
}

/** A list with its search, its filter and its pages. */
export function listing<Row>(incoming: IncomingRequest, all: readonly Row[], parts: ListParts<Row>): Listing<Row> {
  const { states, texts, hint, none, chosen: row, show } = parts;
  const { pathname, searchParams } = incoming.url;
  const [given, asked] = [searchParams.get('state') ?? '', searchParams.get('page') ?? ''];
  const typed = (searchParams.get('q') ?? '').trim();
  const wanted = comparable(typed);
  const [first = '', ...others] = Object.keys(states);
  const chosen = others.find((name) => name.toLowerCase() === given) ?? first;
  const matching = all.filter(
    (row) => wanted === '' || texts(row).some((text) => comparable(text ?? '').includes(wanted)),
  );
  // Whoever types the whole id of an order looks for that one.
  const isExact = (row: Row): boolean => texts(row).some((text) => comparable(text ?? '') === wanted);
  const searched = wanted === '' ? matching : [...matching].sort((a, b) => Number(isExact(b)) - Number(isExact(a)));
  const found = searched.filter((row) => states[chosen]?.(row));
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  const at = row ? found.indexOf(row) : -1;
  const wantedPage = at >= 0 ? Math.floor(at / PAGE_SIZE) + 1 : /^[1-9]\d{0,8}$/.test(asked) ? Number(asked) : 1;
  const page = Math.min(pages, wantedPage);
  const part = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const link = (target: number, word: string): Html =>
    html`<a class="button" href="${addressOf(incoming, { page: String(target) })}">${word}</a>`;
  const filters = Object.entries(states).map(([name, isIn]) => {
    const address = addressOf(incoming, { state: name === first ? '' : name.toLowerCase(), page: '' });
    return html`<a href="${address}"${name === chosen && html` aria-current="true"`}>${name} <span class="num">${searched.filter(isIn).length}</span></a>`;
  });
  return {
    part,
    rows:
      part.length > 0
        ? show(part)
        : all.length === 0
          ? none
          : nothing(
              'Nothing matches',
              html`${wanted !== '' && html`“<bdi>${typed}</bdi>” is in ${searched.length} of ${all.length}. `}<a href="${pathname}">Show all ${all.length}</a>`,
            ),
    search: html`<form method="get" action="${pathname}" role="search">${given !== '' && html`<input type="hidden" name="state" value="${given}">`}<div class="joined"><input type="search" name="q" value="${typed}" placeholder="${hint}" aria-label="${hint}" autocomplete="off">${wanted !== '' && html`<a class="button" href="${addressOf(incoming, { q: '', page: '' })}" aria-label="Clear the search">×</a>`}<button>Search</button></div></form>`,
    tabs: html`<nav class="tabs" id="tabs" aria-label="Filter" data-live>${filters}</nav>`,
    pager:
      pages === 1
        ? null
        : html`<nav class="row pager" aria-label="Pages"><span class="soft num">Page ${page} of ${pages}</span>${page > 1 && link(page - 1, 'Newer')} ${page < pages && link(page + 1, 'Older')}</nav>`,
  };
}

/** A list without the orders that `webhooks check` made, and the line that offers to show them. */
export function withoutCheck<Row>(
  incoming: IncomingRequest,
  rows: readonly Row[],
  invoiceOf: (row: Row) => InvoiceRecord,
): { readonly shown: readonly Row[]; readonly note: Part } {
  const own = rows.filter((row) => isOwn(invoiceOf(row)));
  const folded = rows.length - own.length;
  if (folded === 0 || incoming.url.searchParams.get('check') === 'shown') return { shown: rows, note: null };
  const address = addressOf(incoming, { check: 'shown' });
  return {
    shown: own,
    note: html`<p class="soft small pad">${folded} of <code>webhooks check</code> not shown. <a href="${address}">Show</a></p>`,
  };
}

/** A page with a list, and one of its rows beside it. */
interface PanesPage<Row> extends Omit<ListParts<Row>, 'show'> {
  readonly title: string;
  /** The path of the list. A row has the address below it that ends in its id. */
  readonly path: string;
  readonly rows: readonly Row[];
  /** What stands below the rows. */
  readonly note?: Part;
  /** The row that the address names, or null. */
  readonly chosen: Row | null;
  readonly at: (row: Row) => number | string;
  /** What the times of the rows say, above them. */
  readonly times: string;
  /** A row of the list: the classes of its link, and what stands in it. */
  readonly row: (row: Row) => { readonly look: string; readonly cells: Html };
  /** The headline of a row, as text. */
  readonly headline: (row: Row) => string;
  /** The chosen row, or the first of the list. `asTitle` makes the title of the detail. */
  readonly detail: (row: Row, asTitle: (headline: Html) => Html) => Html | Promise<Html>;
  readonly done?: DashboardPage['done'];
}

/**
 * A list and one of its rows beside it: the chosen one, or the first of the list on a wide screen. On a narrow screen
 * the list, or the row that was chosen.
 */
export async function panesPage<Row extends { readonly id: string }>(
  world: World,
  incoming: IncomingRequest,
  parts: PanesPage<Row>,
): Promise<UnsentResponse> {
  const { title, path, rows, note, chosen, at, times, row: rowOf, headline, detail, done } = parts;
  const address = { ...incoming, url: new URL(`${path}${incoming.url.search}`, incoming.url) };
  const query = addressOf(address, { try: '' }).slice(path.length);
  const show = (part: readonly Row[]): Html =>
    byDay(
      part,
      at,
      (row) => {
        const { look, cells } = rowOf(row);
        const isShown = row === (chosen ?? part[0]);
        // The address has the list as it stands, and the place to which the browser scrolls the list.
        return html`<a class="row ${look}" href="${path}/${row.id}${query}#${row.id}" id="${row.id}"${isShown && html` aria-current="true"`}>${cells}</a>`;
      },
      times,
    );
  const list = listing(address, rows, { ...parts, show });
  const isChosen = chosen !== null;
  const shown = chosen ?? list.part[0];
  const asTitle = (text: Html): Html => (isChosen ? html`<h1>${text}</h1>` : html`<h2 class="h1">${text}</h2>`);
  const beside =
    shown &&
    html`${crumbs(path, title, headline(shown), 'narrow-only')}
${await detail(shown, asTitle)}`;
  return dashboardPage(world, incoming, {
    title: isChosen ? headline(chosen) : title,
    heading: null,
    isWide: true,
    content: html`<div class="panes${isChosen && ' chosen'}"><div class="list"><div class="list-head">${isChosen ? html`<p class="h1">${title}</p>` : html`<h1>${title}</h1>`}${list.search}${list.tabs}</div>
<div id="rows" data-live>${list.rows}${note}</div>${list.pager}</div>
<div class="detail">${beside}</div></div>`,
    ...(done && { done }),
  });
}

/** The way back to the list above a title. */
export function crumbs(path: string, name: string, title: Part, look = ''): Html {
  return html`<nav class="crumbs ${look}" aria-label="Path"><a href="${path}">${name}</a> <span aria-hidden="true">›</span> <bdi>${title}</bdi></nav>`;
}
