/** A form of a page, as a browser would submit it. */
interface Form {
  readonly action: string;
  readonly fields: Map<string, string>;
  readonly buttons: readonly {
    readonly name: string;
    readonly value: string;
  }[];
}

/**
 * A customer whose browser submits forms and follows redirects, and runs no
 * scripts.
 */
export class Customer {
  #page = '';
  #url = '';

  async open(url: string): Promise<string> {
    return this.#follow(await fetch(url, { redirect: 'manual' }), url);
  }

  /**
   * Presses the button with this action, after filling the fields of its form.
   */
  async press(
    action: string,
    fill: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const form = this.#forms().find(({ buttons }) =>
      buttons.some(({ value }) => value === action),
    );
    const button = form?.buttons.find(({ value }) => value === action);
    if (form === undefined || button === undefined)
      throw new Error(`the page has no button "${action}"`);
    const body = new URLSearchParams([...form.fields]);
    for (const [name, value] of Object.entries(fill)) body.set(name, value);
    body.set(button.name, button.value);
    const target = new URL(form.action, this.#url).href;
    return this.#follow(
      await fetch(target, { method: 'POST', body, redirect: 'manual' }),
      target,
    );
  }

  async #follow(
    response: Response,
    url: string,
    redirects = 0,
  ): Promise<string> {
    const location = response.headers.get('location');
    if (location === null || redirects === 5) {
      this.#url = url;
      this.#page = await response.text();
      return this.#page;
    }
    await response.body?.cancel();
    const next = new URL(location, url).href;
    return this.#follow(
      await fetch(next, { redirect: 'manual' }),
      next,
      redirects + 1,
    );
  }

  #forms(): Form[] {
    return [...this.#page.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(
      ([, attributes = '', inner = '']) => {
        const fields = new Map<string, string>();
        for (const [input] of inner.matchAll(/<input\b[^>]*>/g)) {
          const isChosen =
            attributeOf(input, 'type') !== 'radio' || /\schecked\b/.test(input);
          if (isChosen && !/\sdisabled\b/.test(input))
            fields.set(attributeOf(input, 'name'), attributeOf(input, 'value'));
        }
        const buttons = [...inner.matchAll(/<button\b[^>]*>/g)].map(
          ([button]) => ({
            name: attributeOf(button, 'name'),
            value: attributeOf(button, 'value'),
          }),
        );
        return { action: attributeOf(attributes, 'action'), fields, buttons };
      },
    );
  }
}

function attributeOf(tag: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
}
