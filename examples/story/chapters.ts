import { hasCode, type MerchantClient } from 'merchant-invoicing';
import type { Sandbox } from 'merchant-invoicing/sandbox';
import type { Backend } from './backend.ts';
import { Customer } from './customer.ts';
import type { Transcript } from './transcript.ts';

/** The parts of the story. */
export interface Cast {
  readonly sandbox: Sandbox;
  readonly merchant: MerchantClient;
  readonly backend: Backend;
  readonly story: Transcript;
}

async function checkout(
  { backend }: Cast,
  order: { id: string; amount: string; currency: string },
): Promise<string> {
  const response = await fetch(`${backend.url}/checkout`, {
    method: 'POST',
    body: JSON.stringify(order),
  });
  const { payment_url } = (await response.json()) as { payment_url: string };
  return payment_url;
}

export async function whatCanBeCharged({
  merchant,
  story,
}: Cast): Promise<void> {
  story.chapter('What can be charged');
  const methods = await merchant.paymentMethods.list();
  for (const method of methods.slice(0, 4)) {
    const { name, min_amount, max_amount, currency } = method;
    const range = `${min_amount.toFixed(2)} to ${max_amount.toFixed(2)}`;
    story.say(`${name}: ${range} ${currency.code}`);
  }
  const usable = await merchant.paymentMethods.forCharge({
    currency: 'EUR',
    amount: '25.00',
  });
  story.prove(
    `25.00 EUR can be paid by ${usable.map(({ name }) => name).join(' and ')}`,
    usable.length > 0,
  );
}

export async function aPaymentInFull(cast: Cast): Promise<void> {
  const { merchant, backend, story } = cast;
  story.chapter('A payment in full');
  const link = await checkout(cast, {
    id: 'order-1001',
    amount: '25.00',
    currency: 'EUR',
  });
  story.say(`invoice created, payment link ${link}`);

  const again = await merchant.invoices
    .create({
      external_id: 'order-1001',
      customer_id: 'customer-7',
      amount: '25.00',
      currency: 'EUR',
    })
    .result();
  story.prove(
    'the same create again is a typed conflict, and no second invoice',
    !again.ok &&
      hasCode(again.error, 'INVOICE_ALREADY_EXISTS') &&
      again.error.existingStatus === 'pending',
  );
  story.prove(
    'the shop gets the same link when the customer clicks twice',
    link ===
      (await checkout(cast, {
        id: 'order-1001',
        amount: '25.00',
        currency: 'EUR',
      })),
  );

  const customer = new Customer();
  await customer.open(link);
  await customer.press('pay');
  await cast.sandbox.settle();
  const order = backend.orders.get('order-1001');
  const invoice = await merchant.invoices.get('order-1001');
  const { amount_to_send, payment_method } = invoice;
  story.say(
    `the customer paid ${amount_to_send?.toFixed(2)} EUR ` +
      `by ${payment_method?.name}`,
  );
  story.prove(
    `the webhook fulfilled the order against ${order.credited_usdt} USDT`,
    order.state === 'paid' && order.fulfilments === 1,
  );
  story.prove(
    'the invoice has the same status and amount',
    invoice.settled_amount_usdt?.toFixed() === order.credited_usdt &&
      invoice.status === 'success',
  );
}

export async function repeatsChangeNothing({
  sandbox,
  merchant,
  backend,
  story,
}: Cast): Promise<void> {
  story.chapter('Repeats change nothing');
  const repeat = await sandbox.webhookRequest(
    'order-1001',
    `${backend.url}/webhook`,
  );
  const status = (await fetch(repeat)).status;
  story.prove(
    `a second delivery of the event is answered ${status}`,
    status === 200,
  );
  await merchant.webhooks.resend('order-1001');
  await sandbox.settle();
  story.prove(
    'a manual resend changes nothing',
    backend.orders.get('order-1001').fulfilments === 1,
  );
  const forged = await fetch(`${backend.url}/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-webhook-id': 'forged',
      'x-webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'x-webhook-signature': '0'.repeat(64),
    },
    body: '{"invoice_uuid":"0","status":"success"}',
  });
  story.prove(
    `a forged delivery is refused with ${forged.status}`,
    forged.status === 401,
  );
}

export async function aPartialPayment(cast: Cast): Promise<void> {
  const { backend, story } = cast;
  story.chapter('A customer who pays less');
  const customer = new Customer();
  await customer.open(
    await checkout(cast, {
      id: 'order-1002',
      amount: '100.00',
      currency: 'EUR',
    }),
  );
  await customer.press('amount', { amount: '60.00' });
  await cast.sandbox.settle();
  const order = backend.orders.get('order-1002');
  const invoice = await cast.merchant.invoices.get('order-1002');
  const paid = invoice.adjustment?.actual_amount_fiat;
  story.say(`ordered 100.00 EUR, paid ${paid?.toFixed(2)} EUR`);
  story.prove(
    `the order is ${order.state}, with ${order.credited_usdt} USDT`,
    order.state === 'partly_paid' && invoice.is_adjusted === true,
  );
}

export async function anExpiredInvoice(cast: Cast): Promise<void> {
  const { sandbox, backend, story } = cast;
  story.chapter('A customer who does not pay');
  await checkout(cast, { id: 'order-1003', amount: '40.00', currency: 'EUR' });
  await sandbox.advance('31m');
  story.say('31 minutes pass');
  const invoice = await cast.merchant.invoices.get('order-1003');
  story.prove(
    'the invoice expired and the order is canceled',
    invoice.status === 'expired' &&
      backend.orders.get('order-1003').state === 'canceled',
  );
}

export async function readingBack({ merchant, story }: Cast): Promise<void> {
  story.chapter('Reading everything back');
  const deliveries = await merchant.webhooks.deliveries('order-1001');
  for (const { event_type, status, attempt_log } of deliveries) {
    const attempts = attempt_log.map(
      ({ status_code, triggered_by }) => `${status_code} (${triggered_by})`,
    );
    story.say(`${event_type}: ${status}, ${attempts.join(', ')}`);
  }
  story.prove(
    'the delivery history shows one delivery with its resend',
    deliveries.length === 1 && deliveries[0]?.attempt_log.length === 2,
  );

  const paid: string[] = [];
  for await (const invoice of merchant.invoices.list({
    status: 'success',
    per_page: 1,
  }))
    paid.push(invoice.external_id);
  story.prove(
    `the walk over paid invoices finds ${paid.join(' and ')}`,
    paid.includes('order-1001') &&
      paid.includes('order-1002') &&
      new Set(paid).size === paid.length,
  );

  const [withdrawal] = await merchant.withdrawals
    .list({ per_page: 5 })
    .collect({ limit: 5 });
  if (withdrawal === undefined)
    throw new Error('the sandbox has no withdrawal');
  const read = await merchant.withdrawals.get(withdrawal.uuid);
  story.prove(
    `a withdrawal of ${read.amount?.toFixed()} ${read.token} is ${read.status}`,
    read.uuid === withdrawal.uuid,
  );

  const rates = await merchant.rates.list({ fiat: 'EUR', side: 'sell' });
  const [first] = rates;
  story.prove(
    `${rates.length} sources quote USDT in EUR, ` +
      `${first?.platform} at ${first?.price.toFixed()}`,
    rates.length > 0,
  );
}
