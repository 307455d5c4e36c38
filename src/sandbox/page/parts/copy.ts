import { type Html, html } from './html.ts';

/** A text with a button that copies it. */
export function copyBlockOpen(id: string, text: string, label = 'Environment'): Html {
  return html`<pre class="scroll" id="${id}-text" tabindex="0" role="group" aria-label="${label}">${text}</pre>
<div data-scripted hidden><button type="button" class="small" data-copy="${id}-text">Copy</button></div>`;
}

/** The same, closed until it is asked for. Nothing without a text. */
export function copyBlock(id: string, title: string, note: string, text: string | null): Html | null {
  if (text === null) return null;
  return html`<details><summary>${title}</summary><div class="stack tight"><p class="soft small">${note}</p>
${copyBlockOpen(id, text, title)}</div></details>`;
}
