import { MerchantClient } from '../../src/client.ts';
import {
  type CatchUpClient,
  type CatchUpCursor,
  type CatchUpOptions,
  type CatchUpResult,
  createWebhookHandler,
  type WebhookStore,
} from '../../src/webhooks/index.ts';
import { type Invoices, indexOf } from './invoices.ts';
import type { ListService } from './list-service.ts';

/** A shop whose webhooks never arrive: `catchUp` alone fulfils its orders. */
export class Shop {
  /** How often each invoice was fulfilled or canceled. */
  readonly handled: Uint8Array;
  cursor: CatchUpCursor | undefined;
  /** Messages of its reports. */
  readonly reports: string[] = [];
  readonly #service: ListService;
  readonly #handler;
  /** Reads the lists. A bench replaces the real client. */
  merchant: CatchUpClient;
  /** Throws in the function of the merchant. */
  fails: (index: number) => boolean = () => false;

  constructor(service: ListService, { created }: Invoices, fetch: (url: string) => Promise<Response> = service.fetch) {
    this.#service = service;
    this.handled = new Uint8Array(created.length);
    const handle = ({ invoice_uuid }: { readonly invoice_uuid: string }): void => {
      const index = indexOf(invoice_uuid);
      if (this.fails(index)) throw new Error('the database is down');
      this.handled[index] = (this.handled[index] ?? 0) + 1;
    };
    this.#handler = createWebhookHandler({
      secret: 'whsec_0123456789abcdef',
      store: storeOf(this.handled),
      now: () => service.now,
      onPaid: handle,
      onCanceled: handle,
      onReport: ({ message }) => void this.reports.push(message),
    });
    this.merchant = new MerchantClient({ baseUrl: 'https://pay.example.com', apiKey: 'key', fetch, retry: false });
  }

  /** Runs `catchUp` once, as a separate process would: the cursor goes through its JSON. */
  async catchUp(options: Partial<CatchUpOptions> = {}): Promise<CatchUpResult & { readonly requests: number }> {
    const before = this.#service.requests;
    const cursor: CatchUpCursor | undefined =
      this.cursor === undefined ? undefined : JSON.parse(JSON.stringify(this.cursor));
    const result = await this.#handler.catchUp(this.merchant, { since: 0, cursor, ...options });
    this.cursor = result.cursor;
    return { ...result, requests: this.#service.requests - before };
  }

  /** Invoices that had finished by this time, and were not handled exactly once. */
  lost(time: number, { finished }: Invoices): number[] {
    return [...finished.keys()].filter((index) => (finished[index] ?? 0) <= time && this.handled[index] !== 1);
  }
}

/** A store over a column of counts: a million events in a million bytes. */
function storeOf(done: Uint8Array): WebhookStore {
  const running = new Map<string, string>();
  return {
    retention: null,
    claim: async ({ key, owner, digest }) => {
      if ((done[indexOf(key)] ?? 0) > 0) return { state: 'done', digest };
      if (running.has(key)) return { state: 'running', digest };
      running.set(key, owner);
      return { state: 'claimed' };
    },
    renew: async ({ key, owner }) => running.get(key) === owner,
    complete: async ({ key }) => running.delete(key),
    release: async ({ key }) => void running.delete(key),
  };
}
