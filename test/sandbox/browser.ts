/** A browser without script: reads forms and links out of HTML, submits, follows redirects. Strict about what it meets. */
export interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly buttons: readonly { readonly name: string; readonly value: string; readonly text: string }[];
  readonly textInputs: readonly string[];
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

function plain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|#96);/g, (_, name: string) => ENTITIES[name] ?? '');
}

function attributes(tag: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of tag.matchAll(/\s([a-z-]+)(?:="([^"]*)")?/g)) found[name] = plain(value);
  return found;
}

function parseForm(source: string): Form {
  const [open = ''] = /<form[^>]*>/.exec(source) ?? [];
  const fields: Record<string, string> = {};
  const textInputs: string[] = [];
  for (const [tag] of source.matchAll(/<input[^>]*>/g)) {
    const input = attributes(tag);
    const { name = '', type, value = '' } = input;
    if (type === 'text') textInputs.push(name);
    else if ('disabled' in input || (type === 'radio' && !('checked' in input))) continue;
    else fields[name] = value;
  }
  const buttons = [...source.matchAll(/(<button[^>]*>)([\s\S]*?)<\/button>/g)].map(([, tag = '', text = '']) => {
    const { name = '', value = '' } = attributes(tag);
    return { name, value, text: plain(text.replace(/<[^>]*>/g, '')) };
  });
  return { action: attributes(open)['action'] ?? '', fields, buttons, textInputs };
}

async function pageFrom(response: Response, url: string): Promise<Page> {
  const html = await response.text();
  return {
    status: response.status,
    url,
    html,
    headers: response.headers,
    forms: [...html.matchAll(/<form[\s\S]*?<\/form>/g)].map(([source]) => parseForm(source)),
    text: plain(html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')),
    links: [...html.matchAll(/<a[^>]*>/g)].map(([tag]) => attributes(tag)['href'] ?? ''),
  };
}

export async function open(url: string): Promise<Page> {
  return pageFrom(await fetch(url), url);
}

/** Presses a button, by its value. Fills in what is given; follows the one redirect, which must be a 303. */
export async function press(page: Page, value: string, filled: Readonly<Record<string, string>> = {}): Promise<Page> {
  const form = page.forms.find(({ buttons }) => buttons.some((button) => button.value === value));
  const button = form?.buttons.find((each) => each.value === value);
  if (form === undefined || button === undefined) throw new Error(`no button ${value} on ${page.url}`);
  const body = new URLSearchParams({ ...form.fields, ...filled, [button.name]: button.value });
  const target = new URL(form.action, page.url);
  const headers = { Origin: target.origin };
  const response = await fetch(target, { method: 'POST', body, headers, redirect: 'manual' });
  const location = response.headers.get('location');
  if (response.status !== 303 || location === null) return pageFrom(response, target.href);
  await response.arrayBuffer();
  return open(new URL(location, target).href);
}
