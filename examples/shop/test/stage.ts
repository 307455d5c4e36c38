import { after } from 'node:test';
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox, type Sandbox } from 'merchant-invoicing/sandbox';
import { type Database, openDatabase } from '../src/database.ts';
import { type Shop, startShop } from '../src/shop.ts';

/**
 * A shop with a service in the same process, and a customer who has a browser
 * without scripts.
 */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly merchant: MerchantClient;
  readonly shop: Shop;
  readonly db: Database;
  /** The lines that the shop has logged. */
  readonly lines: string[];
  get(path: string): Promise<Seen>;
  post(path: string, form: Readonly<Record<string, string>>): Promise<Seen>;
  /** Fills the cart and returns the path of the draft. */
  fillCart(cart?: Readonly<Record<string, string>>): Promise<string>;
  /**
   * Fills the cart, types an address and presses the button. Returns the path
   * of the order and its id.
   */
  order(
    cart?: Readonly<Record<string, string>>,
  ): Promise<{ path: string; id: string; paymentPage: string }>;
  shipments(): number;
}

export interface Seen {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
}

export const TYPED = { number: '1', name: 'Ada', address: '1 Harbour Street' };

export async function openStage(): Promise<Stage> {
  // so that what a test does can be long ago
  const sandbox = createSandbox({ now: Date.now() - 2 * 86_400_000 });
  const { url: baseUrl, apiKey, webhookSecret, fetch: service } = sandbox;
  const merchant = new MerchantClient({
    baseUrl,
    apiKey,
    fetch: service,
    retry: { attempts: 2, baseDelay: 1 },
  });
  const db = openDatabase(':memory:');
  const lines: string[] = [];
  const shop = await startShop({
    db,
    merchant,
    webhookSecret,
    log: (line) => lines.push(line),
  });
  after(async () => {
    await shop.close();
    db.close();
  });

  const see = async (path: string, init: RequestInit = {}): Promise<Seen> => {
    const answer = await fetch(shop.url + path, {
      redirect: 'manual',
      ...init,
    });
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      text: await answer.text(),
    };
  };
  const post: Stage['post'] = (path, form) =>
    see(path, { method: 'POST', body: new URLSearchParams(form) });
  const fillCart: Stage['fillCart'] = async (cart = { tea: '2' }) =>
    (await post('/cart', cart)).location ?? '';
  return {
    sandbox,
    merchant,
    shop,
    db,
    lines,
    get: (path) => see(path),
    post,
    fillCart,
    async order(cart) {
      const path = await fillCart(cart);
      const { location } = await post(`${path}/pay`, TYPED);
      return {
        path,
        id: path.slice('/orders/'.length),
        paymentPage: location ?? '',
      };
    },
    shipments: () =>
      Number(
        db.prepare('SELECT count(*) AS count FROM shipments').get()?.['count'],
      ),
  };
}

/** All invoices of the service. */
export const invoicesOf = ({ merchant }: Stage) =>
  merchant.invoices.list().collect({ limit: 100 });
