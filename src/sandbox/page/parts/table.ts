import { type Html, html } from './html.ts';

/** One cell, with what a narrow screen writes before it; empty: nothing. */
export interface Column {
  readonly head: string;
  /** The head says nothing to the eye, as above buttons. */
  readonly silent?: boolean;
}

/** A table that becomes a list of cards on a narrow screen. Roles are written out, since the layout would take them away. */
export function table(columns: readonly Column[], rows: readonly (readonly Html[])[], empty: string): Html {
  if (rows.length === 0) return html`<p class="soft">${empty}</p>`;
  const heads = columns.map(({ head }) => html`<th role="columnheader" scope="col">${head}</th>`);
  return html`<table class="rows" role="table"><thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells) =>
      html`<tr role="row">${cells.map((cell, at) => html`<td role="cell"${columns[at]?.silent !== true && html` data-label="${columns[at]?.head}"`}>${cell}</td>`)}</tr>
`,
  )}</tbody></table>`;
}

const STATES: Readonly<Record<string, 'good' | 'bad' | ''>> = {
  success: 'good',
  delivered: 'good',
  fail: 'bad',
  failed: 'bad',
  expired: 'bad',
  canceled: 'bad',
};

export function pill(state: string): Html {
  return html`<span class="pill ${Object.hasOwn(STATES, state) ? STATES[state] : ''}">${state}</span>`;
}
