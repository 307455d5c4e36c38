import { DIALECTS, type Dialect, type DialectEntry } from '../dialect/dialects.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { dashboardPage } from './dashboard-frame.ts';
import { type Html, html, withCode } from './parts/html.ts';
import { table } from './parts/table.ts';

/** The active dialects: every point that the interface leaves open, and what the sandbox assumes. */
export function assumptionsPage(world: World, exchange: Exchange): Answer {
  const rows = Object.entries<DialectEntry>(DIALECTS).map(
    ([name, { values, default: byDefault, section, unsaid, meaning, pin }]) => {
      const value = world.settings.dialect[name as keyof Dialect]; // a key of the table is a key of the dialect
      return [
        html`<span id="${name}">${capital(unsaid)}</span><br><code class="soft">${name}</code>${meaning !== null && html`<br><span class="small">${withCode(meaning)}</span>`}`,
        html`<strong>${valueText(value)}</strong>${value !== byDefault && html` <span class="pill">not the default</span>`}`,
        html`<span class="soft">${values
          .filter((other) => other !== value)
          .map(valueText)
          .join(', ')}</span>`,
        html`<span class="small">${section}</span>${pin !== null && html`<br><span class="small">To pin it: ${withCode(pin)}</span>`}`,
      ];
    },
  );
  const heads = ['Open point', 'Assumed here', 'Could also be', 'Section of the interface'];
  return dashboardPage(
    exchange,
    'Assumptions',
    html`<h1>Assumptions</h1>
<p>The interface of the service does not show these points. The values are the likeliest reading, not knowledge. The option <code>dialect</code> of the sandbox selects the others. Run your tests over them before you go live.</p>
<section class="card" aria-label="Active dialects">${table(heads, rows, '')}</section>`,
  );
}

function capital(text: string): Html {
  return withCode(text.charAt(0).toUpperCase() + text.slice(1));
}

function valueText(value: string | number): string {
  return value === '' ? '(empty)' : String(value);
}
