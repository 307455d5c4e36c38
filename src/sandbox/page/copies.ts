import { compareAmounts } from '../business/money.ts';
import { receiverPins } from '../delivery/event-payload.ts';
import { DIALECTS } from '../dialects.ts';
import { toSandboxInvoice } from '../service/write-resources.ts';
import type { InvoiceRecord } from '../state/records.ts';
import { SEED_METHODS, SEED_RATES } from '../state/seed-data.ts';
import type { SandboxInvoice, SandboxWebhookRequest } from '../wire-types.ts';
import type { World } from '../world.ts';

// Texts to copy from the sandbox: a request as curl, an order as a test. The command line exports both, too.

/** A shell command that sends a request. `more` are further arguments, quoted for the shell. */
export function curlCommand(
  { url, method, headers, body }: SandboxWebhookRequest,
  option: '-i' | '-s',
  more: readonly string[] = [],
): string {
  const parts = [
    `curl ${option} -X ${method} ${quoted(url)}`,
    ...more,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ];
  return parts.join(' \\\n  ');
}

/** Text that a POSIX shell takes literally. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A word of a shell command. It is quoted only if it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(text) ? text : quoted(text);
}

/** The parameters that create an order like this one. */
export function creationOf({ external_id, customer_id, amount, currency, purpose }: SandboxInvoice) {
  return { external_id, customer_id, amount, currency: currency.code, ...(purpose === null ? {} : { purpose }) };
}

/** The call that brings an order to its end, such as `sandbox.underpay("order-1", "17.00", { method: 2 })`. */
export function endingOf(
  { external_id, amount, status, adjustment }: SandboxInvoice,
  method: number | string | undefined,
): string {
  const ident = literal(external_id);
  if (status === 'fail') return `sandbox.fail(${ident})`;
  if (status === 'canceled') return `sandbox.cancel(${ident})`;
  if (status !== 'success') return `sandbox.expire(${ident})`;
  const by = method === undefined ? '' : `, { method: ${literal(method)} }`;
  if (adjustment === null) return `sandbox.pay(${ident}${by})`;
  const paid = adjustment.actual_amount_fiat;
  const name = compareAmounts(paid, amount) < 0 ? 'underpay' : 'overpay';
  return `sandbox.${name}(${ident}, ${literal(paid)}${by})`;
}

/** A test file that plays an order from its creation to the receiver, and passes unchanged. */
export function testOf(world: World, record: InvoiceRecord): string {
  const invoice = toSandboxInvoice(world, record);
  const ident = literal(invoice.external_id);
  const { status, is_adjusted, settled_amount_usdt } = invoice;
  const outcome = status === 'success' ? { status, is_adjusted, settled_amount_usdt } : { status };
  return `import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import { createWebhookHandler, memoryStore, toFetchHandler } from 'merchant-invoicing/webhooks';
import { expect, test } from 'vitest';

const secret = process.env.MERCHANT_WEBHOOK_SECRET ?? 'whsec_sandbox';

// Replace this with your endpoint: a function from Request to Response, such as app.request of Hono or POST of Next.
const receive = toFetchHandler(
  createWebhookHandler({ secret, store: memoryStore(), onPaid: () => {}, onCanceled: () => {}${pinsOf(world)} }),
);

test(${literal(`${invoice.external_id} ends as ${status}`)}, async () => {
  const sandbox = createSandbox(${optionsOf(world)});
  const client = new MerchantClient({ apiKey: sandbox.apiKey, baseUrl: sandbox.url, fetch: sandbox.fetch });
  await client.invoices.create(${objectLiteral(creationOf(invoice))});
  await ${endingOf(invoice, record.method?.id)};
  const response = await receive(await sandbox.webhookRequest(${ident}));
  expect(response.status).toBe(200);
  expect(sandbox.invoice(${ident})).toMatchObject(${objectLiteral(outcome)});
});
`;
}

/** A value as JavaScript. JSON is JavaScript except for two line separators, which old engines refuse in strings. */
export function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

function objectLiteral(value: object): string {
  return literal(value).replace(/^\{/, '{ ').replace(/\}$/, ' }');
}

/** The options of the sandbox: the secret of the receiver, and what differs from the defaults. No credential is copied. */
function optionsOf(world: World): string {
  const { dialect, methods, rates } = world.settings;
  const names = Object.keys(DIALECTS) as (keyof typeof DIALECTS)[]; // the keys of the table are its names
  const other = names.filter((name) => dialect[name] !== DIALECTS[name].default).map((name) => [name, dialect[name]]);
  const given = {
    ...(other.length === 0 ? {} : { dialect: Object.fromEntries(other) }),
    ...(methods === SEED_METHODS ? {} : { methods }),
    ...(rates === SEED_RATES ? {} : { rates }),
  };
  return Object.keys(given).length === 0
    ? '{ webhookSecret: secret }'
    : `{ webhookSecret: secret, ...${objectLiteral(given)} }`;
}

/** The options that a receiver needs for the dialect, as further members. */
function pinsOf({ settings }: World): string {
  return Object.entries(receiverPins(settings.dialect))
    .map(([name, value]) => `, ${name}: ${literal(value)}`)
    .join('');
}
