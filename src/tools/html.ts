/** Text that is HTML. The template escapes all other text. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Part = string | number | Html | null | undefined | false | readonly Part[];

/** A template that escapes the values in it, for text and for quoted attributes. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, index) => text + rendered(parts[index])).join(''));
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
