import { expect } from 'vitest';
import { signWebhook } from '../../../src/webhooks/index.ts';
import { cli } from '../command-line.ts';
import { gives, type Place, refuses, type Use, type Uses, valued } from './use.ts';

const check =
  (...flags: readonly string[]) =>
  ({ receiver }: Place) => ['webhooks', 'check', receiver, ...flags];
const CHECK = ['webhooks', 'check', 'http://127.0.0.1:1/w'];
const DRY = ['webhooks', 'send', 'paid', 'http://127.0.0.1:1/w', '--dry-run'];
const PADDED = '--secret .*begins or ends with|--secret .*space';

/** A receiver that takes webhooks of base64 signatures alone is not needed: the package's reads each encoding. */
const DELIVERY = {
  secret: {
    good: gives(check('--secret', 'whsec_sandbox'), 'passed'),
    bad: refuses([...CHECK, '--secret', ' padded '], PADDED),
  },
  'external-id': {
    good: async (place: Place) => {
      await gives(check('--external-id', 'order-9'), 'orders order-9')(place);
      expect(new Set(place.handled)).toEqual(new Set(['order-9']));
    },
    bad: refuses([...CHECK, '--external-id', ''], '--external-id takes 1 to 128 characters, not 0'),
  },
  uuid: {
    good: gives([...DRY, '--uuid', 'u-1'], '"invoice_uuid":"u-1"'),
    bad: refuses([...CHECK, '--uuid', 'a b'], '--uuid takes the uuid of an invoice, not "a b"'),
  },
  amount: {
    good: gives([...DRY, '--amount', '30.00'], '"amount":"30.00"'),
    bad: refuses([...CHECK, '--amount', '1e3'], '--amount takes an amount such as 25.00, not "1e3"'),
  },
  currency: {
    good: gives([...DRY, '--currency', 'TRY'], 'POST /w'),
    bad: refuses([...CHECK, '--currency', 'Euro'], '--currency takes a code of ISO 4217 such as EUR, not "Euro"'),
  },
  sandbox: {
    good: gives((place: Place) => check('--sandbox', place.url)(place), 'orders that it creates in the sandbox'),
    bad: refuses([...CHECK, '--sandbox', 'nope'], '--sandbox must begin with http'),
  },
  timeout: {
    good: gives(check('--timeout', '5s'), 'passed'),
    bad: refuses([...CHECK, '--timeout', 'soon'], '--timeout'),
  },
  dialect: {
    good: gives([...DRY, '--dialect', 'orderIdMember=order_id'], '"order_id":'),
    bad: refuses([...CHECK, '--dialect', 'moon=full'], '--dialect has no "moon"'),
  },
};

export const CHECK_USES: Uses<'webhooks check'> = { terms: {}, flags: DELIVERY };

const send = (...words: readonly string[]) => ['webhooks', 'send', ...words];
const AT = 'http://127.0.0.1:1/w';

