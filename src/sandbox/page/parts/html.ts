import type { Answer } from '../../service/respond.ts';

/** Text that is HTML already. Everything else that goes into a template is escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | null | undefined | false | readonly Part[];

/** A template that escapes what is put into it, in text and in quoted attributes alike. */
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

/** An address that may stand in a link; null for every other scheme. */
export function safeLink(address: string | null): string | null {
  return address !== null && /^https?:\/\//i.test(address) && URL.canParse(address) ? address : null;
}

/** Nothing from outside, nothing inline, no frames, forms to the sandbox alone. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** How a page is framed. */
interface Frame {
  readonly status?: number;
  /** The page shows something that is still under way: the browser looks again after a moment. */
  readonly again?: boolean;
  /** Between the banner and the content. */
  readonly nav?: Html;
  readonly wide?: boolean;
}

/** A whole page. */
export function pageAnswer(
  title: string,
  main: Html,
  { status = 200, again = false, nav, wide = false }: Frame = {},
): Answer {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${again && html`<noscript><meta http-equiv="refresh" content="2"></noscript>`}
<title>${title}</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/sandbox.css">
<script src="/assets/sandbox.js" defer></script>
</head>
<body${again && html` data-look-again`}>
<header>
<p class="banner"><strong>SANDBOX</strong> · no real money, nothing leaves this machine</p>
${nav}
</header>
<main${wide && html` class="wide"`}>
${main}
</main>
</body>
</html>
`;
  return { status, headers: { ...HEADERS, 'Content-Type': 'text/html; charset=utf-8' }, body: document.text };
}

/** A file of the sandbox's own. */
export function fileAnswer(type: string, body: string): Answer {
  return { status: 200, headers: { ...HEADERS, 'Content-Type': type }, body };
}

/** Sends the browser on with GET, so that a reload repeats nothing. */
export function seeOther(location: string): Answer {
  return { status: 303, headers: { ...HEADERS, Location: location }, body: '' };
}
