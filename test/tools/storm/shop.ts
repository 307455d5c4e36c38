import { DatabaseSync } from 'node:sqlite';
import { type CreatedInvoice, Decimal, hasCode, type Invoice, MerchantClient, orderOf } from '../../../src/index.ts';
import type { OrderState, ReconcileOrder } from '../../../src/reconcile/index.ts';
import type {
  StormCheckout,
  StormFulfilment,
  StormOrder,
  StormService,
  StormShop,
} from '../../../src/tools/storm/index.ts';
import {
  createWebhookHandler,
  type InvoiceAdjustedEvent,
  type InvoiceCanceledEvent,
  type InvoiceEvent,
  type InvoicePaidEvent,
  sqliteStore,
  toFetchHandler,
  verifyWebhook,
  type WebhookHandler,
} from '../../../src/webhooks/index.ts';

export type PaidEvent = InvoicePaidEvent | InvoiceAdjustedEvent;

/** A right shop over SQLite in the process. A test replaces one of its methods: by a mistake, or by another design. */
export class Shop {
  readonly service: StormService;
  readonly db = new DatabaseSync(':memory:');
  readonly merchant: MerchantClient;
  secret: string;
  now: () => number;
  handler!: WebhookHandler; // by start()
  clicks = 0;
  askedForAll = 0;

  constructor(service: StormService) {
    this.service = service;
    [this.secret, this.now] = [service.webhookSecret, service.now];
    const { baseUrl, apiKey, fetch } = service;
    this.merchant = new MerchantClient({ baseUrl, apiKey, fetch, retry: { baseDelay: 1 } });
    this.db.exec(`CREATE TABLE orders (id TEXT PRIMARY KEY, amount TEXT, currency TEXT, state TEXT DEFAULT 'open', credited TEXT);
      CREATE TABLE attempts (external_id TEXT PRIMARY KEY, order_id TEXT);
      CREATE INDEX attempts_of ON attempts (order_id);
      CREATE TABLE payments (uuid TEXT PRIMARY KEY, order_id TEXT, external_id TEXT, credited TEXT);
      CREATE TABLE given (order_id TEXT, kind TEXT, item TEXT, credited TEXT);
      CREATE TABLE seen (uuid TEXT PRIMARY KEY)`);
  }

  async start(): Promise<void> {
    const store = sqliteStore(this.db, { now: this.now });
    await store.migrate();
    this.handler = createWebhookHandler({
      secret: this.secret,
      store,
      now: this.now,
      onPaid: (event, { commit }) => commit(() => this.paid(event)),
      onAdjusted: (event, { commit }) => commit(() => this.adjusted(event)),
      onCanceled: (event, { commit }) => commit(() => this.canceled(event)),
      onReport() {},
    });
  }

  orderOf(external_id: string): string {
    return orderOf(external_id).order;
  }

  /** The external ids of the invoices of an order, the first one first. */
  attemptsOf(id: string): string[] {
    const rows = this.db.prepare('SELECT external_id FROM attempts WHERE order_id = ? ORDER BY rowid').all(id);
    return rows.map(({ external_id }) => String(external_id));
  }

  stateOf(id: string): string {
    return String(this.db.prepare('SELECT state FROM orders WHERE id = ?').get(id)?.['state']);
  }

  /** The credited USDT of all payments of an order. */
  creditOf(id: string): string {
    const rows = this.db.prepare('SELECT credited FROM payments WHERE order_id = ?').all(id);
    return rows.reduce((sum, { credited }) => sum.plus(String(credited)), new Decimal(0)).toFixed();
  }

  /** Whether less than the order was paid. */
  isPartly(id: string): boolean {
    return this.db.prepare(`SELECT 1 FROM given WHERE order_id = ? AND kind = 'review'`).get(id) !== undefined;
  }