export const SEND_USES: Uses<'webhooks send'> = {
  terms: {
    EVENT: {
      good: gives(({ receiver }) => send('paid', receiver), /← 200/),
      bad: refuses(send('refund', AT), 'there is no event "refund"'),
    },
  },
  flags: {
    secret: {
      good: gives(({ receiver }) => send('paid', receiver, '--secret', 'whsec_other'), /← 401/, { code: 1 }),
      bad: refuses(send('paid', AT, '--secret', ' padded '), PADDED),
    },
    'external-id': {
      good: gives(send('paid', AT, '--dry-run', '--external-id', 'o-1'), '"external_id":"o-1"'),
      bad: refuses(
        send('paid', AT, '--external-id', 'x'.repeat(129)),
        '--external-id takes 1 to 128 characters, not 129',
      ),
    },
    uuid: {
      good: gives(send('paid', AT, '--dry-run', '--uuid', 'u-1'), '"invoice_uuid":"u-1"'),
      bad: refuses(send('paid', AT, '--uuid', 'a b'), '--uuid takes the uuid of an invoice'),
    },
    amount: {
      good: gives(send('paid', AT, '--dry-run', '--amount', '30.00'), '"amount":"30.00"'),
      bad: refuses(send('paid', AT, '--dry-run', '--amount', '0'), '--amount takes an amount'),
    },
    currency: {
      good: gives(send('paid', AT, '--dry-run', '--currency', 'BRL'), 'POST /w'),
      bad: refuses(send('paid', AT, '--dry-run', '--currency', ''), '--currency takes a code'),
    },
    sandbox: {
      good: async (place) => {
        await gives(send('paid', place.receiver, '--sandbox', place.url), '200')(place);
        expect(place.handled).toEqual([place.sandbox.invoices()[0]?.external_id]);
      },
      bad: refuses(send('paid', AT, '--sandbox', 'nope'), '--sandbox must begin with http'),
    },
    timeout: {
      good: gives(({ receiver }) => send('paid', receiver, '--timeout', '5s'), /← 200/),
      bad: refuses(send('paid', AT, '--dry-run', '--timeout', '-1s'), '--timeout'),
    },
    dialect: {
      good: gives(send('paid', AT, '--dry-run', '--dialect', 'orderIdMember=order_id'), '"order_id":"sent-'),
      bad: refuses(send('paid', AT, '--dialect', 'orderIdMember=x'), '--dialect orderIdMember must be one of'),
    },
    paid: {
      good: gives(send('adjusted', AT, '--dry-run', '--paid', '17.00'), '"amount":"17.00"'),
      bad: async (place) => {
        for (const [event, paid, said] of [
          ['paid', '17.00', '--paid belongs to adjusted and overpaid, not to paid'],
          ['expired', '17.00', 'not to expired'],
          ['overpaid', '17.00', '--paid 17.00 is less than --amount 25.00'],
          ['adjusted', '25.0', '--paid 25.0 is the ordered amount'],
          ['adjusted', 'some', '--paid takes an amount'],
        ] as const) {
          await refuses(send(event, AT, '--dry-run', '--paid', paid), said)(place);
        }
      },
    },
    from: {
      good: gives(({ file }) => send('paid', AT, '--dry-run', '--from', file('b.json', '{"a":1}')), /\n\{"a":1\}\n$/),
      bad: async (place) => {
        await refuses(send('paid', AT, '--from', '/no/such/file'), 'cannot read /no/such/file')(place);
        const from = ['--from', place.file('b.json', '{}')];
        await refuses(send('paid', AT, ...from, '--amount', '30'), 'so it takes no --amount')(place);
        await refuses(send('paid', AT, ...from, '--external-id', 'x'), 'so it takes no --external-id')(place);
      },
    },
    'dry-run': {
      good: gives(send('paid', AT, '--dry-run'), 'POST /w HTTP/1.1'),
      bad: valued(send('paid', AT), 'dry-run'),
    },
  },
};

/** What `webhooks send --dry-run` prints. */
async function request(...flags: readonly string[]): Promise<string> {
  return (await cli(send('paid', AT, '--dry-run', '--external-id', 'o-1', ...flags))).out;
}

const verifies =
  (
    flags: readonly string[],
    said: string | RegExp,
    { sent = [], code = 0 }: { sent?: string[]; code?: number } = {},
  ): Use =>
  async (place) =>
    gives(['webhooks', 'verify', ...flags], said, { input: await request(...sent), code })(place);
const VERIFY = ['webhooks', 'verify'];

export const VERIFY_USES: Uses<'webhooks verify'> = {
  terms: {
    'standard input': { good: verifies([], 'genuine'), bad: refuses(VERIFY, 'holds no request', { input: '{}' }) },
  },
  flags: {
    body: {
      good: async (place) => {
        const body =
          '{"invoice_uuid":"u","external_id":"o-1","status":"expired","amount":"1.00","event":"invoice.canceled"}';
        const signed = Object.entries(await signWebhook(body, 'whsec_sandbox')).flatMap(([name, text]) => [
          '-H',
          `${name}: ${text}`,
        ]);
        await gives([...VERIFY, '--body', place.file('b', body), ...signed], 'genuine')(place);
      },
      bad: refuses([...VERIFY, '--body', '/no/such/file'], 'cannot read /no/such/file'),
    },
    header: {
      good: gives(
        ({ file }) => [...VERIFY, '--body', file('b', '{}'), '--header', 'X-Webhook-Id: 1'],
        'missing_header',
        { code: 1 },
      ),
      bad: refuses(
        ({ file }) => [...VERIFY, '--body', file('b', '{}'), '--header', 'no colon'],
        "--header takes 'Name: value'",
      ),
    },
    secret: {
      good: verifies(['--secret', 'whsec_mine'], 'genuine', { sent: ['--secret', 'whsec_mine'] }),
      bad: refuses([...VERIFY, '--secret', ''], '--secret'),
    },
    at: {
      good: verifies(['--at', '2020-01-31T12:00:00Z'], 'timestamp_too_new', { code: 1 }),
      bad: async (place) =>
        refuses([...VERIFY, '--at', 'noon'], '--at takes a time', { input: await request() })(place),
    },
    'order-id-member': {
      good: verifies(['--order-id-member', 'order.id'], 'order +o-1', {
        sent: ['--dialect', 'orderIdMember=order.id'],
      }),
      bad: verifies(['--order-id-member', 'basket'], 'malformed_payload', { code: 1 }),
    },
  },
};
