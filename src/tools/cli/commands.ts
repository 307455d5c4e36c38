// The commands as data: example, help and flags. The flags are those that `parseArgs` of Node takes.
import type { ParseArgsOptionDescriptor } from 'node:util';
import { ACTIONS } from '../sandbox/actions.ts';
import { wrapped } from './terminal.ts';

/** A flag with its argument and its description in the help. */
export interface Flag extends ParseArgsOptionDescriptor {
  readonly value?: string;
  readonly about: string;
  /** Shown by `--help all` only. */
  readonly isRare?: true;
  /** The field of an action of the sandbox that it fills in. */
  readonly field?: string;
}

export interface CommandTable {
  /** The rows of the overview: how it is typed, and what it does. */
  readonly overview: Readonly<Record<string, string>>;
  readonly example: string;
  /** Lines of the help before the flags: a term and what it means. */
  readonly terms?: Readonly<Record<string, string>>;
  readonly flags: Readonly<Record<string, Flag>>;
  /** The end of the help. */
  readonly notes?: string;
  /** The maximum number of words that are not flags. */
  readonly words: number;
  /** What a further word was probably meant for: the start of a flag, or of a redirection. */
  readonly extra?: string;
}

const text = (value: string, about: string) => ({ type: 'string' as const, value, about });
/** A text with a default. The help shows the default in place of a name for the argument. */
const textOr = (byDefault: string, about: string) => ({ ...text(byDefault, about), default: byDefault });
const list = (value: string, about: string) => ({
  ...text(value, about),
  multiple: true as const,
  default: [] as string[], // wider than never[]
});
const flag = (about: string) => ({ type: 'boolean' as const, default: false, about });
const filling = <Declared extends Flag>(field: string, declared: Declared) => ({ ...declared, field });
const rare = <Declared extends Flag>(declared: Declared) => ({ ...declared, isRare: true as const });

/** The actions of the sandbox with their arguments. Those with the same help share a line. `which`: its first name. */
function actionTerms(before = '', which = /^/): Readonly<Record<string, string>> {
  const groups = Map.groupBy(Object.entries(ACTIONS), ([, { help }]) => help);
  const lines = [...groups].map(([help, actions]) => {
    const words = actions[0]?.[1].words.map(({ shown, isOptional }) => (isOptional ? '' : ` ${shown}`)) ?? [];
    return [`${actions.map(([name]) => name).join('|')}${words.join('')}`, help] as const;
  });
  return Object.fromEntries(lines.flatMap(([term, help]) => (which.test(term) ? [[before + term, help]] : [])));
}

/** Flags of every command. */
export const COMMON_FLAGS = {
  json: flag('prints JSON for scripts'),
  help: { ...flag('prints this help'), short: 'h' },
};

const SECRET = list('TEXT', "default MERCHANT_WEBHOOK_SECRET, or the sandbox's");
const ADJUSTED_ABSENT = rare(text('as_ordered', 'a payment that does not say it was paid as ordered'));
const DELIVERY_FLAGS = {
  secret: SECRET,
  'external-id': text('ID', 'an order that your receiver knows'),
  uuid: text('UUID', 'the uuid of its invoice'),
  amount: textOr('25.00', 'its amount'),
  sandbox: rare(text('URL', 'makes its orders there, default as of sandbox pay')),
  timeout: rare(textOr('15s', 'how long to wait for a response')),
  dialect: rare(list('NAME=VALUE', 'how signature and body are written')),
};

/** The service to read, for the commands that need its client. */
const SERVICE_FLAGS = {
  'base-url': rare(text('URL', 'default MERCHANT_BASE_URL')),
  'key-file': rare(text('FILE', 'the API key, default MERCHANT_API_KEY')),
  'allow-http': rare(flag('plain http to a host that is not this machine')),
};

