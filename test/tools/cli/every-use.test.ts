import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMANDS, COMMON_FLAGS, type CommandTable } from '../../../src/tools/cli/commands.ts';
import { ACTIONS } from '../../../src/tools/sandbox/actions.ts';
import { closedPort } from '../../support/fault-server.ts';
import { freePort } from '../../support/free-port.ts';
import { testSandbox } from '../../support/test-sandbox.ts';
import { rawRequest } from '../sandbox/loopback.ts';
import { cli, type Running, start } from './command-line.ts';
import { goodReceiver, serve } from './receivers.ts';

const WITHDRAWAL = '5eed0000-0000-4000-8000-000000000001';
const FILES = {
  orders: 'external_id,amount,currency,credited_usdt,state\npaid-1,25.00,EUR,26.861298,fulfilled\n',
  json: '{"a":1}',
  key: 'sk_sandbox\n',
} as const;

/**
 * A sandbox at `{url}` with the pending order-1042 and the paid paid-1, the `{receiver}` that took its webhook, files by
 * the names above, and `{request}`: a genuine webhook, which is also the standard input.
 */
async function newPlace() {
  const handled: string[] = [];
  const receiver = await serve(goodReceiver('whsec_sandbox', handled));
  const sandbox = testSandbox({ seed: 7, webhookSecret: 'whsec_sandbox' });
  const { url } = await sandbox.listen({ allowedHosts: ['0.0.0.0'] });
  const folder = mkdtempSync(join(tmpdir(), 'merchant-uses-'));
  onTestFinished(async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });
  sandbox.create({ external_id: 'order-1042', amount: '25.00', currency: 'EUR' });
  sandbox.create({ external_id: 'paid-1', amount: '25.00', currency: 'EUR', callback_url: receiver });
  await sandbox.pay('paid-1');
  const input = (await cli(words(`${DRY} --external-id o-1`))).out;
  const files = Object.entries({ ...FILES, request: input }).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return [name, join(folder, name)];
  });
  const nobody = await closedPort();
  const parts: Record<string, string> = {
    ...Object.fromEntries(files),
    url,
    plain: url.replace('127.0.0.1', '0.0.0.0'), // no loopback name, so plain http needs --allow-http
    receiver,
    folder,
    nobody,
    shop: new URL(receiver).origin,
  };
  const filled = (line: string): string[] =>
    words(line).map((word) => word.replace(/\{(\w+)\}/g, (_, name) => parts[name] ?? `no ${name}`));
  const env = { MERCHANT_BASE_URL: url, MERCHANT_API_KEY: sandbox.apiKey };
  return { sandbox, url, receiver, handled, input, env, folder, filled };
}

const words = (line: string): string[] => [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);

const DRY = 'webhooks send paid http://127.0.0.1:1/w --dry-run';
const CHECK = 'webhooks check http://127.0.0.1:1/w';
const AT = '--url {url}';

type Env = Readonly<Record<string, string>>;
const WRONG_KEY = { MERCHANT_API_KEY: 'sk_wrong' };
const PASSWORD = { MERCHANT_BASE_URL: 'http://ann:tops3cret@127.0.0.1:1' };

