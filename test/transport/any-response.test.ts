import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import type { MerchantClient } from '../../src/client.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { CODE_KINDS } from '../../src/errors/codes.ts';
import { isMerchantError } from '../../src/errors/guards.ts';
import { FakeRuntime, START } from '../support/fake-runtime.ts';
import fc from '../support/fast-check.ts';
import { deliveriesEnvelope } from '../support/fixtures/deliveries.ts';
import { alreadyExistsFailure, detailFailure, validationFailure } from '../support/fixtures/failures.ts';
import { createdInvoiceEnvelope, invoicePageEnvelope, successInvoice } from '../support/fixtures/invoices.ts';
import { paymentMethodsEnvelope } from '../support/fixtures/payment-methods.ts';
import { ratesEnvelope } from '../support/fixtures/rates.ts';
import { withdrawalPageEnvelope } from '../support/fixtures/withdrawals.ts';
import { scaled } from '../support/scaled.ts';
import { clientOf } from '../support/test-client.ts';

// Whatever a service responds, and whatever a customer's text is: a typed result or a typed error, and the key in neither.

const KEY = 'key/7Hq2<Zx>&"9Lm+secret';
const KEY_TRACE = '9Lm+secret';

type Json = fc.JsonValue;

const FIXTURES = [
  createdInvoiceEnvelope,
  invoicePageEnvelope,
  { success: true, data: successInvoice },
  withdrawalPageEnvelope,
  paymentMethodsEnvelope,
  ratesEnvelope,
  deliveriesEnvelope,
  alreadyExistsFailure,
  validationFailure,
  detailFailure,
  { success: false, error: { code: 'RATE_LIMITED', message: 'No', details: null }, data: { error: { code: 'X' } } },
] as unknown as readonly Json[]; // typed by hand as plain JSON

/** Values at which a reader can fail. */
const ODD: readonly Json[] = [
  ...[null, 0, -0, 1e308, 2 ** 53, false, true, [], {}, [[]], [{}], [null]],
  ...['', '0', '1e999999999', 'NaN', '-1', '[]', '25.00', 'false', '\\'.repeat(60), '\u0000\u009b\u202e'],
  ...[KEY, 'INVOICE_ALREADY_EXISTS', '2026-02-30T00:00:00Z', '2026-01-31T09:30:00'],
  JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
  JSON.parse('{"toString":0,"valueOf":1,"toJSON":2,"then":3}'), // String() of it throws
];
const nested = fc.integer({ min: 1, max: 400 }).map((depth): Json => JSON.parse('['.repeat(depth) + ']'.repeat(depth)));
const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(...ODD), nested);

interface Mutation {
  readonly at: readonly number[];
  readonly how: 'replace' | 'delete' | 'rename' | 'repeat';
  readonly value: Json;
}

/** The JSON with one place of it changed, found by walking down by these numbers. */
function mutated(json: Json, { at, how, value }: Mutation): Json {
  const [step, ...rest] = at;
  if (step === undefined || typeof json !== 'object' || json === null) return value;
  const names = Object.keys(json);
  const name = names[step % Math.max(1, names.length)];
  if (name === undefined) return value;
  if (Array.isArray(json)) {
    if (how === 'repeat') return [...json, ...json, ...json];
    return json.map((item, place) => (place === Number(name) ? mutated(item, { at: rest, how, value }) : item));
  }
  const { [name]: old = null, ...others } = json;
  if (rest.length > 0) return { ...others, [name]: mutated(old, { at: rest, how, value }) };
  if (how === 'delete') return others;
  // A text as it is: as JSON inside of JSON the key would be escaped twice, which no error looks for.
  const other = (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 80);
  return how === 'rename' ? { ...others, [other]: old } : { ...others, [name]: value };
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.array(fc.nat(40), { minLength: 1, maxLength: 5 }),
  how: fc.constantFrom('replace', 'replace', 'delete', 'rename', 'repeat'),
  value: odd,
});
const plausible = fc
  .tuple(fc.constantFrom(...FIXTURES), fc.array(mutation, { maxLength: 3 }))
  .map(([fixture, mutations]) => mutations.reduce(mutated, fixture));
const json = fc.oneof(
  { weight: 6, arbitrary: plausible },
  odd,
  fc.record({ success: odd, data: plausible, error: odd, errors: odd, detail: odd }),
);
const NO_JSON = ['\ufeff{}', '<html>', '{"data":', '['.repeat(50_000), '\\'.repeat(50_000), '{"a":1}{"b":2}'];
const body = fc.oneof(
  { weight: 10, arbitrary: json.map((value) => JSON.stringify(value)) },
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.tuple(json, fc.nat(300)).map(([value, length]) => JSON.stringify(value).slice(0, length)),
  fc.constantFrom(...NO_JSON),
);

const BODILESS = new Set([204, 205, 304]);
const LIKELY = [200, 200, 200, 201, 202, 204, 302, 304, 400, 401, 404, 408, 409, 420, 422, 429, 500, 503];
const status = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...LIKELY) }, fc.integer({ min: 200, max: 599 }));
const date = new Date(START).toUTCString();
const headerValue = fc.oneof(
  fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,60}$/),
  fc.constantFrom('5, 120', date, `${date}, 5`, '1e9', KEY, 'https://x.example/', '/there', '0'),
);
const NAMES = ['retry-after', 'date', 'x-request-id', 'location', 'content-type', 'content-length', 'x-other'];
const headers = fc.dictionary(fc.constantFrom(...NAMES), headerValue, { maxKeys: 4 });
const end = fc.oneof(
  { weight: 6, arbitrary: fc.constant('whole' as const) },
  { weight: 5, arbitrary: fc.constantFrom('network error', 'opaqueredirect', 'redirected', 'breaks', 'rejects') },
);
const answer = fc.record({ status, headers, body, end });
type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never;