  set(id: string, state: OrderState, credited: string | null = null): void {
    const { changes } = this.db
      .prepare('UPDATE orders SET state = ?, credited = ? WHERE id = ?')
      .run(state, credited, id);
    if (changes !== 1) throw new Error('no order has this id');
  }

  give(id: string, { kind = null, item = null, credited_usdt = null }: Partial<StormFulfilment> = {}): void {
    const credited = credited_usdt === null ? null : String(credited_usdt);
    this.db
      .prepare('INSERT INTO given VALUES (?, ?, ?, ?)')
      .run(id, kind, item === null ? null : String(item), credited);
  }

  credit(event: PaidEvent): string {
    return event.credited_usdt.toFixed();
  }

  /** Keeps a payment by its invoice. `isSecond`: another invoice of the order was paid before. */
  book(event: PaidEvent): { readonly id: string; readonly isSecond: boolean; readonly credited: string } {
    const [id, uuid] = [this.orderOf(event.external_id), event.invoice_uuid];
    this.db
      .prepare('INSERT OR REPLACE INTO payments VALUES (?, ?, ?, ?)')
      .run(uuid, id, event.external_id, this.credit(event));
    const isSecond =
      this.db.prepare('SELECT 1 FROM payments WHERE order_id = ? AND uuid <> ?').get(id, uuid) !== undefined;
    return { id, isSecond, credited: this.creditOf(id) };
  }

  paid(event: PaidEvent): void {
    const { id, isSecond, credited } = this.book(event);
    const isDone = isSecond && this.stateOf(id) === 'fulfilled';
    this.set(id, 'fulfilled', credited);
    this.give(id, isDone ? { kind: 'review' } : {});
  }

  adjusted(event: InvoiceAdjustedEvent): void {
    if (event.original_amount !== null && event.amount.gte(event.original_amount)) {
      this.paid(event);
      this.give(this.orderOf(event.external_id), { kind: 'review' }); // a person returns the surplus
      return;
    }
    const { id, credited } = this.book(event);
    const isDone = this.stateOf(id) === 'fulfilled';
    this.set(id, isDone ? 'fulfilled' : 'paid', credited);
    this.give(id, { kind: 'review' }); // a person decides
  }

  /** The end of an earlier invoice says nothing about the order. */
  canceled({ external_id }: Pick<InvoiceCanceledEvent, 'external_id'>): void {
    const id = this.orderOf(external_id);
    if (this.attemptsOf(id).at(-1) !== external_id) return;
    this.db.prepare(`UPDATE orders SET state = 'canceled' WHERE id = ? AND state = 'open'`).run(id);
  }

  async receive(request: Request): Promise<Response> {
    return await toFetchHandler(this.handler)(request);
  }

  /** A receiver without this package's handler: it says nothing, and has no dedupe. */
  async plain(request: Request, given?: (request: Request) => Promise<InvoiceEvent>): Promise<Response> {
    const event = await (given ?? this.verify.bind(this))(request).catch(() => null);
    if (event === null) return new Response(null, { status: 401 });
    this.handle(event);
    return new Response('ok');
  }

  async verify(request: Request): Promise<InvoiceEvent> {
    return await verifyWebhook(await request.arrayBuffer(), request.headers, this.secret, { now: this.now });
  }

  handle(event: InvoiceEvent): void {
    if (event.type === 'invoice.paid') event.adjusted ? this.adjusted(event) : this.paid(event);
    else if (event.type === 'invoice.canceled') this.canceled(event);
  }

  paramsOf({ id, customer_id, amount, currency }: StormOrder): Parameters<MerchantClient['invoices']['create']>[0] {
    const { origin } = this.service;
    const urls = { callback_url: `${origin}/webhook`, success_url: `${origin}/thanks?order=${id}` };
    return { external_id: id, customer_id, amount, currency, ...urls };
  }

  async create(order: StormOrder): Promise<Invoice | CreatedInvoice> {
    const { invoice } = await this.merchant.invoices.createOrRenew(this.paramsOf(order));
    this.db.prepare('INSERT OR IGNORE INTO attempts VALUES (?, ?)').run(invoice.external_id, order.id);
    return invoice;
  }

