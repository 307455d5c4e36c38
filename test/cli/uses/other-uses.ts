import { gives, type MakeWords, type Place, refuses, type Use, type Uses, valued, valueless } from './use.ts';

const HEADER = 'external_id,amount,currency,credited_usdt,state\n';
const ROW = 'order-1042,25.00,EUR,26.861298,fulfilled\n';

/** `reconcile` of one paid order against a CSV file. */
const reconcile =
  (csv: string, ...flags: readonly string[]): MakeWords =>
  async ({ sandbox, file }) => {
    sandbox.create({ external_id: 'order-1042', amount: '25.00', currency: 'EUR' });
    await sandbox.pay('order-1042');
    return ['reconcile', '--orders', file('o.csv', csv), '--grace', '0s', ...flags];
  };
const wrong = (flag: string, value: string, said: string): Use => refuses(reconcile(HEADER, flag, value), said);
const MATCHED = '1 matched';

export const RECONCILE_USES: Uses<'reconcile'> = {
  terms: {},
  flags: {
    orders: {
      good: gives(reconcile(HEADER + ROW), MATCHED),
      bad: async (place) => {
        await refuses(['reconcile'], 'reconcile needs --orders')(place);
        await refuses(['reconcile', '--orders', '/no/such/file'], 'cannot read /no/such/file')(place);
      },
    },
    column: {
      good: gives(reconcile(`${HEADER.replace('amount', 'Total')}${ROW}`, '--column', 'amount=Total'), MATCHED),
      bad: wrong('--column', 'amount', '--column'),
    },
    state: {
      good: gives(reconcile(HEADER + ROW.replace('fulfilled', 'shipped'), '--state', 'shipped=fulfilled'), MATCHED),
      bad: wrong('--state', 'shipped=gone', '--state'),
    },
    'decimal-comma': {
      good: gives(
        reconcile(`${HEADER.replaceAll(',', ';')}order-1042;25,00;EUR;26,861298;fulfilled\n`, '--decimal-comma'),
        MATCHED,
      ),
      bad: valued(['reconcile'], 'decimal-comma'),
    },
    since: {
      good: gives(reconcile(HEADER + ROW, '--since', '7d'), MATCHED),
      bad: wrong('--since', 'then', '--since takes a time'),
    },
    until: {
      good: gives(reconcile(HEADER, '--until', '2020-01-31'), '0 findings', { code: 0 }),
      bad: wrong('--until', 'then', '--until takes a time'),
    },
    status: {
      good: gives(reconcile(HEADER + ROW, '--status', 'success'), MATCHED),
      bad: wrong('--status', 'paid', '--status takes pending'),
    },
    grace: {
      good: gives(reconcile(HEADER + ROW, '--grace', '1h'), 'matched'),
      bad: wrong('--grace', 'long', '--grace'),
    },
    csv: {
      good: gives(reconcile(HEADER, '--csv'), /^finding|^kind/, { code: 1 }),
      bad: gives(reconcile(HEADER, '--csv', '--json'), '--csv and --json exclude each other', { code: 2 }),
    },
    'base-url': {
      good: async (place) => {
        const env = { MERCHANT_BASE_URL: 'http://127.0.0.1:1' };
        await gives(reconcile(HEADER + ROW, '--base-url', place.url), MATCHED, { env })(place);
      },
      bad: wrong('--base-url', 'ftp://x', 'baseUrl'),
    },
    'key-file': {
      good: async (place) => {
        const key = place.file('key.txt', `${place.sandbox.apiKey}\n`);
        await gives(reconcile(HEADER + ROW, '--key-file', key), MATCHED, { env: { MERCHANT_API_KEY: 'wrong' } })(place);
      },
      bad: wrong('--key-file', '/no/such/file', 'cannot read /no/such/file'),
    },
    'allow-http': {
      good: refuses(
        reconcile(HEADER, '--allow-http', '--base-url', 'http://merchant.invalid'),
        'could not compare: (?!.*https)',
      ),
      bad: wrong('--base-url', 'http://merchant.invalid', 'https'),
    },
    folder: {
      good: gives((place) => reconcile(HEADER + ROW, '--folder', place.path('.'))(place), MATCHED),
      bad: valueless(['reconcile'], 'folder'),
    },
  },
};

export const DOCTOR_USES: Uses<'doctor'> = {
  terms: {},
  flags: {
    'base-url': {
      good: gives(({ url }: Place) => ['doctor', '--base-url', url], 'the key works', {
        env: { MERCHANT_BASE_URL: 'nope' },
      }),
      bad: gives(['doctor', '--base-url', 'nope'], 'is not an absolute address', { code: 1 }),
    },
    'allow-http': {
      good: gives(
        ['doctor', '--allow-http', '--base-url', 'http://merchant.invalid'],
        'cannot reach http://merchant.invalid',
        { code: 3 },
      ),
      bad: gives(['doctor', '--base-url', 'http://merchant.invalid'], '✗ .*http', { code: 1 }),
    },
  },
};
