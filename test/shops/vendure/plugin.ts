import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Mutation, Resolver } from '@nestjs/graphql';
import {
  ActiveOrderService,
  Ctx,
  type ID,
  isGraphQlErrorResult,
  LanguageCode,
  Order,
  type OrderProcess,
  OrderService,
  Payment,
  PaymentMethodHandler,
  PluginCommonModule,
  RequestContext,
  RequestContextService,
  TransactionalConnection,
  VendurePlugin,
} from '@vendure/core';
import { parse } from 'graphql';
import {
  amountFromMinor,
  amountToMinor,
  MerchantClient,
} from 'merchant-invoicing';
import {
  createWebhookHandler,
  type InvoiceAdjustedEvent,
  type InvoicePaidEvent,
  postgresStore,
  toNodeHandler,
  type WebhookHandler,
} from 'merchant-invoicing/webhooks';
import { Column, Entity, PrimaryColumn } from 'typeorm';

const METHOD = 'merchant-invoicing';
const DIGITS = 2; // the minor units of this shop

const paymentHandler = new PaymentMethodHandler({
  code: METHOD,
  description: [{ languageCode: LanguageCode.en, value: 'Pay by invoice' }],
  args: {},
  createPayment: (ctx, _order, amount, _args, { event }) =>
    // The Shop API has this call, too: a customer must not settle an order.
    ctx.apiType === 'admin'
      ? {
          amount: event.amount,
          state: 'Settled',
          transactionId: event.invoice_uuid,
          metadata: { credited_usdt: event.credited_usdt },
        }
      : { amount, state: 'Declined', errorMessage: 'createPaymentLink pays' },
  settlePayment: () => ({ success: true }),
});

let connection: TransactionalConnection;
/**
 * A transition saves the list of payments that it has read. One that another
 * tab begins before a webhook, and ends after it, would drop the new payment.
 */
const keepPayments: OrderProcess<string> = {
  transitions: {},
  init: (injector) => {
    connection = injector.get(TransactionalConnection);
  },
  async onTransitionStart(fromState, _toState, { ctx, order }) {
    const { manager } = connection.getRepository(ctx, Order);
    const [row] = await manager.query(
      'SELECT state FROM "order" WHERE id = $1 FOR UPDATE',
      [order.id],
    );
    if (row.state !== fromState) return 'The order has changed: load it again';
    order.payments = await manager.find(Payment, {
      where: { order: { id: order.id } },
      relations: { refunds: true },
    });
    return;
  },
};

/** The last renewal of an order whose link was given, for `catchUp`. */
@Entity()
export class OrderRenewal {
  @PrimaryColumn() order!: string;
  @Column({ default: 0 }) renewal!: number;
}

/** The service of this process, for the middleware. */
let running: MerchantInvoicing;

@Injectable()
export class MerchantInvoicing implements OnApplicationBootstrap {
  private made?: { handler: WebhookHandler; merchant: MerchantClient };

  constructor(
    private connection: TransactionalConnection,
    private contexts: RequestContextService,
    private orders: OrderService,
  ) {}

  /** The store in the transaction of Vendure, which the services share. */
  private store = postgresStore<{ ctx: RequestContext }>({
    query: (sql, values) => this.connection.rawConnection.query(sql, values),
    transaction: async (run) => {
      const admin = await this.contexts.create({ apiType: 'admin' });
      return await this.connection.withTransaction(admin, (ctx) => {
        const { manager } = this.connection.getRepository(ctx, Order);
        return run({ ctx, query: (sql, values) => manager.query(sql, values) });
      });
    },
  });

  async onApplicationBootstrap(): Promise<void> {
    running = this;
    await this.store.migrate();
  }

  /** Made at the first use: migrations and workers start without secrets. */
  private get ready() {
    this.made ??= {
      merchant: new MerchantClient(),
      handler: createWebhookHandler({
        secret: process.env['MERCHANT_WEBHOOK_SECRET'] ?? '',
        store: this.store,
        onPaid: (event, { tx }) => this.book(tx.ctx, event),
        // The order is settled when its payments cover it.
        onAdjusted: (event, { tx }) => this.book(tx.ctx, event),
        onCanceled: () => {}, // the order waits for the next attempt
      }),
    };
    return this.made;
  }

  get handler(): WebhookHandler {
    return this.ready.handler;
  }

