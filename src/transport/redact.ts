const HIDDEN = '[redacted]';
/** Keys that a function gave, beyond which the oldest is forgotten. */
const REMEMBERED = 32;
const DEEPEST = 24;
/** Shorter values of a request are no secret, and hiding them would garble every message that has such a word. */
const SHORTEST_OF_REQUEST = 6;
/** A secret's beginning of this length, at the end of a text that broke off, is hidden too. */
const SHORTEST_BEGINNING = 4;

/** Replaces every secret that the client ever held in text and data from outside: servers echo headers. */
export class Redactor {
  readonly #parent: Redactor | null;
  readonly #fixed: readonly string[];
  readonly #rotated = new Map<string, readonly string[]>();
  #forms: readonly string[] | null = null;

  constructor(fixed: readonly string[] = [], parent: Redactor | null = null) {
    this.#parent = parent;
    this.#fixed = fixed;
  }

  /** Remembers a key that a function gave. */
  add(key: string): void {
    if (key === '' || this.#rotated.has(key)) return;
    this.#rotated.set(key, formsOf(key));
    const [oldest] = this.#rotated.keys();
    if (this.#rotated.size > REMEMBERED && oldest !== undefined) this.#rotated.delete(oldest);
    this.#forms = null;
  }

  /** A redactor that hides besides what one request carried. Its forms are made only if something has to be hidden. */
  hiding(values: readonly string[]): Redactor {
    const long = values.filter((value) => value.length >= SHORTEST_OF_REQUEST);
    return long.length === 0 ? this : new Redactor(long, this);
  }

  text(text: string): string {
    let result = this.#parent?.text(text) ?? text;
    for (const form of this.#all()) {
      if (result.includes(form)) result = result.replaceAll(form, HIDDEN);
    }
    return result;
  }

  /** Text that broke off, perhaps in the middle of a secret. */
  brokenText(text: string): string {
    const whole = this.text(text);
    let kept = whole.length;
    for (let redactor: Redactor | null = this; redactor !== null; redactor = redactor.#parent) {
      for (const form of redactor.#all()) kept = Math.min(kept, whole.length - beginningAtEnd(whole, form));
    }
    return kept === whole.length ? whole : whole.slice(0, kept) + HIDDEN;
  }

  /** A copy of parsed JSON with every text redacted, names included; cut where it is nested too deeply to be read. */
  data(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEEPEST) return '[nested too deeply]';
    if (Array.isArray(value)) return value.map((item) => this.data(item, depth + 1));
    const copy: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      // Defined, because assigning to __proto__ would change the copy instead of adding a member.
      Object.defineProperty(copy, this.#name(name), {
        value: this.data(member, depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return copy;
  }

  /** A plain word stays a member's name even where a request carried the same word, as a purpose of "details" would. */
  #name(name: string): string {
    return this.#parent !== null && /^[a-z_]+$/.test(name) ? this.#parent.#name(name) : this.text(name);
  }

  /** Longest first, so that no form leaves the rest of a longer one behind. */
  #all(): readonly string[] {
    this.#forms ??= [...this.#fixed.flatMap(formsOf), ...[...this.#rotated.values()].flat()].sort(
      (a, b) => b.length - a.length,
    );
    return this.#forms;
  }
}

/** The forms in which an answer could quote a text: plain, in JSON of several writers, in a page, in an address. */
function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const forms = [
    text,
    json,
    JSON.stringify(json).slice(1, -1), // JSON inside a JSON text
    json.replaceAll('/', '\\/'),
    json.replace(/[^\x20-\x7e]/g, escaped),
    json.replace(/[<>&]/g, escaped),
    text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`),
    text.replace(/[<>&"]/g, (character) => HTML_NAMES[character] ?? character),
  ];
  try {
    forms.push(encodeURIComponent(text));
  } catch {
    // half of a surrogate pair cannot stand in an address
  }
  return [...new Set(forms)].filter((form) => form !== '');
}

const HTML_NAMES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Length of the longest beginning of `form` that stands at the end of `text`; 0 when too short to matter. */
function beginningAtEnd(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length >= SHORTEST_BEGINNING; length -= 1) {
    if (text.endsWith(form.slice(0, length))) return length;
  }
  return 0;
}