function responseOf({ status, headers, body, end }: Answer): Response {
  if (end === 'rejects')
    throw new TypeError(`fetch failed: ${KEY}`, { cause: Object.assign(new Error(body), { code: body.slice(0, 9) }) });
  if (end === 'network error') return Response.error();
  if (end === 'opaqueredirect') return Object.defineProperties(Response.error(), { type: { value: end } });
  const breaking = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(body));
      controller.error(new TypeError('terminated'));
    },
  });
  const content = BODILESS.has(status) ? null : end === 'breaks' ? breaking : body;
  const response = new Response(content, { status, headers });
  return end === 'redirected' ? Object.defineProperties(response, { redirected: { value: true } }) : response;
}

/** Text that a customer or a merchant could send; most of it within the limits. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 130 }),
  fc.constantFrom('order-1042', 'customer-7', 'INVOICE_ALREADY_EXISTS', '\\'.repeat(60), '..', '', '%2e', KEY),
);
const currency = fc.constantFrom('EUR', 'eur', 'x', '\\\\');
const texts = fc.record({ external_id: text, customer_id: text, purpose: text, currency });
type Texts = typeof texts extends fc.Arbitrary<infer T> ? T : never;

const OPERATIONS: Readonly<Record<string, (client: MerchantClient, given: Texts) => PromiseLike<unknown>>> = {
  'invoices.create': (client, given) => client.invoices.create({ ...given, amount: '25.00' }),
  'invoices.createOrRenew': (client, given) => client.invoices.createOrRenew({ ...given, amount: '25.00' }),
  'invoices.ofOrder': (client, { external_id }) => client.invoices.ofOrder(external_id),
  'invoices.get': (client, { external_id }) => client.invoices.get(external_id),
  'invoices.list': (client, { currency }) => client.invoices.list({ currency }),
  'withdrawals.list': (client) => client.withdrawals.list({ status: 'approved', per_page: 7 }),
  'withdrawals.get': (client, { external_id }) => client.withdrawals.get(external_id),
  'paymentMethods.list': (client) => client.paymentMethods.list(),
  'rates.list': (client) => client.rates.list(),
  'webhooks.deliveries': (client, { external_id }) => client.webhooks.deliveries(external_id),
  'webhooks.resend': (client, { external_id }) => client.webhooks.resend(external_id),
};

const STATUS_KINDS = ['request', 'authentication', 'not_found', 'rate_limit', 'server'];
const KINDS = new Set<string>([...Object.values(CODE_KINDS), ...STATUS_KINDS]);

/** What a decoded result must be: money is a Decimal, time is a Date, wherever they stand. */
function expectTyped(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof Decimal || value instanceof Date) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === 'amount' && 'external_id' in value) expect(member).toBeInstanceOf(Decimal);
    if (name === 'expires_at' && 'external_id' in value) expect(member).toBeInstanceOf(Date);
    if (name === 'items' || name === 'invoice') expectTyped(member);
  }
}

function expectError(error: unknown): void {
  if (!isMerchantError(error)) throw new Error(`no typed error: ${inspect(error)}`);
  expect(KINDS).toContain(error.kind);
  expect(['not_sent', 'rejected', 'unknown']).toContain(error.outcome);
  expect(error.code.length).toBeGreaterThan(0);
  expect(error.code.length).toBeLessThanOrEqual(128);
  expect(error.message).not.toMatch(/\p{Cc}/u);
  const json = JSON.stringify(error);
  expect(json.length).toBeLessThan(150_000);
  for (const view of [json, inspect(error, { showHidden: true, depth: 8 }), 'raw' in error ? error.raw : '']) {
    expect(view).not.toContain(KEY_TRACE);
  }
}

it.each(Object.entries(OPERATIONS))('%s: any response is a typed result or a typed error', (operation, call) =>
  fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 3 }), texts, async (answers, given) => {
      const told: unknown[] = [];
      const note = (...event: unknown[]) => void (told.length < 50 && told.push(event));
      let sent = 0;
      const client = clientOf('https://pay.example', {
        runtime: new FakeRuntime(0.5),
        apiKey: KEY,
        deadline: 600_000,
        hooks: { onRequest: note, onResponse: note, onRetry: note, onEnd: note },
        fetch: async () => {
          const next = answers[Math.min(sent, answers.length - 1)];
          sent += 1;
          if (next === undefined) throw new Error('there is always one');
          return responseOf(next);
        },
      });
      const ended = await Promise.resolve(call(client, given)).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      if ('error' in ended) expectError(ended.error);
      else if (operation.startsWith('invoices.')) expectTyped(ended.value);
      expect(JSON.stringify(told)).not.toContain(KEY_TRACE);
      expect(sent).toBeLessThan(80);
    }),
    { numRuns: scaled(150) },
  ),
);