  /** What the pay button does. */
  async paymentLink(ctx: RequestContext, id: ID): Promise<string> {
    const order = await this.orders.findOne(ctx, id); // with its customer
    const { customer, code } = order ?? {};
    if (order?.state !== 'ArrangingPayment' || !customer || code === undefined)
      throw new Error('This order is not to be paid');
    const found = await this.ready.merchant.invoices.createOrRenew({
      external_id: code,
      customer_id: String(customer.id),
      amount: amountFromMinor(order.totalWithTax, DIGITS),
      currency: order.currencyCode,
      callback_url: `${process.env['SHOP_URL']}/webhook`,
      success_url: `${process.env['SHOP_URL']}/thanks?order=${code}`,
    });
    // before the customer gets the link; it only raises
    await this.connection.rawConnection.query(
      `INSERT INTO order_renewal AS r ("order", renewal) VALUES ($1, $2)
       ON CONFLICT ("order")
         DO UPDATE SET renewal = greatest(r.renewal, excluded.renewal)`,
      [code, found.renewal],
    );
    return found.invoice.payment_url;
  }

  private async book(
    ctx: RequestContext,
    event: InvoicePaidEvent | InvoiceAdjustedEvent,
  ): Promise<void> {
    const code = event.order;
    const { manager } = this.connection.getRepository(ctx, Order);
    const lock = 'SELECT id FROM "order" WHERE code = $1 FOR UPDATE';
    await manager.query(lock, [code]); // one after the other, as transitions do
    const order = await this.orders.findOneByCode(ctx, code);
    if (order === undefined) throw new Error(`no order ${code}`);
    const paid = {
      invoice_uuid: event.invoice_uuid,
      amount: amountToMinor(event.amount, DIGITS),
      credited_usdt: event.credited_usdt.toFixed(),
    };
    if (order.state === 'AddingItems') {
      // The customer went back to the cart.
      const state = 'ArrangingPayment';
      refuse(await this.orders.transitionToState(ctx, order.id, state));
    } else if (order.state !== 'ArrangingPayment') {
      // Settled before, or canceled: somebody has to pay it back.
      const surplus = new Payment({
        order,
        method: METHOD,
        state: 'Settled',
        amount: paid.amount,
        transactionId: paid.invoice_uuid,
      });
      surplus.metadata = { credited_usdt: paid.credited_usdt };
      await this.connection.getRepository(ctx, Payment).save(surplus);
      return;
    }
    const input = { method: METHOD, metadata: { event: paid } };
    refuse(await this.orders.addPaymentToOrder(ctx, order.id, input));
  }

  /**
   * For a scheduled task, every ten minutes. Also a canceled order, or one with
   * a renewal: it may be paid late, or twice.
   */
  async catchUp() {
    const waiting: { code: string }[] =
      await this.connection.rawConnection.query(
        `SELECT o.code FROM order_renewal r JOIN "order" o ON o.code = r."order"
         WHERE o.state IN ('AddingItems', 'ArrangingPayment')
             AND o."updatedAt" > now() - interval '30 days'
           OR (o.state = 'Cancelled' OR r.renewal > 0)
             AND o."updatedAt" > now() - interval '3 days'`,
      );
    const { handler, merchant } = this.ready;
    const orders = waiting.map(({ code }) => code);
    return await handler.catchUp(merchant, { orders });
  }
}

/** Vendure returns errors, and a function that returns has succeeded. */
function refuse(result: object): void {
  if (isGraphQlErrorResult(result)) throw new Error(JSON.stringify(result));
}

@Resolver()
export class PaymentLinkResolver {
  constructor(
    private service: MerchantInvoicing,
    private active: ActiveOrderService,
  ) {}

  @Mutation()
  async createPaymentLink(@Ctx() ctx: RequestContext): Promise<string> {
    const order = await this.active.getActiveOrder(ctx, undefined);
    if (order === undefined) throw new Error('There is no order');
    return await this.service.paymentLink(ctx, order.id);
  }
}

@VendurePlugin({
  imports: [PluginCommonModule],
  entities: [OrderRenewal],
  providers: [MerchantInvoicing],
  shopApiExtensions: {
    schema: parse('extend type Mutation { createPaymentLink: String! }'),
    resolvers: [PaymentLinkResolver],
  },
  configuration: (config) => {
    config.paymentOptions.paymentMethodHandlers.push(paymentHandler);
    config.orderOptions.process.push(keepPayments);
    config.apiOptions.middleware.push({
      route: '/webhook',
      beforeListen: true, // before the JSON parser
      handler: toNodeHandler(() => running.handler),
    });
    return config;
  },
  compatibility: '^3.0.0',
})
export class MerchantInvoicingPlugin {}