/** Command lines as they are typed, what each prints, its exit code (default: 0), and changes of the environment. */
const USES: readonly (readonly [line: string, said: string | RegExp, code?: number, env?: Env])[] = [
  [`sandbox create 25 EUR ${AT}`, /^✓ order-1001 {2}€25\.00\n {2}http/],
  [`sandbox create 25 EUR --id mine ${AT}`, /^✓ mine {2}€25\.00\n {2}http:\/\/127\.0\.0\.1:\d+\/pay\/[0-9a-f-]{36}\n$/],
  [`sandbox create 25 EUR --customer c-9 --json ${AT}`, '"customer_id":"c-9"'],
  [`sandbox create 25 EUR --callback http://127.0.0.1:9/w --json ${AT}`, '"http://127.0.0.1:9/w"'],
  [`sandbox create 4.99 EUR ${AT}`, 'amount is outside the range of every payment method', 1],
  [`sandbox create 25 EUR --id order-1042 ${AT}`, 'external_id order-1042 is taken', 1],
  [`sandbox create 25 EUR --callback http://shop.test/ ${AT}`, 'callback_url must be', 1],
  [`sandbox create 25 ${AT}`, 'create needs an amount and a currency', 2],
  [`sandbox create 25 EUR --customer '' ${AT}`, '--customer is empty', 2],
  [`sandbox choose order-1042 'Bank transfer' ${AT}`, /^✓ order-1042 {2}Bank transfer, €25\.00 to send\n/],
  [`sandbox choose order-1042 ${AT}`, 'choose needs an order and a payment method', 2],
  [`sandbox pay order-1042 ${AT}`, /^✓ order-1042 {2}Paid, 26\.861298 USDT credited\n {2}no webhook/],
  [`sandbox pay order-1042 --method 'Bank transfer' ${AT}`, /^✓ order-1042 {2}Paid/],
  [`sandbox pay order-1042 --method Cheque ${AT}`, 'No method "Cheque" for EUR', 1],
  [`sandbox pay order-1042 --id mine ${AT}`, 'pay does not take --id', 2],
  [`sandbox pay paid-1 ${AT}`, /which is final.*\n {2}try: npx merchant-invoicing sandbox status/, 1],
  [`sandbox pay ${AT}`, 'pay needs an order', 2],
  [`sandbox pay order-1042 17.00 ${AT}`, 'pay does not take "17.00". If you mean it so, write --amount 17.00', 2],
  [`sandbox pay order-1042 --amount 17.00 ${AT}`, 'Paid less, €17.00 of €25.00'],
  [`sandbox pay order-1042 --amount 30.00 ${AT}`, 'Paid more, €30.00 of €25.00'],
  [`sandbox pay order-1042 --amount some ${AT}`, 'The amount must be text, greater than 0', 1],
  [`sandbox pay order-1042 --late ${AT}`, /^✓ order-1042 {2}Paid, 26\.861298 USDT credited/],
  [`sandbox pay paid-1 --late ${AT}`, 'Only an order that was not paid can be paid late', 1],
  [`sandbox adjust paid-1 20.00 ${AT}`, 'Paid less, €20.00 of €25.00'],
  [`sandbox adjust order-1042 20.00 ${AT}`, 'Only a paid one can be corrected. To pay another amount, use pay', 1],
  [`sandbox cancel order-1042 --late ${AT}`, 'cancel does not take --late', 2],
  [`sandbox fail order-1042 ${AT}`, /^✓ order-1042 {2}Failed\n/],
  [`sandbox cancel order-1042 ${AT}`, /^✓ order-1042 {2}Canceled\n/],
  [`sandbox expire order-1042 ${AT}`, /^✓ order-1042 {2}Expired\n/],
  [`sandbox cancel order-1 ${AT}`, 'order-1', 1],
  [`sandbox resend paid-1 ${AT}`, /^✓ paid-1 {2}webhook: 200\n/],
  [`sandbox resend order-1042 ${AT}`, 'order-1042', 1],
  [`sandbox explain paid-1 ${AT}`, 'sandbox has no action "explain"', 2],
  [`sandbox approve ${WITHDRAWAL} ${AT}`, `${WITHDRAWAL}  approved`],
  [`sandbox reject ${WITHDRAWAL} 'unknown address' ${AT}`, `${WITHDRAWAL}  rejected`],
  [`sandbox reject none ${AT}`, 'none', 1],
  [`sandbox dialect signatureEncoding base64 ${AT}`, 'signatureEncoding is base64'],
  [`sandbox dialect signatureEncoding 9 ${AT}`, 'must be one of "hex", "base64"', 1],
  [
    `sandbox fault server_error@rates.list:0.5 ${AT}`,
    'server_error applies to each matching request with a probability of 0.5',
  ],
  [`sandbox fault flood ${AT}`, /A fault is one of .*, not "flood"/, 1],
  [`sandbox advance 1h ${AT}`, /^✓ the clock is at .*\n {2}1 expired\b.*\n(?:.*\n)*[\d:]{8} {4}expired +order-1042/],
  [`sandbox advance soon ${AT}`, 'must be milliseconds', 1],
  [`sandbox advance 5 ${AT}`, 'not "5". A number needs a unit', 1],
  [`sandbox freeze ${AT}`, ', frozen'],
  [`sandbox unfreeze ${AT}`, 'the clock is at '],
  [`sandbox freeze now ${AT}`, 'freeze does not take "now"', 2],
  [`sandbox reset ${AT}`, 'back to the beginning'],
  [
    `sandbox status ${AT}`,
    /^ {2}http:.*UTC\n {2}2 payments, 1 webhooks, 0 not delivered\n\n {2}ORDER.*\n✓ paid-1 +€25\.00 +Paid +Delivered\n {2}order-1042 +€25\.00 +Open +No address\n\n {2}withdrawal 5eed/,
  ],
  ['sandbox status', /^ {2}http:.*\n {2}2 payments/], // that of MERCHANT_BASE_URL
  [
    'sandbox status --url http://127.0.0.1:1',
    /no sandbox listens.*\n {2}try: npx merchant-invoicing sandbox .*--url\n/,
    3,
  ],
  ['sandbox status --url {shop}', 'is not a sandbox', 3],
  ['sandbox status', 'no user name and password', 2, PASSWORD],
  ['sandbox status --url here', '--url must begin with http:// or https://', 2],

  ['sandbox --port 70000', '--port takes a number from 0 to 65535, not "70000"', 2],
  ['sandbox --port 0 --host 203.0.113.7', '203.0.113.7', 2],
  ['sandbox --port 0 --callback ftp://x', '--callback must begin with http://', 2],
  ["sandbox --port 0 --merchant ''", 'merchantName must be text', 2],
  ['sandbox --port 0 --fault earthquake', /A fault is one of .*, not "earthquake"/, 2],
  ['sandbox --port 0 --dialect signatureEncoding=9', 'dialect.signatureEncoding must be one of', 2],
  ['sandbox --port 0 --dialect creatStatus=201', '--dialect has no "creatStatus"', 2],
  ['sandbox --port 0 --dialect __proto__=1', '--dialect has no "__proto__"', 2],
  ['sandbox --port 0 --allow-host http://x', 'deliverTo takes host names alone', 2],
  ['sandbox --port 0 --public-url nope', '--public-url must begin with http://', 2],
  ["sandbox --port 0 --key ' x'", 'apiKey must be text without spaces around it', 2],
  ["sandbox --port 0 --secret ''", 'webhookSecret must be text without spaces around it', 2],
  ['sandbox --demo=yes', "Option '--demo' does not take an argument", 2],
  ['sandbox --seed', /Option '--seed <value>' argument missing/, 2],

  [
    'webhooks check {receiver} --secret whsec_sandbox --timeout 5s --dialect signatureEncoding=base64 --external-id order-9 --uuid u-1 --amount 30.00',
    /orders order-9\n[\s\S]*\d+ passed/,
  ],
  ['webhooks check {receiver} --sandbox {url}', 'orders that it creates in the sandbox'],
  [`${CHECK} --secret ' padded '`, '--secret', 2],
  [`${CHECK} --external-id ''`, '--external-id is empty', 2],
  [`${CHECK} --uuid ''`, '--uuid is empty', 2],
  [`${CHECK} --amount 1e3`, '--amount takes an amount such as 25.00, not "1e3"', 2],
  [`${CHECK} --sandbox nope`, '--sandbox must begin with http', 2],
  [`${CHECK} --timeout soon`, '--timeout', 2],
  [`${CHECK} --dialect moon=full`, '--dialect has no "moon"', 2],
  ['webhooks check {nobody} --json', /ECONNREFUSED\. Start your receiver first.*npx .* webhooks check http/, 3],

  ['webhooks send paid {receiver} --timeout 5s', /✓ 200/],
  ['webhooks send paid {receiver} --sandbox {url}', /✓ 200/],
  ['webhooks send paid {receiver} --secret whsec_other', /✗ 401/, 1],
  ['webhooks send invoice.paid {receiver} --timeout 5s', /✓ 200/],
  ['webhooks send refund {receiver}', 'there is no event "refund"', 2],
  ['webhooks send paid {nobody}', 'ECONNREFUSED', 3],
  ['webhooks send paid http://ann:tops3cret@127.0.0.1:1/w', 'no user name and password', 2],
  ['webhooks send paid ann:tops3cret@127.0.0.1:1/w --json', 'must begin with http', 2],
  ['webhooks send', 'needs an event and an address', 2],
  [`${DRY} --external-id o-1 --uuid u-1`, /"invoice_uuid":"u-1","external_id":"o-1"/],
  [`${DRY} --amount 30.00`, '"amount":"30.00"'],
  [`${DRY} --dialect orderIdMember=order_id`, '"order_id":"sent-'],
  [`${DRY} --dialect orderIdMember=x`, 'dialect.orderIdMember must be one of', 2],

  ['webhooks verify', 'genuine'],
  ['webhooks verify --secret whsec_other', /signature_mismatch[\s\S]*no\s+usual\s+mistake[\s\S]*fingerprint/, 1],
  ["webhooks verify --secret ''", '--secret', 2],
  ['webhooks verify --at 2020-01-31T12:00:00Z', 'timestamp_too_new', 1],
  ['webhooks verify --at 2026-02-30T12:00:00', '--at takes a time', 2],
  ['webhooks verify --at noon', '--at takes a time', 2],
  ['webhooks verify --order-id-member basket', 'malformed_payload', 1],
  ['webhooks verify --adjusted-member basket', '"basket" is missing', 1],
  ['webhooks verify --adjusted-absent as_ordered', 'genuine'],
  ['webhooks verify --adjusted-absent no', '--adjusted-absent takes as_ordered', 2],

  ['reconcile --orders {orders} --grace 1h', '1 matched'],
  ['reconcile', 'reconcile needs --orders', 2],
  ['reconcile --orders {orders}', 'MERCHANT_BASE_URL is not set', 2, { MERCHANT_BASE_URL: '' }],
  ['reconcile --orders {orders}', 'try: npx merchant-invoicing doctor', 2, WRONG_KEY],
  ['reconcile --orders /no/such/file', "open '/no/such/file'", 2],
  ['reconcile --orders {orders} --since 7d', '1 matched'],
  ['reconcile --orders {orders} --since then', '--since takes a time', 2],
  ['reconcile --orders {orders} --grace long', '--grace', 2],
  ['reconcile --orders {orders} --html /dev/null', '1 matched'],
  ['reconcile --orders {orders} --shop Northwind', 'Northwind · '],
  ['reconcile --orders {orders} --adjusted-absent as_ordered', '1 matched'],
  ['reconcile --orders {orders} --adjusted-absent no', '--adjusted-absent takes as_ordered', 2],
  ['reconcile --orders {orders} --base-url {url}', '1 matched'],
  ['reconcile --orders {orders} --base-url ftp://x', 'baseUrl', 2],
  ['reconcile --orders {orders} --base-url {nobody}', 'ECONNREFUSED', 3],
  ['reconcile --orders {orders} --key-file {key}', '1 matched'],
  ['reconcile --orders {orders} --key-file /no/such/file', 'cannot read /no/such/file', 2],
  ['reconcile --orders {orders} --base-url {plain}', 'https', 2],
  ['reconcile --orders {orders} --base-url {plain} --allow-http', '1 matched'],

  ['order paid-1', /shop {6}✓ attempt 1 of 7 {2}invoice\.paid returned 200/],
  ['order paid-1 --resend', /✓ attempt 2 of 7/],
  ['order paid-1 --base-url {url} --key-file {key}', 'webhook: Delivered'],
  ['order paid-1 --base-url {plain}', 'https', 2],
  ['order paid-1 --base-url {plain} --allow-http', 'webhook: Delivered'],
  ['order paid-1 --base-url http://127.0.0.1:1', 'no response from the service', 3],
  ['order order-9', /no order "order-9" of this business\n {2}try: npx merchant-invoicing doctor/, 1],
  [
    'order order-9',
    /is not set: npx reads no \.env.*\n {2}try: npx merchant-invoicing order order-9 --base-url/,
    2,
    { MERCHANT_BASE_URL: '' },
  ],
  [
    'order order-9',
    'MERCHANT_BASE_URL is there under another name, because its file begins with a byte order mark',
    2,
    { MERCHANT_BASE_URL: '', '\uFEFFMERCHANT_BASE_URL': 'http://127.0.0.1:9' },
  ],
  ['order order-9', 'credentials', 2, PASSWORD],
  ['order', 'order needs an external_id or a uuid', 2],
  ['doctor --survey', 'The forms that this service uses'],
  ['doctor --base-url {url}', 'the key works'],
  ['doctor --base-url nope', 'is not an absolute address', 1],
  ['doctor --base-url {plain}', /✗ .*http/, 1],
  ['doctor --base-url {plain} --allow-http', 'the key works'],

  ['sandbx', 'there is no command "sandbx". There are sandbox, webhooks, order, reconcile, doctor.', 2],
  ['sandbox pya order-1', 'sandbox has no action "pya". It has create, choose, pay, ', 2],
  ['sandbox constructor', 'sandbox has no action "constructor"', 2],
  ['sandbox --sate x.json', "Unknown option '--sate'. sandbox has --port, --host,", 2],
  ['webhooks chekc http://127.0.0.1:1', 'webhooks has no action "chekc". It has check, send, verify.', 2],
  [`sandbox status --url http://ann:tops3cret@127.0.0.1:1`, 'no user name and password', 2],
  ['webhooks', 'webhooks needs an action. It has check, send, verify.', 2],
  ['webhooks verify request.txt', 'does not take "request.txt". If you mean it so, write < request.txt', 2],
  ['doctor please', 'does not take "please". If you mean it so, write --base-url please', 2],
  ['reconcile orders.csv', 'does not take "orders.csv". If you mean it so, write --orders orders.csv', 2],
  ['order order-9 --resend now', 'order does not take "now"', 2],
  ['webhooks check http://127.0.0.1:9/w whsec_x', 'write --secret whsec_x', 2],
  ['webhooks send paid http://127.0.0.1:9/w order-9', 'write --external-id order-9', 2],
];

