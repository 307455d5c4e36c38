import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { copyBlockOpen } from './parts/copy.ts';
import { type Html, html } from './parts/html.ts';

/** The values that are the same in every sandbox, so that anybody may see them. */
const PUBLIC: ReadonlySet<string> = new Set(['sk_sandbox', 'whsec_sandbox']);

/** Base URL, key and secret as lines of an `.env` file. Values that the user gave are shown only on request. */
export function credentials(world: World, { url }: Exchange): Html {
  const { apiKey, webhookSecret } = world.settings;
  const isAsked = url.searchParams.get('secrets') === 'shown';
  const hides = !isAsked && !(PUBLIC.has(apiKey) && PUBLIC.has(webhookSecret));
  const shown = (value: string): string => (isAsked || PUBLIC.has(value) ? value : '(given with an option)');
  const lines = [
    `MERCHANT_BASE_URL=${world.url}`,
    `MERCHANT_API_KEY=${shown(apiKey)}`,
    `MERCHANT_WEBHOOK_SECRET=${shown(webhookSecret)}`,
  ];
  return html`${copyBlockOpen('env', lines.join('\n'))}
${hides && html`<p class="small"><a href="/?secrets=shown">Show the key and the secret</a></p>`}`;
}