export const COMMANDS = {
  sandbox: {
    overview: {
      sandbox: 'runs the service, with pages and webhooks',
    },
    example: 'npx merchant-invoicing sandbox --callback http://127.0.0.1:3000/webhook',
    words: 0,
    flags: {
      port: textOr('4010', 'the next free one when it is taken, 0 for any'),
      host: rare(textOr('127.0.0.1', 'another host opens it to the network')),
      callback: text('URL', 'where webhooks go when an invoice names no address'),
      demo: flag('starts with orders in every state'),
      seed: rare(text('7', 'the same ids in each run')),
      frozen: rare(flag('the clock is frozen until you move it')),
      merchant: rare(text('NAME', 'the shop on the payment page')),
      fault: list('TYPE[:RATE]', 'once, or at random: rate_limit  server_error:0.2'),
      dialect: rare(list('NAME=VALUE', 'another form of what the service sends')),
      'allow-host': rare(list('NAME', 'may be called by this name, and delivers to it')),
      'public-url': rare(text('URL', 'the address in payment links')),
      key: rare(text('TEXT', 'instead of sk_sandbox')),
      secret: rare(text('TEXT', 'instead of whsec_sandbox')),
      json: flag('prints one line when it listens, then nothing'),
      events: rare(flag('with --json: one line for each event')),
    },
    notes: `Actions on a running one, such as sandbox pay order-1042: sandbox pay --help`,
  },
  'sandbox action': {
    overview: actionTerms('sandbox ', /^(?:create|pay|fail|resend|fault|advance|status)\b/),
    example: 'npx merchant-invoicing sandbox pay order-1042',
    words: 2,
    terms: actionTerms(),
    flags: {
      url: text('URL', 'default a local MERCHANT_BASE_URL, or port 4010'),
      amount: filling('amount', text('17.00', 'pays less or more than ordered')),
      late: filling('late', flag('pays an order after its end')),
      method: filling('method', text('ID|NAME', 'the payment method of pay')),
      id: filling('external_id', text('TEXT', 'the external_id of create')),
      customer: filling('customer_id', text('TEXT', 'the customer_id of create')),
      callback: filling('callback_url', text('URL', 'the callback_url of create')),
    },
  },
  'webhooks check': {
    overview: {
      'webhooks check URL': 'checks your endpoint, rule by rule',
    },
    example: 'npx merchant-invoicing webhooks check http://127.0.0.1:3000/webhook',
    words: 1,
    extra: '--secret',
    flags: DELIVERY_FLAGS,
    notes: `Give --secret twice to check that the receiver takes both (rotation).
Sends about thirty deliveries, genuine and forged. Code 1: a rule is broken.
Never point it at a live shop: it may fulfil what it accepts.`,
  },
  'webhooks send': {
    overview: {
      'webhooks send EVENT URL': 'sends it one signed delivery',
    },
    example: 'npx merchant-invoicing webhooks send paid http://127.0.0.1:3000/webhook',
    words: 2,
    extra: '--external-id',
    terms: { EVENT: 'paid  adjusted  overpaid  expired  canceled  fail' },
    flags: {
      ...DELIVERY_FLAGS,
      'dry-run': flag('prints the request instead of sending it'),
    },
  },
  'webhooks verify': {
    overview: {
      'webhooks verify < request': 'explains a signature',
    },
    example: 'npx merchant-invoicing webhooks verify < request.txt',
    words: 0,
    extra: '<',
    terms: { 'standard input': 'a raw HTTP request: headers, an empty line, the body' },
    flags: {
      secret: SECRET,
      at: text('TIME', 'checks the age as of then, for a recorded request'),
      'order-id-member': rare(text('NAME', 'the member with your order id, such as order.id')),
      'adjusted-member': rare(text('NAME', 'the member that says whether a payment was adjusted')),
      'adjusted-absent': ADJUSTED_ABSENT,
    },
    notes: 'Exit code 0: genuine. 1: refused, with the reason.',
  },
  order: {
    overview: {
      'order ID': 'what happened to one order, and why',
    },
    example: 'npx merchant-invoicing order order-1042',
    words: 1,
    terms: { ID: 'your external_id, or the uuid of the invoice' },
    flags: {
      resend: flag('sends its webhook again first'),
      ...SERVICE_FLAGS,
    },
    notes: `Says what was created, paid and credited, each attempt of the webhook, and if
your shop has not heard of it the likely cause and the remedy. Reads only,
unless --resend is given. Code 1: the shop has not heard of it.`,
  },
  reconcile: {
    overview: {
      'reconcile --orders FILE': 'compares your orders with the invoices',
    },
    example: 'MERCHANT_API_KEY=… npx merchant-invoicing reconcile --orders orders.csv',
    words: 0,
    extra: '--orders',
    flags: {
      orders: text('FILE', 'CSV in UTF-8 with a header, or JSON lines, - for stdin'),
      since: text('TIME', 'the file has all orders since then: 7d, or 2026-01-31'),
      grace: rare(textOr('15m', 'younger differences are left for the next run')),
      html: text('FILE', 'writes the report as one page too'),
      shop: text('NAME', 'the name of the shop, above the report'),
      'adjusted-absent': ADJUSTED_ABSENT,
      ...SERVICE_FLAGS,
    },
    notes: `Columns: external_id amount currency state, and if you have them order part
credited_usdt refunded_amount created_at changed_at. Amounts such as 25.00.
States: open paid fulfilled canceled refunded. It only reads.
Code 0: all match. 1: findings, or ids that a spreadsheet changed.
2: something could not be compared, or the file has no order.`,
  },
  doctor: {
    overview: {
      doctor: 'checks key, address and clock',
    },
    example: 'MERCHANT_BASE_URL=… MERCHANT_API_KEY=… npx merchant-invoicing doctor',
    words: 0,
    extra: '--base-url',
    flags: {
      survey: flag('shows the forms that this service uses, and what to set'),
      'base-url': text('URL', 'default MERCHANT_BASE_URL'),
      'allow-http': flag('plain http to a host that is not this machine'),
    },
    notes: `Checks the settings, the address, redirects, the clock and the key. With
--survey it reads each list, one invoice and its deliveries. Changes nothing.
Reads the key only from MERCHANT_API_KEY: flags end up in shell histories.`,
  },
} satisfies Readonly<Record<string, CommandTable>>;