type Served = Running & { readonly url: string; api(path: string, body?: object): Promise<Response> };
type DemoRow = { status: string; is_adjusted?: boolean; currency?: { code: string } };
type Place = Awaited<ReturnType<typeof newPlace>>;

/** Flags of `sandbox` without a port, and what is seen while it runs. */
const SERVES: readonly (readonly [line: string, look: (run: Served, place: Place) => unknown])[] = [
  ['--host 0.0.0.0', ({ err }) => expect(err()).toContain('opens this sandbox to the network')],
  [
    '--callback {receiver}',
    async ({ api, url }, { handled }) => {
      await api('/invoices', { external_id: 'here' });
      await cli(['sandbox', 'pay', 'here', '--url', url]);
      expect(handled).toContain('here');
    },
  ],
  [
    '--demo',
    async ({ api, url, out }) => {
      const rowsOf = async (path: string) => (await (await api(path)).json()).data.items as readonly DemoRow[];
      const [invoices, withdrawals] = [await rowsOf('/invoices'), await rowsOf('/withdrawals')];
      const statuses = ({ status }: DemoRow) => status;
      expect(new Set(invoices.map(statuses))).toEqual(new Set(['pending', 'success', 'fail', 'expired', 'canceled']));
      expect(new Set(withdrawals.map(statuses))).toEqual(new Set(['pending', 'approved', 'rejected']));
      expect(invoices.filter(({ is_adjusted }) => is_adjusted)).toHaveLength(2);
      expect(new Set(invoices.map(({ currency }) => currency?.code)).size).toBeGreaterThanOrEqual(4);
      expect(out()).toContain(`Look first  ${url}/\n`);
      const overview = (await (await fetch(url)).text()).replace(/<[^>]*>/g, '');
      expect(overview).toMatch(/Your shop has not heard of 2 payments, €208\.00, since/);
      expect(overview).toContain('The secret of the receiver is the API key.');
      expect(overview).toContain('→ /shop21 of 3 accepted'); // it has recovered
    },
  ],
  ['--seed 7', ({ out }) => expect(out()).toMatch(/Seed +7\n/)],
  ['--frozen', ({ out }) => expect(out()).toMatch(/Clock +frozen/)],
  [
    "--merchant 'Nine Lamps'",
    async ({ api }) => {
      const { data } = await (await api('/invoices', {})).json();
      expect(await (await fetch(data.payment_url)).text()).toContain('Nine Lamps');
    },
  ],
  ['--fault html@rates.list', async ({ api }) => expect((await api('/rates')).status).toBe(502)],
  [
    '--dialect laterVersion=some',
    async ({ api }) => expect(await (await api('/invoices', {})).text()).toContain('risk_score'),
  ],
  [
    '--allow-host shop.test',
    async ({ api, url }) => {
      const statusFor = async (host: string) => (await rawRequest(url, 'GET', { host })).status;
      expect([await statusFor('shop.test'), await statusFor('other.test')]).toEqual([200, 421]);
      const created = async (callback_url: string) => (await api('/invoices', { callback_url })).status;
      expect([await created('http://other.test/w'), await created('http://shop.test:3000/w')]).toEqual([422, 201]);
    },
  ],
  ['--public-url http://pay.test', ({ out }) => expect(out()).toContain('http://pay.test/')],
  ['--key sk_mine', async ({ api }) => expect((await api('/rates')).status).toBe(200)],
  ['--secret whsec_mine', ({ out }) => expect(out()).toContain('"webhookSecret":"whsec_mine"')],
  [
    '--json --events',
    async ({ api, until }) => {
      await api('/invoices', {});
      await until('"external_id":"order-1042"');
    },
  ],
];

