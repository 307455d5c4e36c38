const REMEMBERED = 32;
const DEEPEST = 24;

/** Replaces every secret that the client ever held in text and data from outside: servers echo headers. */
export class Redactor {
  #secrets: string[] = [];

  /** Remembers a secret in the forms in which an answer could quote it. */
  add(secret: string): void {
    if (secret === '' || this.#secrets.includes(secret)) return;
    const forms = new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
    // Longest first, so that no form leaves the rest of a longer one behind.
    this.#secrets = [...forms, ...this.#secrets].slice(0, REMEMBERED * 3).sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    let result = text;
    for (const secret of this.#secrets) {
      if (result.includes(secret)) result = result.replaceAll(secret, '[redacted]');
    }
    return result;
  }

  /** A copy of parsed JSON with every text redacted, names included; cut where it is nested too deeply to be read. */
  data(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEEPEST) return '[nested too deeply]';
    if (Array.isArray(value)) return value.map((item) => this.data(item, depth + 1));
    const copy: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      // Assigning to __proto__ would change the copy instead of adding a member.
      if (name !== '__proto__') copy[this.text(name)] = this.data(member, depth + 1);
    }
    return copy;
  }
}
