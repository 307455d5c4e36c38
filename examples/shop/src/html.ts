/** Text that is HTML already. Only `html` makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Builds HTML. Every value is escaped, unless it is HTML itself, so text of a
 * customer is never markup.
 */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly Value[]
): Html {
  return new Html(
    parts
      .map(
        (part, index) =>
          part + (index < values.length ? render(values[index] ?? '') : ''),
      )
      .join(''),
  );
}

function render(value: Value): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replace(
    /[&<>"']/g,
    (character) => ENTITIES[character] ?? character,
  );
}
