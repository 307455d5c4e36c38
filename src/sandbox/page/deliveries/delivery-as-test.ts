import { receiverPins } from '../../delivery/event-payload.ts';
import { DIALECTS } from '../../dialect/dialects.ts';
import { SEED_METHODS, SEED_RATES } from '../../state/seed-data.ts';
import type { DeliveryRecord, InvoiceRecord } from '../../state/store.ts';
import type { World } from '../../world.ts';

/** A test file that plays the order of a delivery from its creation to the receiver, and passes as it is. */
export function asTest(world: World, { invoice }: DeliveryRecord): string {
  const ident = text(invoice.external_id);
  const { external_id, customer_id, amount, currency, purpose } = invoice;
  const order = { external_id, customer_id, amount, currency: currency.code, ...(purpose === null ? {} : { purpose }) };
  return `import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import { createWebhookHandler, memoryStore, toFetchHandler } from 'merchant-invoicing/webhooks';
import { expect, test } from 'vitest';

// Put your own endpoint here: a function from Request to Response, such as app.request of Hono or POST of Next.
const receive = toFetchHandler(
  createWebhookHandler({ secret: ${text(world.settings.webhookSecret)}, store: memoryStore(), onPaid: () => {}, onCanceled: () => {}${pins(world)} }),
);

test(${text(`${invoice.external_id} ends as ${invoice.status}`)}, async () => {
  const sandbox = createSandbox(${options(world)});
  const client = new MerchantClient({ apiKey: sandbox.apiKey, baseUrl: sandbox.url, fetch: sandbox.fetch });
  await client.invoices.create(${lines(order)});
  await ${move(invoice, ident)};
  const response = await receive(await sandbox.webhookRequest(${ident}));
  expect(response.status).toBe(200);
  expect(sandbox.invoice(${ident})).toMatchObject(${lines(outcome(invoice))});
});
`;
}

/** JSON is JavaScript, but for the two line ends that old engines do not take in text. */
function text(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

function lines(value: object): string {
  return text(value).replace(/^\{/, '{ ').replace(/\}$/, ' }');
}

function options(world: World): string {
  const { apiKey, webhookSecret, dialect, methods, rates } = world.settings;
  const names = Object.keys(DIALECTS) as (keyof typeof DIALECTS)[]; // the keys of an object are its keys
  const other = names.filter((name) => dialect[name] !== DIALECTS[name].default).map((name) => [name, dialect[name]]);
  const given = {
    ...(apiKey === 'sk_sandbox' ? {} : { apiKey }),
    ...(webhookSecret === 'whsec_sandbox' ? {} : { webhookSecret }),
    ...(other.length === 0 ? {} : { dialect: Object.fromEntries(other) }),
    ...(methods === SEED_METHODS ? {} : { methods }),
    ...(rates === SEED_RATES ? {} : { rates }),
  };
  return Object.keys(given).length === 0 ? '' : lines(given);
}

/** What the handler must be told of the dialect, as further options. */
function pins({ settings }: World): string {
  return Object.entries(receiverPins(settings.dialect))
    .map(([name, value]) => `, ${name}: ${text(value)}`)
    .join('');
}

function move({ status, adjustment, method, amount }: InvoiceRecord, ident: string): string {
  const by = method === null ? '' : `, { method: ${method.id} }`;
  switch (status) {
    case 'success': {
      if (adjustment === null) return `sandbox.pay(${ident}${by})`;
      const paid = adjustment.actual_amount_fiat;
      const name = Number(paid) < Number(amount) ? 'underpay' : 'overpay';
      return `sandbox.${name}(${ident}, ${text(paid)}${by})`;
    }
    case 'fail':
      return `sandbox.fail(${ident})`;
    case 'canceled':
      return `sandbox.cancel(${ident})`;
    default:
      return `sandbox.expire(${ident})`;
  }
}

function outcome({ status, adjustment, settledUsdt }: InvoiceRecord): object {
  return status === 'success'
    ? { status, is_adjusted: adjustment !== null, settled_amount_usdt: settledUsdt }
    : { status };
}
