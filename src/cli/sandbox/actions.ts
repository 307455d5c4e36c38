import { INVOICE_STATUS_NAMES } from '../../contract/statuses.ts';
import { printable } from '../../printable.ts';
import type { SandboxInvoice } from '../../sandbox/index.ts';
import { parseDuration } from '../../sandbox/option-checks.ts';
import { parseAddress, readArguments } from '../arguments.ts';
import { COMMANDS } from '../commands.ts';
import { EXIT, type ExitCode, type Io, messageOf, misuse } from '../io.ts';
import { command, type SandboxStatus, statusOf } from './control.ts';
import { EXPORT_FORMS, exportText } from './export.ts';

/** Each action with example words. */
const EXAMPLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['pay', 'fail', 'cancel', 'expire', 'resend'].map((name) => [name, 'order-1042'])),
  ...Object.fromEntries(['underpay', 'overpay', 'adjust'].map((name) => [name, 'order-1042 17.00'])),
  advance: '1h',
  reset: '',
  status: '',
  export: '',
};

export function isAction(word: string): boolean {
  return Object.hasOwn(EXAMPLES, word);
}

/** `sandbox pay order-1042` and the like: acts on the sandbox that runs at `--url`. */
export async function actOnSandbox(action: string, args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = readArguments(COMMANDS['sandbox action'], args, `sandbox ${action}`);
  const fix = `merchant-invoicing sandbox ${action} ${EXAMPLES[action]}`.trim();
  const url = parseAddress(values.url, '--url', fix).replace(/\/+$/, '');
  const [first, second] = readWords(action, positionals, fix);
  const say = (value: unknown, text: string): ExitCode => {
    io.out(values.json ? `${JSON.stringify(value)}\n` : `${text.split('\n').map(printable).join('\n')}\n`);
    return EXIT.fine;
  };

  if (action === 'status') {
    const status = await statusOf(url);
    return say(status, statusText(status));
  }
  if (action === 'export') {
    const form = EXPORT_FORMS.find((each) => each === values.as);
    if (form === undefined) throw misuse(`--as takes ${EXPORT_FORMS.join(', ')}`, fix);
    const text = exportText(await statusOf(url), form, first, url);
    io.out(values.json ? `${JSON.stringify({ as: form, text })}\n` : `${text}\n`); // unchanged, because it is a file
    return EXIT.fine;
  }
  if (action === 'advance') checkDuration(first ?? '', fix);
  if (action === 'advance' || action === 'reset') {
    const result = await command(url, action, action === 'advance' ? { duration: first ?? '' } : {});
    return say(result, action === 'advance' ? `the clock is at ${nowOf(result)}` : 'back to the beginning');
  }
  const fields = {
    ident: first ?? '',
    ...(second === undefined ? {} : { amount: second }),
    ...(values.method === undefined ? {} : { method: values.method }),
  };
  const result = await command(url, action, fields);
  if (action === 'resend') return say(result, `resent: ${(result as { status?: string }).status}`);
  const invoice = result as SandboxInvoice; // these actions answer with the invoice
  return say(invoice, await endText(invoice, url));
}

function readWords(action: string, words: readonly string[], fix: string): readonly string[] {
  const example = EXAMPLES[action] ?? '';
  const wanted = example === '' ? 0 : example.split(' ').length;
  const most = action === 'export' ? 1 : wanted;
  if (words.length >= wanted && words.length <= most) return words;
  throw misuse(
    words.length < wanted
      ? `${action} needs ${wanted === 2 ? 'an order and an amount' : action === 'advance' ? 'a duration' : 'an order'}`
      : `${action} does not take ${JSON.stringify(words[most])}`,
    fix,
  );
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
  const last = delivery?.attempt_log.at(-1);
  const webhook =
    delivery === undefined
      ? 'no webhook: no callback URL'
      : last === undefined || last.success
        ? `webhook ${delivery.status}`
        : `webhook ${last.error}${delivery.next_retry_at === null ? '' : `, next try ${delivery.next_retry_at}`}`;
  return `${external_id}  ${status}${adjusted}${credited}  ${webhook}`;
}

const SHOWN = 10;

function statusText({ url, now, invoices, deliveries }: SandboxStatus): string {
  const count = (status: string): number => invoices.filter((invoice) => invoice.status === status).length;
  const states = INVOICE_STATUS_NAMES.map((status) => `${count(status)} ${status}`);
  const waiting = deliveries.filter(({ status }) => status !== 'delivered').length;
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
    ...rows,
    ...(invoices.length > SHOWN ? [`  … and ${invoices.length - SHOWN} older`] : []),
  ].join('\n');
}
