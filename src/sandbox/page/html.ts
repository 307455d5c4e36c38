import { isHttpAddress } from '../../contract/values/hosts.ts';
import type { Answer } from '../service/respond.ts';

/** Text that is HTML. The template escapes all other text. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | null | undefined | false | readonly Part[];

/** A template that escapes the values in it, for text and for quoted attributes. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, index) => text + (index < parts.length ? rendered(parts[index]) : '')).join(''));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function rendered(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number')
    return String(part).replace(/[&<>"'`]/g, (mark) => ENTITIES[mark] ?? '');
  return part.map(rendered).join('');
}

/** Text with the parts between back quotes as code. */
export function withCode(text: string): Html {
  return html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** JSON with indents. Any other text is unchanged. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** An address for a link: http or https, null for any other scheme. */
export function safeLink(address: string | null): string | null {
  return isHttpAddress(address) ? address : null;
}

/** Pages load nothing from outside, have nothing inline, are not framed, and send forms only to the sandbox. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** What surrounds the content of a page. */
interface Surroundings {
  readonly status?: number;
  /** The browser loads the page again after a moment, because it shows work in progress. */
  readonly reload?: boolean;
  /** Navigation and tools of the dashboard. The payment page has none. */
  readonly tools?: Html | null;
}

/** A whole page. */
export function pageAnswer(
  title: string,
  main: Html,
  { status = 200, reload = false, tools = null }: Surroundings = {},
): Answer {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${reload && html`<noscript><meta http-equiv="refresh" content="2"></noscript>`}
<title>${title}</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/sandbox.css">
<script src="/assets/sandbox.js" defer></script>
</head>
<body class="${tools === null ? 'checkout' : 'dashboard'}"${reload && html` data-look-again`}>
<header class="banner"><p><strong>SANDBOX</strong> No real money. Nothing leaves this machine.</p></header>
${tools}
<main id="main">
${main}
</main>
</body>
</html>
`;
  return { status, headers: { ...HEADERS, 'Content-Type': 'text/html; charset=utf-8' }, body: document.text };
}

/** A file of the pages. */
export function fileAnswer(type: string, body: string): Answer {
  return { status: 200, headers: { ...HEADERS, 'Content-Type': type }, body };
}

/** Redirects the browser with GET, so that a reload repeats nothing. */
export function seeOther(location: string): Answer {
  return { status: 303, headers: { ...HEADERS, Location: location }, body: '' };
}
