import { Html, html } from '../../html.ts';
import { BASE, RECONCILE, REPORT } from '../../style.ts';
import { type CurrencyLine, type ReconcileReport, type Section, SUMS } from './report.ts';

/** The report as one file of HTML, which loads nothing. It holds what the terminal prints. */
export function pageOf(report: ReconcileReport, title: string): string {
  const { grade, about, verdict, counts, money, sections, folded } = report;
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
<header><p class="soft small">${about.map((text, at) => html`${at > 0 && ' · '}<bdi>${text}</bdi>`)}</p>
<h1 class="${grade}">${verdict.map((sentence) => html`<span>${sentence}</span> `)}</h1>
<p class="soft">${counts.map((text) => html`${text}. `)}</p></header>
${money.length > 1 ? sumsTable(money) : money.map(sumsOf)}
${sections.map((section, at) => sectionOf(section, at + 1))}
${folded.map(({ title: what, advice, names }) => html`<section><h2>${what}</h2><p class="soft">${advice}</p><p><bdi>${names}</bdi></p></section>`)}
</main></body>
</html>
`;
  return body.text;
}

/** The money of a currency in large figures, with a colour where somebody waits for it. */
function sumsOf({ currency, sums }: CurrencyLine): Html {
  const figures = sums.map(({ amount, orders }, at) => {
    const { of, title = '' } = SUMS[at] ?? {};
    return html`<div><dt>${title}</dt><dd class="num${/[1-9]/.test(amount) && ` ${of}`}">${amount}</dd><dd class="soft small">${orders}</dd></div>`;
  });
  return html`<dl class="sums" aria-label="${currency}">${figures}</dl>`;
}

/** The money of several currencies, a line for each. */
function sumsTable(money: readonly CurrencyLine[]): Html {
  const heads = SUMS.map(({ head }) => html`<th scope="col" class="num">${head}</th>`);
  const rows = money.map(({ currency, sums }) => {
    const cells = SUMS.map(
      ({ of, head }, at) => html`<td class="num ${of}" data-label="${head}">${sums[at]?.amount}</td>`,
    );
    return html`<tr><td data-label="Currency"><strong>${currency}</strong></td>${cells}</tr>\n`;
  });
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Money"><table><thead><tr><th scope="col">Currency</th>${heads}</tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function sectionOf({ title, extent, advice, heads, rows, isTodo }: Section, at: number): Html {
  const formOf = (column: number): Html | false => heads[column]?.form === 'number' && html` class="num"`;
  const cell = (text: string, column: number): Html => {
    const { text: label = '', form } = heads[column] ?? {};
    return html`<td${formOf(column)} data-label="${label}">${form === 'free' ? html`<bdi>${text}</bdi>` : text}</td>`;
  };
  const tick = (name: string): Html => html`<td class="tick"><input type="checkbox" aria-label="${name}: done"></td>`;
  return html`<section><h2>${isTodo && `${at}. `}${title} <span class="soft">${extent}</span></h2>${advice && html`<p class="soft">${advice}</p>`}
<div class="scroll" tabindex="0" role="group" aria-label="${title}"><table><thead><tr>${isTodo && html`<th scope="col" class="tick"><span class="unseen">Done</span></th>`}${heads.map(({ text }, column) => html`<th scope="col"${formOf(column)}>${text}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${isTodo && tick(row[0] ?? '')}${row.map(cell)}</tr>\n`)}</tbody></table></div></section>`;
}
