// What an action on a running sandbox prints in the terminal.
import { printable } from '../../../errors/printable.ts';
import type { ActionName, ActionResult } from '../../sandbox/actions.ts';
import type {
  SandboxDelivery,
  SandboxEnding,
  SandboxEvent,
  SandboxInvoice,
  SandboxWithdrawal,
} from '../../sandbox/index.ts';
import { isWebhookWaiting, noWebhookWord, paymentWord, webhookWord } from '../../sandbox/words.ts';
import { markOf, oneLine, type Style, wrapped } from '../report.ts';
import { eventWriter } from './screen.ts';

/** What the action `status` returns. */
interface SandboxStatus {
  readonly url: string;
  readonly now: string;
  readonly invoices: readonly SandboxInvoice[];
  readonly deliveries: readonly SandboxDelivery[];
  readonly withdrawals: readonly SandboxWithdrawal[];
}

type Show = (result: unknown, style: Style) => string;

/** The actions that print more than that they are done. The casts are what the effects of `ACTIONS` return. */
const SHOWN: Readonly<Partial<Record<ActionName, Show>>> = {
  create: (result, style) => created(result as SandboxInvoice, style),
  pay: (result, style) => ended(result as SandboxEnding, style),
  underpay: (result, style) => ended(result as SandboxEnding, style),
  overpay: (result, style) => ended(result as SandboxEnding, style),
  adjust: (result, style) => ended(result as SandboxEnding, style),
  fail: (result, style) => ended(result as SandboxEnding, style),
  cancel: (result, style) => ended(result as SandboxEnding, style),
  expire: (result, style) => ended(result as SandboxEnding, style),
  resend: (result, style) => resent(result as SandboxDelivery, style),
  advance: (result, style) => advanced(result as { readonly now: string; readonly events: SandboxEvent[] }, style),
  status: (result, style) => table(result as SandboxStatus, style),
};

/** The lines of an action that was done, the first one with its ✓. */
export function actionLines(name: ActionName, { result, text }: ActionResult, style: Style): string {
  const lines = SHOWN[name]?.(result, style) ?? done(text, style);
  return `${lines}\n`;
}

function done(text: string, style: Style): string {
  return wrapped(printable(text), 2, `${markOf('pass', style)} `);
}

function created({ external_id, amount, currency, payment_url }: SandboxInvoice, style: Style): string {
  return `${done(`${external_id}  ${amount} ${currency.code}`, style)}\n  ${printable(payment_url)}`;
}

function ended({ invoice, delivery }: SandboxEnding, style: Style): string {
  const { external_id, settled_amount_usdt: usdt, adjustment, amount, currency } = invoice;
  const paid = adjustment === null ? '' : `, ${adjustment.actual_amount_fiat} of ${amount} ${currency.code}`;
  const credited = usdt === null ? '' : `, ${usdt} USDT credited`;
  const first = done(`${external_id}  ${paymentWord(invoice)}${paid}${credited}`, style);
  if (delivery === null) return `${first}\n  no webhook: it has no callback URL`;
  const { state, status, why } = delivery;
  const mark = state === 'waiting' ? ' ' : markOf(state === 'delivered' ? 'pass' : 'fail', style);
  const response = status === null ? (state === 'waiting' ? '' : ', no response') : `, ${status}`;
  const webhook = `${first}\n${mark} webhook ${state}${response}`;
  return why === null ? webhook : `${webhook}\n${wrapped(printable(why), 2)}`;
}

function resent(delivery: SandboxDelivery, style: Style): string {
  const last = delivery.attempt_log.at(-1);
  const isWaiting = isWebhookWaiting(delivery);
  const mark = isWaiting ? ' ' : markOf(last?.success ? 'pass' : 'fail', style);
  const response = isWaiting ? webhookWord(delivery) : (last?.status_code ?? 'no response');
  return `${mark} ${printable(delivery.external_id)}  webhook: ${response}`;
}

const EVENTS_SHOWN = 30;

function advanced({ now, events }: { readonly now: string; readonly events: SandboxEvent[] }, style: Style): string {
  const write = eventWriter(style);
  const lines = events.flatMap((event) => write(event)?.trimEnd() ?? []);
  const first = done(`the clock is at ${now.slice(0, 19).replace('T', ' ')} UTC`, style);
  if (lines.length === 0) return `${first}\n  nothing was due in that time`;
  const rest = lines.length > EVENTS_SHOWN ? [`  … and ${lines.length - EVENTS_SHOWN} more`] : [];
  return [first, ...lines.slice(0, EVENTS_SHOWN), ...rest].join('\n');
}

const ROWS_SHOWN = 20;

function table({ url, now, invoices, deliveries, withdrawals }: SandboxStatus, style: Style): string {
  const latest = new Map([...deliveries].reverse().map((row) => [row.invoice_uuid, row])); // they come newest first
  const rows = invoices.slice(0, ROWS_SHOWN).map((invoice) => {
    const delivery = latest.get(invoice.uuid);
    const webhook = delivery ? webhookWord(delivery) : noWebhookWord(invoice);
    const isKnown = delivery !== undefined && !isWebhookWaiting(delivery);
    const mark = isKnown ? markOf(delivery.status === 'delivered' ? 'pass' : 'fail', style) : ' ';
    const amount = `${invoice.amount} ${invoice.currency.code}`;
    const payment = paymentWord(invoice);
    return `${mark} ${oneLine(invoice.external_id, 24).padEnd(24)} ${amount.padStart(14)}  ${payment.padEnd(10)}  ${webhook}`;
  });
  const undelivered = deliveries.filter((row) => row.status !== 'delivered' && !isWebhookWaiting(row)).length;
  const undecided = withdrawals.filter(({ status }) => status === 'pending').map(({ uuid }) => uuid);
  const head = `  ${'ORDER'.padEnd(24)} ${'AMOUNT'.padStart(14)}  ${'PAYMENT'.padEnd(10)}  WEBHOOK`;
  return [
    `${url}  ${now.slice(0, 19).replace('T', ' ')} UTC`,
    `${invoices.length} payments, ${deliveries.length} webhooks, ${undelivered} not delivered`,
    ...(rows.length === 0 ? [] : ['', head, ...rows]),
    ...(invoices.length > ROWS_SHOWN ? [`  … and ${invoices.length - ROWS_SHOWN} older`] : []),
    ...(undecided.length === 0
      ? []
      : ['', ...undecided.map((uuid) => `  withdrawal ${uuid} waits for approve or reject`)]),
  ].join('\n');
}
