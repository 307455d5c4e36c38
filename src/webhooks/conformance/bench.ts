import type { ClaimRequest, ClaimResult, WebhookStore } from '../stores/store.ts';

export type MakeStore = () => WebhookStore | Promise<WebhookStore>;
export type Check = readonly [name: string, run: (bench: Bench) => Promise<void>];

/** A lease that no check outlives. */
export const LONG = 60_000;

/** One check's store and keys, and the words for what is wrong. */
export class Bench {
  readonly store: WebhookStore;
  readonly again: MakeStore;
  readonly key = `${crypto.randomUUID()}:paid`;

  constructor(store: WebhookStore, again: MakeStore) {
    this.store = store;
    this.again = again;
  }

  claim(owner: string, lease = LONG, request: Partial<ClaimRequest> = {}): Promise<ClaimResult> {
    return this.store.claim({ key: this.key, owner, digest: digestOf(owner), lease, ...request });
  }

  async expect(owner: string, state: ClaimResult['state'], digest?: string, lease = LONG): Promise<void> {
    same(await this.claim(owner, lease), digest === undefined ? { state } : { state, digest: digestOf(digest) });
  }

  /** Claims a key whose lease is over; waits where the store's clock needs a moment. */
  async takeOver(owner: string): Promise<ClaimResult> {
    for (let tries = 0; tries < 200; tries += 1) {
      const result = await this.claim(owner);
      if (result.state !== 'running') return result;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('A claim with a lease of 0 ms is still running after 2 seconds.');
  }

  async ours(owner: string): Promise<[boolean, boolean]> {
    const claim = { key: this.key, owner };
    return [await this.store.renew(claim, LONG), await this.store.complete(claim)];
  }
}

export const digestOf = (owner: string): string => owner.charCodeAt(0).toString(16).padStart(64, '0');

export function same(got: unknown, wanted: unknown): void {
  const [found, expected] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (found !== expected) throw new Error(`expected ${expected}, got ${found}`);
}
