import type { ClaimRequest, ClaimResult, WebhookStore } from '../stores/store.ts';

export type MakeStore = () => WebhookStore | Promise<WebhookStore>;
/** Checks by name, in their order. */
export type ConformanceChecks = Readonly<Record<string, (tested: StoreUnderTest) => Promise<void>>>;

/** A lease that is longer than any check, in milliseconds. */
export const LONG_LEASE = 60_000;

/** The store of one check, with a random key. */
export class StoreUnderTest {
  readonly store: WebhookStore;
  readonly again: MakeStore;
  readonly key = `${crypto.randomUUID()}:paid`;

  constructor(store: WebhookStore, again: MakeStore) {
    this.store = store;
    this.again = again;
  }

  claim(owner: string, lease = LONG_LEASE, request: Partial<ClaimRequest> = {}): Promise<ClaimResult> {
    return this.store.claim({ key: this.key, owner, digest: digestOf(owner), lease, ...request });
  }

  async expectClaim(owner: string, state: ClaimResult['state'], digest?: string, lease = LONG_LEASE): Promise<void> {
    assertSame(await this.claim(owner, lease), digest === undefined ? { state } : { state, digest: digestOf(digest) });
  }

  /** Claims a key with an expired lease. Waits until the store's clock has moved on. */
  async takeOver(owner: string): Promise<ClaimResult> {
    for (let tries = 0; tries < 200; tries += 1) {
      const result = await this.claim(owner);
      if (result.state !== 'running') return result;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('A claim with a lease of 0 ms is still running after 2 seconds.');
  }

  async renewAndComplete(owner: string): Promise<[boolean, boolean]> {
    const claim = { key: this.key, owner };
    return [await this.store.renew(claim, LONG_LEASE), await this.store.complete(claim)];
  }
}

export const digestOf = (owner: string): string => owner.charCodeAt(0).toString(16).padStart(64, '0');

export function assertSame(got: unknown, wanted: unknown): void {
  const [found, expected] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (found !== expected) throw new Error(`expected ${expected}, got ${found}`);
}