  /** The one invoice with this external_id, in whatever state: for a shop that renews nothing. */
  async createOnce(params: ReturnType<Shop['paramsOf']>): Promise<Invoice | CreatedInvoice> {
    try {
      return await this.merchant.invoices.create(params);
    } catch (error) {
      if (!hasCode(error, 'INVOICE_ALREADY_EXISTS') || error.existing === undefined) throw error;
      return error.existing;
    }
  }

  insert({ id, amount, currency }: StormOrder): void {
    this.db.prepare('INSERT OR IGNORE INTO orders (id, amount, currency) VALUES (?, ?, ?)').run(id, amount, currency);
    this.db.prepare('INSERT OR IGNORE INTO attempts VALUES (?, ?)').run(id, id);
  }

  async checkout(order: StormOrder): Promise<StormCheckout> {
    this.insert(order);
    this.clicks += 1;
    return await this.create(order);
  }

  orders(): ReconcileOrder[] {
    const rows = this.db.prepare('SELECT * FROM orders').all();
    return rows.map(({ id, amount, currency, state, credited }) => ({
      external_id: String(id),
      amount: String(amount),
      currency: String(currency),
      state: String(state) as OrderState, // of the table
      credited_usdt: credited === null ? null : String(credited),
    }));
  }

  fulfilments(): StormFulfilment[] {
    const rows = this.db.prepare('SELECT * FROM given').all();
    return rows.map(({ order_id, kind, item, credited }) => ({
      external_id: String(order_id),
      kind: kind as StormFulfilment['kind'], // of the table
      item: item === null ? null : String(item),
      credited_usdt: credited === null ? null : String(credited),
    }));
  }

  /** The invoices without a payment: those of open and canceled orders, and of orders with a second one. */
  waiting(): string[] {
    const rows = this.db
      .prepare(
        `SELECT external_id FROM attempts JOIN orders ON orders.id = order_id
         WHERE (state IN ('open', 'canceled') OR order_id IN (SELECT order_id FROM attempts GROUP BY order_id HAVING count(*) > 1))
         AND external_id NOT IN (SELECT external_id FROM payments)`,
      )
      .all();
    return rows.map(({ external_id }) => String(external_id));
  }

  /** The job of the guides: the open orders, and at times also those of which an invoice may have been paid late. */
  async catchUp(): Promise<void> {
    const now = Number(this.now());
    const isForAll = now - this.askedForAll >= 3_600_000;
    if (isForAll) this.askedForAll = now;
    const orders = new Set(this.waiting().map((id) => this.orderOf(id)));
    await this.handler.catchUp(this.merchant, {
      orders: isForAll ? orders : [...orders].filter((id) => this.stateOf(id) === 'open'),
    });
  }

  visit(_url: string): void {}

  async restart(): Promise<void> {
    await this.start();
  }

  async idle(): Promise<void> {}

  close(): void {
    this.db.close();
  }

  /** The members of a shop that the storm uses. */
  members(): StormShop {
    return {
      checkout: (order) => this.checkout(order),
      receive: (request) => this.receive(request),
      orders: () => this.orders(),
      fulfilments: () => this.fulfilments(),
      catchUp: () => this.catchUp(),
      visit: (url) => this.visit(url),
      restart: () => this.restart(),
      idle: () => this.idle(),
      close: () => this.close(),
    };
  }
}

/** What a change returns: other members of the shop, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a change with a body returns nothing
export type Change = void | Partial<StormShop>;

/** Opens a shop with one change. */
export const shopWith =
  (change: (shop: Shop) => Change = () => {}) =>
  async (service: StormService): Promise<StormShop> => {
    const shop = new Shop(service);
    const members = change(shop);
    await shop.start();
    return { ...shop.members(), ...members };
  };
