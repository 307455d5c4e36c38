import { type Html, html } from '../../html.ts';
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
<style>${STYLE}</style>
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

/** The colours of the sandbox's pages. Written as HTML, because an escaped quote would not be CSS. */
const STYLE = html`
:root { color-scheme: light dark; --ink: #1a1f36; --soft: #596275; --paper: #fff; --ground: #f6f7f9; --line: #e6e9ef; --good: #0a6637; --warn: #8a4700; --bad: #ab1a30; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaf0; --soft: #a1aabb; --paper: #0f1218; --ground: #171b24; --line: #2a303d; --good: #7fdca4; --warn: #f4c878; --bad: #ff9ea8; } }
* { box-sizing: border-box; margin: 0; padding: 0; }
body { font: 400 14px/20px -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Arial, sans-serif; color: var(--ink); background: var(--paper); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
main { max-width: 1184px; margin: 0 auto; padding: 32px 24px 48px; display: grid; gap: 28px; grid-template-columns: minmax(0, 1fr); }
h1 { font-size: 26px; line-height: 34px; font-weight: 600; letter-spacing: -.01em; } h1 + p { margin-top: -24px; } h2 { font-size: 16px; line-height: 24px; font-weight: 600; } strong { font-weight: 600; }
.soft, dt, th { color: var(--soft); } .pass { color: var(--good); } .fail { color: var(--bad); } .inconclusive { color: var(--warn); }
.sums { border: 1px solid var(--line); border-radius: 10px; } dl { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); } dl + dl { border-top: 1px solid var(--line); } dl > div { padding: 14px 20px; border-inline-start: 1px solid var(--line); } dl > div:first-child { border: 0; } dd { font-size: 22px; line-height: 28px; font-weight: 600; letter-spacing: -.01em; } dd.paid { color: var(--bad); } dd.difference { color: var(--warn); }
.scroll { overflow-x: auto; margin-top: 8px; } table { width: 100%; border-collapse: collapse; } th { font-size: 12px; line-height: 16px; font-weight: 600; text-align: start; padding: 6px 12px; background: var(--ground); white-space: nowrap; } td { padding: 9px 12px; border-bottom: 1px solid var(--line); vertical-align: top; } td:first-child { font-weight: 600; white-space: nowrap; } td:last-child { min-width: 120px; } .num { text-align: end; white-space: nowrap; }
details { border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px; } summary { cursor: pointer; } details p { margin-top: 8px; }
@media (max-width: 600px) { main { padding: 24px 16px; } h1 { font-size: 20px; line-height: 28px; } dl { grid-template-columns: minmax(0, 1fr); } dl > div { border: 0; padding: 10px 16px; } }
@media print { details { border: 0; } }
`;
