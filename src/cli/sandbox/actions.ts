import { INVOICE_STATUS_NAMES } from '../../contract/statuses.ts';
import { printable } from '../../printable.ts';
import type { SandboxDelivery, SandboxInvoice, SandboxWithdrawal } from '../../sandbox/index.ts';
import { parseDuration } from '../../sandbox/option-checks.ts';
import { parseAddress, readArguments } from '../arguments.ts';
import { COMMANDS } from '../commands.ts';
import { EXIT, type ExitCode, type Io, messageOf, misuse } from '../io.ts';
import { meant } from '../meant.ts';
import { jsonLine } from '../report.ts';
import { command, type SandboxStatus, statusOf } from './control.ts';
import { parseFault } from './flags.ts';
import { followEvents } from './follow.ts';
import { confirmed } from './keyboard.ts';
import { holderOfState } from './state-lock.ts';

/** An action: example words, how many it takes, and what is missing if there are fewer. */
interface Action {
  readonly example: string;
  readonly words: readonly [least: number, most: number];
  readonly needs: string;
}

const ON_ORDER: Action = { example: 'order-1042', words: [1, 1], needs: 'an order' };
const WITH_AMOUNT: Action = { example: 'order-1042 17.00', words: [2, 2], needs: 'an order and an amount' };
const ALONE: Action = { example: '', words: [0, 0], needs: '' };
const WITHDRAWAL = { example: '5eed0000-0000-4000-8000-000000000001', needs: 'the uuid of a withdrawal' };

const ACTIONS: Readonly<Record<string, Action>> = {
  create: { example: '25 EUR', words: [2, 2], needs: 'an amount and a currency' },
  pay: ON_ORDER,
  underpay: WITH_AMOUNT,
  overpay: WITH_AMOUNT,
  fail: ON_ORDER,
  cancel: ON_ORDER,
  expire: ON_ORDER,
  adjust: WITH_AMOUNT,
  resend: ON_ORDER,
  approve: { ...WITHDRAWAL, words: [1, 1] },
  reject: { ...WITHDRAWAL, words: [1, 2] },
  fault: { example: 'server_error', words: [1, 1], needs: 'a fault, or clear' },
  advance: { example: '1h', words: [1, 1], needs: 'a duration' },
  events: ALONE,
  reset: ALONE,
  status: ALONE,
};

export function isAction(word: string): boolean {
  return Object.hasOwn(ACTIONS, word);
}

/** Throws for a word that is neither an action nor a flag. */
export function refuseUnknownAction(word: string): void {
  if (word === '' || word.startsWith('-')) return;
  const names = Object.keys(ACTIONS);
  throw misuse(
    `sandbox has no action ${JSON.stringify(word)}${meant(word, names) || `, only ${names.join(', ')}`}`,
    'npx merchant-invoicing sandbox pay --help',
  );
}

/** `sandbox pay order-1042` and the like: acts on the sandbox at `--url`, or on the one that keeps the file of `--state`. */
export async function actOnSandbox(action: string, args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = readArguments(COMMANDS['sandbox action'], args, `sandbox ${action}`);
  const fix = `npx merchant-invoicing sandbox ${action} ${ACTIONS[action]?.example}`.trim();
  const holder = values.state === undefined ? null : await holderOfState(values.state);
  const url = parseAddress(holder?.url ?? values.url, '--url', fix).replace(/\/+$/, '');
  const [first = '', second] = readWords(action, positionals, fix);
  // An empty one comes from a variable that is not set. The dashboard means "none given" by it.
  for (const name of ['id', 'customer', 'callback', 'method'] as const) {
    if (values[name] === '') throw misuse(`--${name} is empty`, fix);
  }
  const say = (value: unknown, text: string): ExitCode => {
    io.out(values.json ? jsonLine(value) : `${text.split('\n').map(printable).join('\n')}\n`);
    return EXIT.fine;
  };
  switch (action) {
    case 'status': {
      const status = await statusOf(url);
      return say(status, statusText(status));
    }
    case 'events':
      return await followEvents(url, values.json, io);
    case 'create': {
      const { id, customer, callback } = values;
      const given = { external_id: id, customer_id: customer, callback_url: callback };
      const invoice = (await command(url, 'create', {
        amount: first,
        currency: second ?? '',
        ...given,
      })) as SandboxInvoice;
      return say(invoice, `${invoice.external_id}  ${invoice.amount} ${invoice.currency.code}  ${invoice.payment_url}`);
    }
    case 'fault': {
      const result = await command(url, first === 'clear' ? 'clear_faults' : 'fault', faultFields(first));
      return say(result, first === 'clear' ? 'no fault is left' : `${first} applies to the next matching request`);
    }
    case 'approve':
    case 'reject': {
      const row = (await command(url, action, { ident: first, reason: second })) as SandboxWithdrawal;
      return say(row, `${row.uuid}  ${row.status}  ${row.amount} ${row.token}`);
    }
    case 'advance': {
      checkDuration(first, fix);
      const result = await command(url, action, { duration: first });
      return say(result, `the clock is at ${nowOf(result)}`);
    }
    case 'reset': {
      if (!values.yes) {
        if (io.keyboard === null) throw misuse('reset asks on a terminal, and here is none', `${fix} --yes`);
        const { invoices } = await statusOf(url);
        const question = `Remove ${invoices.length} ${invoices.length === 1 ? 'invoice' : 'invoices'} of the sandbox at ${url}?`;
        if (!(await confirmed(question, io.keyboard, io.out))) return say({ reset: false }, 'nothing was changed');
      }
      return say(await command(url, action, {}), 'back to the beginning');
    }
    default:
      return actOnOrder(action, { ident: first, amount: second, method: values.method }, url, say);
  }
}

