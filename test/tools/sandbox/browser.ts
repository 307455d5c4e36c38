/** A browser without script: reads forms and links out of HTML, submits, follows redirects. Strict about what it meets. */
export interface Form {
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly buttons: readonly { readonly name: string; readonly value: string }[];
}

export interface Page {
  readonly status: number;
  readonly url: string;
  readonly html: string;
  readonly headers: Headers;
  readonly forms: readonly Form[];
  readonly text: string;
  readonly links: readonly string[];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#96': '`' };

/** Text of HTML without its entities. */
export function plain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|#96);/g, (_, name: string) => ENTITIES[name] ?? '');
}

function attributes(tag: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of tag.matchAll(/\s([a-z-]+)(?:="([^"]*)")?/g)) found[name] = plain(value);
  return found;
}

function tagsOf(html: string, name: string): Record<string, string>[] {
  return [...html.matchAll(new RegExp(`<${name}[ >][^>]*`, 'g'))].map(([tag]) => attributes(tag));
}

function parseForm(html: string): Form {
  const inputs = tagsOf(html, 'input').filter(
    (input) => !('disabled' in input) && (input['type'] !== 'radio' || 'checked' in input),
  );
  return {
    action: tagsOf(html, 'form')[0]?.['action'] ?? '',
    fields: inputs.map(({ name = '', value = '' }) => [name, value]),
    buttons: tagsOf(html, 'button').map(({ name = '', value = '' }) => ({ name, value })),
  };
}

async function pageFrom(response: Response, url: string): Promise<Page> {
  const html = await response.text();
  return {
    status: response.status,
    url,
    html,
    headers: response.headers,
    forms: [...html.matchAll(/<form[\s\S]*?<\/form>/g)].map(([form]) => parseForm(form)),
    text: plain(html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')),
    links: tagsOf(html, 'a').map(({ href = '' }) => href),
  };
}

export async function open(url: string): Promise<Page> {
  return pageFrom(await fetch(url), url);
}

/**
 * Presses a button, by its value, or submits the form of an action. Fills in what is given; follows the one redirect, which
 * must be a 303.
 */
export async function press(page: Page, value: string, filled: Readonly<Record<string, string>> = {}): Promise<Page> {
  const form = page.forms.find(
    ({ action, buttons }) => action === `/_/${value}` || buttons.some((button) => button.value === value),
  );
  if (form === undefined) throw new Error(`no button ${value} on ${page.url}`);
  const body = new URLSearchParams(form.fields.map(([name, text]) => [name, text]));
  for (const [name, text] of Object.entries(filled)) body.set(name, text);
  for (const button of form.buttons) if (button.value === value) body.set(button.name, value);
  const target = new URL(form.action, page.url);
  const headers = { Origin: target.origin };
  const response = await fetch(target, { method: 'POST', body, headers, redirect: 'manual' });
  const location = response.headers.get('location');
  if (response.status !== 303 || location === null) return pageFrom(response, target.href);
  await response.arrayBuffer();
  return open(new URL(location, target).href);
}