/** The example of a command, as an error shows it. */
export function exampleOf({ example }: CommandTable): string {
  return example.replace(/^.*(?=npx )/, '');
}

const TABLES: Readonly<Record<string, CommandTable>> = COMMANDS;

/** The help of a command on one screen, or the overview if there is no such command. `hasAll` adds the rare flags. */
export function helpFor(words: readonly string[], hasAll = false): string {
  const [first = '', second = ''] = words;
  const name = first === 'sandbox' && second !== '' ? 'sandbox action' : `${first} ${second}`.trim();
  const found = [name, first, `${first} check`].find((each) => Object.hasOwn(TABLES, each));
  const table = TABLES[found ?? ''];
  return table === undefined ? overview() : helpOf(table, hasAll);
}

function overview(): string {
  const rows = Object.values(TABLES).flatMap((table) => Object.entries(table.overview));
  return `Example
  npx merchant-invoicing sandbox      a payment service on this machine

Commands
${linesOf(rows)}
Everywhere  --json  for scripts   --help  for more    NO_COLOR is respected
Exit code   0 fine   1 finding   2 misuse   3 cannot reach
`;
}

function helpOf({ example, terms = {}, flags, notes }: CommandTable, hasAll: boolean): string {
  const { help: _, ...common } = COMMON_FLAGS;
  const all = Object.entries<Flag>({ ...flags, ...common, ...flags });
  const shown = all.filter(([, { isRare }]) => hasAll || !isRare);
  const rows = [
    ...Object.entries(terms),
    ...shown.map(([name, { value, about }]) => [`--${name}${value === undefined ? '' : ` ${value}`}`, about] as const),
  ];
  if (shown.length < all.length) rows.push(['--help all', `shows ${all.length - shown.length} more flags`]);
  const end = notes === undefined ? '' : `\n${notes}\n`;
  return `Example\n  ${example}\n\n${linesOf(rows)}${end}`;
}

function linesOf(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${wrapped(right, width + 4, `  ${left.padEnd(width)}  `).trimEnd()}\n`).join('');
}
