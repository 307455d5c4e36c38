import { DIALECTS, type Dialect, type DialectEntry } from '../dialect/dialects.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { dashboardPage } from './dashboard-frame.ts';
import { type Html, html } from './parts/html.ts';
import { table } from './parts/table.ts';
import { worded } from './parts/worded.ts';

/** The dialects in force: everything that the interface leaves unsaid and the sandbox had to choose. */
export function assumptionsPage(world: World, exchange: Exchange): Answer {
  const rows = Object.entries<DialectEntry>(DIALECTS).map(
    ([name, { values, default: byDefault, section, unsaid, pin }]) => {
      const value = world.settings.dialect[name as keyof Dialect]; // a key of the table is a key of the dialect
      return [
        html`<span id="${name}">${capital(unsaid)}</span><br><code class="soft">${name}</code>`,
        html`<strong>${written(value)}</strong>${value !== byDefault && html` <span class="pill">not the default</span>`}`,
        html`<span class="soft">${values
          .filter((other) => other !== value)
          .map(written)
          .join(', ')}</span>`,
        html`<span class="small">${section}</span>${pin !== null && html`<br><span class="small">To cope: ${worded(pin)}</span>`}`,
      ];
    },
  );
  const heads = [
    { head: 'Not shown' },
    { head: 'Played here' },
    { head: 'Could also be' },
    { head: 'Section of the interface' },
  ];
  return dashboardPage(
    exchange,
    'Assumptions',
    html`<h1>Assumptions</h1>
<p>The interface of the service does not show these points. The values are the likeliest reading, not knowledge. Play the others with the option <code>dialect</code> of the sandbox, and run your tests over them before you go live.</p>
<section class="card" aria-label="Dialects in force">${table(heads, rows, '')}</section>`,
  );
}

function capital(text: string): Html {
  return worded(text.charAt(0).toUpperCase() + text.slice(1));
}

function written(value: string | number): string {
  return value === '' ? '(nothing)' : String(value);
}
