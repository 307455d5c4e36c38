import { Html, html } from '../../html.ts';
import { BASE, RECONCILE, REPORT } from '../../style.ts';
import type { ReconcileReport, Table } from './report.ts';

/** The report as one file of HTML, which loads nothing. It holds what the terminal prints. */
export function pageOf(report: ReconcileReport, title: string): string {
  const { grade, verdict, counts, money, tables, folded } = report;
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${new Html(BASE + REPORT + RECONCILE)}</style>
</head>
<body><main>
<h1><span class="${grade}">${verdict.first}</span> ${verdict.rest}</h1>
<p class="soft">${counts.join(' · ')}</p>
${money && sumsOf(money)}
${tables.map((table) => html`<section><h2>${table.title}</h2>${table.advice && html`<p class="soft">${table.advice}</p>`}${tableOf(table)}</section>`)}
${folded && html`<details><summary><strong>${folded.title}</strong></summary><p class="soft">${folded.advice}</p><p>${folded.names}</p></details>`}
</main></body>
</html>
`;
  return body.text;
}

/** The money of each currency in large figures, with a colour where somebody waits for it. */
function sumsOf({ title, heads, rows }: Table): Html {
  const figure = (text: string, value: string, at: number): Html => {
    const tone = /[1-9]/.test(value) && (at === 0 ? html` class="paid"` : at === 2 && html` class="difference"`);
    return html`<div><dt>${text}</dt><dd${tone}>${value}</dd></div>`;
  };
  return html`<section class="sums" aria-label="${title}">${rows.map(([currency, ...sums]) => html`<dl>${sums.map((value, at) => figure(`${heads[at + 1]?.text} ${currency}`, value, at))}</dl>`)}</section>`;
}

function tableOf({ title, heads, rows }: Table): Html {
  const kind = (at: number): Html | false => heads[at]?.isNumber === true && html` class="num"`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${title}"><table><thead><tr>${heads.map(({ text }, at) => html`<th scope="col"${kind(at)}>${text}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, at) => html`<td${kind(at)}><bdi>${cell}</bdi></td>`)}</tr>\n`)}</tbody></table></div>`;
}
