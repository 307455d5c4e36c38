import { anySpelling, beginningAtEnd } from './spelling.ts';

const HIDDEN = '[redacted]';
/** Keys that a function gave, beyond which the oldest is forgotten. */
const REMEMBERED = 32;
const DEEPEST = 24;
/** A key or secret of this length is no word: it is hidden also where it is glued to others, as in `\nsk_test_secret`. */
const NO_WORD = 8;

/** Replaces every secret that the client ever held in text and data from outside: servers echo headers. */
export class Redactor {
  readonly #parent: Redactor | null;
  readonly #fixed: readonly string[];
  readonly #rotated = new Set<string>();
  /** Made when something has to be hidden for the first time: most calls succeed. */
  #patterns: readonly RegExp[] | null = null;

  constructor(fixed: readonly string[] = [], parent: Redactor | null = null) {
    this.#parent = parent;
    this.#fixed = fixed;
  }

  /** Remembers a key that a function gave. */
  add(key: string): void {
    if (key === '' || this.#rotated.has(key)) return;
    this.#rotated.add(key);
    const [oldest] = this.#rotated;
    if (this.#rotated.size > REMEMBERED && oldest !== undefined) this.#rotated.delete(oldest);
    this.#patterns = null;
  }

  /** A redactor that hides, besides, what one request carried. */
  hiding(values: readonly string[]): Redactor {
    return values.length === 0 ? this : new Redactor(values, this);
  }

  /** This one without what a request carried: for data of the service that may rightly repeat it. */
  get ofClient(): Redactor {
    return this.#parent ?? this;
  }

  text(text: string): string {
    this.#patterns ??= this.#secrets().map((secret) =>
      anySpelling(secret, this.#parent !== null || secret.length < NO_WORD),
    );
    return this.#patterns.reduce((shown, pattern) => shown.replace(pattern, HIDDEN), this.#parent?.text(text) ?? text);
  }

  /** Text that broke off, perhaps in the middle of a secret. */
  brokenText(text: string): string {
    const whole = this.text(text);
    const hidden = this.#beginningAtEnd(whole);
    return hidden === 0 ? whole : whole.slice(0, -hidden) + HIDDEN;
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
      Object.defineProperty(copy, this.text(name), {
        value: this.data(member, depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return copy;
  }

  /** Longest first, so that no secret leaves the rest of a longer one behind. */
  #secrets(): string[] {
    return [...this.#fixed, ...this.#rotated].sort((a, b) => b.length - a.length);
  }

  #beginningAtEnd(whole: string): number {
    const own = this.#secrets().map((secret) => beginningAtEnd(whole, secret));
    return Math.max(0, this.#parent === null ? 0 : this.#parent.#beginningAtEnd(whole), ...own);
  }
}