async function actOnOrder(
  action: string,
  fields: Readonly<Record<string, string | undefined>>,
  url: string,
  say: (value: unknown, text: string) => ExitCode,
): Promise<ExitCode> {
  const result = await command(url, action, fields);
  if (action === 'resend') {
    const delivery = result as SandboxDelivery;
    return say(result, `resent  ${deliveryText(delivery)}`);
  }
  const invoice = result as SandboxInvoice; // these actions answer with the invoice
  return say(invoice, await endText(invoice, url));
}

/** The fields of a fault, from `type`, `type@operation` or `type:rate`, as for `--fault`. */
function faultFields(text: string): Record<string, string | undefined> {
  if (text === 'clear') return {};
  const { fault, operation, rate, times } = parseFault(text, undefined);
  return { type: String(fault), operation, rate: rate?.toString(), times: times?.toString() };
}

function readWords(action: string, words: readonly string[], fix: string): readonly string[] {
  const { words: [least, most] = [0, 0], needs = '' } = ACTIONS[action] ?? {};
  if (words.length < least) throw misuse(`${action} needs ${needs}`, fix);
  if (words.length > most) throw misuse(`${action} does not take ${JSON.stringify(words[most])}`, fix);
  return words;
}

function checkDuration(text: string, fix: string): void {
  try {
    parseDuration(text, 'a duration');
  } catch (error) {
    throw misuse(messageOf(error), fix);
  }
}

function nowOf(result: unknown): string {
  return (result as { now?: string }).now ?? 'an unknown time';
}

async function endText(invoice: SandboxInvoice, url: string): Promise<string> {
  const { external_id, status, settled_amount_usdt, adjustment } = invoice;
  const credited = settled_amount_usdt === null ? '' : `, ${settled_amount_usdt} USDT credited`;
  const adjusted =
    adjustment === null ? '' : `, ${adjustment.actual_amount_fiat} paid of ${adjustment.expected_amount_fiat}`;
  const { deliveries } = await statusOf(url);
  const delivery = deliveries.find(({ invoice_uuid }) => invoice_uuid === invoice.uuid);
  const webhook = delivery === undefined ? 'no webhook: no callback URL' : deliveryText(delivery);
  return `${external_id}  ${status}${adjusted}${credited}  ${webhook}`;
}

/** What became of a delivery. */
function deliveryText({ status, attempt_log, next_retry_at }: SandboxDelivery): string {
  const last = attempt_log.at(-1);
  if (last === undefined || last.success) return `webhook ${status}`;
  return `webhook ${last.error}${next_retry_at === null ? '' : `, next try ${next_retry_at}`}`;
}

const SHOWN = 10;

function statusText({ url, now, invoices, deliveries, withdrawals }: SandboxStatus): string {
  const count = (status: string): number => invoices.filter((invoice) => invoice.status === status).length;
  const states = INVOICE_STATUS_NAMES.map((status) => `${count(status)} ${status}`);
  const waiting = deliveries.filter(({ status }) => status !== 'delivered').length;
  const undecided = withdrawals.filter(({ status }) => status === 'pending');
  const rows = invoices
    .slice(0, SHOWN)
    .map(
      ({ external_id, amount, currency, status }) =>
        `  ${external_id.padEnd(24)} ${`${amount} ${currency.code}`.padStart(14)}  ${status}`,
    );
  return [
    `SANDBOX  ${url}  clock ${now}`,
    `${invoices.length} invoices: ${states.join(', ')}`,
    `${deliveries.length} webhooks, ${waiting} not delivered`,
    ...(undecided.length === 0
      ? []
      : [`${undecided.length} withdrawals pending: ${undecided.map(({ uuid }) => uuid).join(', ')}`]),
    ...rows,
    ...(invoices.length > SHOWN ? [`  … and ${invoices.length - SHOWN} older`] : []),
  ].join('\n');
}