describe('every use of the help', () => {
  const uses = USES.map(([line, said, code = 0, changes = {}]) => ({ line, said, code, changes }));
  it.each(uses)('$line', async ({ line, said, code, changes }) => {
    const { env, filled, input } = await newPlace();
    const { code: ended, out, err: wrapped } = await cli(filled(line), { env: { ...env, ...changes }, input });
    // An address, a name and a command to copy are not broken.
    const broken = wrapped.split('\n').filter((text) => text.length > 80 && !/^ {2}try: |\S{60}/.test(text));
    expect(broken).toEqual([]);
    const err = wrapped.replaceAll('\n       ', ' ');
    expect([ended, out + err]).toEqual([
      code,
      typeof said === 'string' ? expect.stringContaining(said) : expect.stringMatching(said),
    ]);
    expect(out + err).not.toMatch(/tops3cret|sk_wrong|whsec_other| padded /);
    if (line.includes('--json') || (code !== 2 && !err.startsWith('error'))) return;
    // One error, which ends with the command that helps, and nothing else. Where the sandbox refused, none may help.
    const isRefusal = line.startsWith('sandbox') && code === 1;
    const [first, fix, ...rest] = err.split('\n');
    expect([out, first]).toEqual(['', expect.stringMatching(/^error: .+$/)]);
    if (isRefusal && fix === '') return;
    expect([fix, ...rest]).toEqual([expect.stringMatching(/^ {2}try: .*(?:npx merchant-invoicing |mv ).+$/), '']);
  });

  it.each(SERVES)('sandbox %s', async (line, look) => {
    const place = await newPlace();
    const running = start(['sandbox', '--port', String(await freePort()), ...place.filled(line)]);
    await running.until('"baseUrl"');
    const [first = ''] = running.out().split('\n');
    const { baseUrl, apiKey } = JSON.parse(first);
    const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(baseUrl) ?? [];
    const order = { external_id: 'order-1042', customer_id: 'c-7', amount: '25.00', currency: 'EUR' };
    const api = (path: string, body?: object): Promise<Response> =>
      fetch(`${url}/api/v1/external${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'X-Api-Key': apiKey },
        ...(body && { body: JSON.stringify({ ...order, ...body }) }),
      });
    await look({ ...running, url, api }, place);
    running.interrupt();
    expect(await running.ended).toBe(0);
  });

  it('has each action and each flag', () => {
    const used = (command: string, word: string): boolean =>
      USES.some(
        ([line, , code]) =>
          (code !== 2 || line.endsWith('--allow-http')) && line.startsWith(command) && words(line).includes(word),
      ) ||
      (command === 'sandbox' && SERVES.some(([line]) => words(line).includes(word)));
    const missing = Object.entries<CommandTable>(COMMANDS).flatMap(([name, { flags }]) =>
      Object.keys(flags)
        .filter((flag) => !used(name.replace(' action', ''), `--${flag}`))
        .map((flag) => `${name} --${flag}`),
    );
    const actions = Object.keys(ACTIONS).filter((name) => !used(`sandbox ${name}`, name));
    expect([missing, actions]).toEqual([['sandbox --port'], []]); // each row of SERVES has a port
    expect(Object.keys(COMMON_FLAGS)).toEqual(['json', 'help']);
  });
});

it.each([
  `sandbox status ${AT}`,
  'webhooks check {receiver}',
  'webhooks send paid {receiver}',
  'webhooks verify',
  'reconcile --orders {orders}',
  'doctor',
])('%s --json prints JSON alone', async (line) => {
  const { filled, env, input } = await newPlace();
  const { code, out, err } = await cli([...filled(line), '--json'], { env, input });
  expect([code, err]).toEqual([0, '']);
  for (const text of out.trimEnd().split('\n')) expect(() => JSON.parse(text)).not.toThrow();
});
