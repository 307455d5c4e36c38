import { type Html, html } from './html.ts';

/** What stands between backquotes is code. */
export function worded(text: string): Html {
  return html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
