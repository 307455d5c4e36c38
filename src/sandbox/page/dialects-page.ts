import { DIALECTS, type Dialect, type DialectEntry } from '../dialects.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { actionForm, dashboardPage } from './dashboard-frame.ts';
import { type Html, html, withCode } from './parts/html.ts';

type Row = readonly [name: keyof Dialect, entry: DialectEntry];

/** The active dialects, by section of the interface: every open point, what the sandbox assumes, and a way to change it. */
export function assumptionsPage(world: World, exchange: Exchange): Answer {
  const rows = Object.entries(DIALECTS) as [keyof Dialect, DialectEntry][]; // a key of the table is a key of the dialect
  const sections = new Map<string, Row[]>();
  for (const row of rows) sections.set(row[1].section, [...(sections.get(row[1].section) ?? []), row]);
  const changed = rows.filter(([name, { default: byDefault }]) => world.settings.dialect[name] !== byDefault).length;
  return dashboardPage(
    exchange,
    'Assumptions',
    html`<h1>Assumptions</h1>
<p>The interface of the service does not show these points. The values are the likeliest reading, not knowledge. Run your tests over the others before you go live. A change here applies to all that follows, until the sandbox ends.</p>
<p class="soft small">${rows.length} points, ${changed === 0 ? 'all with their defaults' : `${changed} not with the default`}. A test sets them with the option <code>dialect</code>.</p>
${[...sections].map(([section, list], at) => sectionOf(world, exchange, section, list, `section-${at}`))}`,
  );
}

function sectionOf(world: World, exchange: Exchange, section: string, rows: readonly Row[], id: string): Html {
  return html`<section class="card stack" aria-labelledby="${id}"><h2 id="${id}">${section}</h2>
<ul class="stack">${rows.map(([name, entry]) => point(exchange, name, entry, world.settings.dialect[name]))}</ul></section>`;
}

function point(exchange: Exchange, name: string, entry: DialectEntry, value: string | number): Html {
  const { values, default: byDefault, unsaid, meaning, tests } = entry;
  const choice = html`<input type="hidden" name="name" value="${name}"><label class="field grow"><span><code>${name}</code></span><select name="value">${values.map(
    (each) =>
      html`<option value="${each}"${each === value && html` selected`}>${valueText(each)}${each === byDefault && ' (default)'}</option>`,
  )}</select></label><button>Assume</button>`;
  return html`<li class="point" id="${name}"><div class="stack tight"><p><strong>${capital(unsaid)}</strong>: ${valueText(value)}${value !== byDefault && html` <span class="pill">not the default</span>`}</p>
${meaning !== null && html`<p class="small soft">${withCode(meaning)}</p>`}<p class="small soft">Tests ${withCode(tests)}.</p></div>
${actionForm(exchange, 'assume', choice, { style: 'row', label: name })}</li>`;
}

function capital(text: string): Html {
  return withCode(text.charAt(0).toUpperCase() + text.slice(1));
}

function valueText(value: string | number): string {
  return value === '' ? '(empty)' : String(value);
}
