// Every action on a sandbox, declared once: the dashboard's forms, the payment page, the command line and its help are
// made from this table. Each effect calls functions of `Sandbox`.

import type { EndpointName } from '../../contract/endpoints.ts';
import { checkOptions, configurationFail } from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { isWebhookWaiting, moneyText, noWebhookWord, paidText, paymentWord, webhookWord } from '../story.ts';
import { type Line, lineOf } from './lines.ts';
import type { Sandbox } from './sandbox.ts';
import type { FaultType, SeedFault } from './state/faults.ts';
import type { SandboxEvent } from './state/log.ts';
import type { SandboxDelivery, SandboxEnding, SandboxWithdrawal } from './types.ts';

const fail = configurationFail();

/** The customer of the orders that `webhooks check` creates, by which the pages tell them from the merchant's. */
export const CHECK_CUSTOMER = 'merchant-invoicing webhooks check';

/** One argument of an action: a field of a form, or a word of the command line. */
export interface ActionWord {
  readonly field: string;
  /** How the help writes it. */
  readonly shown: string;
  readonly example: string;
  /** How an error names it where it is missing: `pay needs an order`. */
  readonly needs: string;
  readonly isOptional?: true;
}

/** Arguments by name. All are text, and an empty one is absent. */
export type ActionFields = Readonly<Record<string, string | undefined>>;

/** What an action returns: data for programs, and lines for people. */
export interface ActionResult {
  readonly result: unknown;
  readonly lines: readonly Line[];
}

export interface Action {
  /** The arguments, in the order of the command line. */
  readonly words: readonly ActionWord[];
  /** Further fields of the request. Pages fill in those they need, and the command line has flags for some. */
  readonly options?: readonly string[];
  /** What it does, for the help. Actions with the same arguments and help share a line. */
  readonly help: string;
  /** True for an action that causes no event of its own, so that the log gets a note. */
  readonly isNoted?: true;
  /** The notice of a page afterwards. The terminal prints the lines of the effect. */
  readonly done: string;
  /** `words` are the arguments in their order, empty where one is absent. `options` are the further fields. */
  readonly effect: (
    sandbox: Sandbox,
    words: readonly [first: string, second: string],
    options: ActionFields,
  ) => ActionResult | Promise<ActionResult>;
}

const IDENT = { field: 'ident', shown: 'IDENT', example: 'order-1042', needs: 'an order' };
const UUID = {
  field: 'ident',
  shown: 'UUID',
  example: '5eed0000-0000-4000-8000-000000000001',
  needs: 'the uuid of a withdrawal',
};
const AMOUNT = { field: 'amount', shown: 'AMOUNT', example: '17.00', needs: 'an amount' };
const CURRENCY = { field: 'currency', shown: 'CURRENCY', example: 'EUR', needs: 'a currency' };
const METHOD = { field: 'method', shown: 'METHOD', example: 'Card', needs: 'a payment method' };
const REASON = { field: 'reason', shown: 'REASON', example: '', needs: 'a reason', isOptional: true } as const;
const DIALECT = { field: 'name', shown: 'DIALECT', example: 'signatureEncoding', needs: 'a dialect' };
const VALUE = { field: 'value', shown: 'VALUE', example: 'base64', needs: 'a value' };
const FAULT = { field: 'type', shown: 'TYPE', example: 'server_error', needs: 'a fault, or clear' };
const DURATION = { field: 'duration', shown: 'DURATION', example: '1h', needs: 'a duration' };

/** An action that ends an order unpaid. */
function ending(said: string, end: (sandbox: Sandbox, ident: string) => Promise<SandboxEnding>): Action {
  return {
    words: [IDENT],
    help: 'ends it unpaid',
    done: said,
    effect: (sandbox, [ident]) => ended(end(sandbox, ident)),
  };
}

/** An action that stops the clock or lets it run. */
function clockMove(said: string, move: (sandbox: Sandbox) => void): Action {
  const effect: Action['effect'] = (sandbox) => {
    move(sandbox);
    return ofClock(sandbox);
  };
  return { words: [], help: 'stops the clock, or lets it run', isNoted: true, done: said, effect };
}

const TABLE = {
  create: {
    words: [AMOUNT, CURRENCY],
    options: ['external_id', 'customer_id', 'purpose', 'callback_url', 'success_url', 'fail_url'],
    help: 'a new order, and prints its payment link',
    done: 'The payment was created.',
    effect(sandbox, [amount, currency], options) {
      const invoice = sandbox.create({ amount, currency, ...options });
      const created = done(`${invoice.external_id}  ${moneyText(invoice.amount, invoice.currency.code)}`);
      return { result: invoice, lines: [created, further(invoice.payment_url)] };
    },
  },
  choose: {
    words: [IDENT, METHOD],
    help: 'the customer chooses a payment method',
    isNoted: true,
    done: 'The payment method was chosen.',
    effect(sandbox, [ident, method]) {
      const invoice = sandbox.choose(ident, method);
      const { payment_method: chosen, amount_to_send: sends, currency } = invoice;
      const toSend = sends === null ? '' : `, ${moneyText(sends, currency.code)} to send`;
      return { result: invoice, lines: [done(`${ident}  ${chosen?.name}${toSend}`)] };
    },
  },
  pay: {
    words: [IDENT],
    options: ['amount', 'method', 'late'],
    help: 'in full, or another --amount, or --late',
    done: 'The order was paid.',
    effect: (sandbox, [ident], { late, ...options }) => ended(sandbox.pay(ident, { ...options, late: isYes(late) })),
  },
  adjust: {
    words: [IDENT, AMOUNT],
    help: 'corrects the amount of a paid one',
    done: 'The paid amount was corrected.',
    effect: (sandbox, [ident, amount]) => ended(sandbox.adjust(ident, amount)),
  },
  fail: ending('The payment failed.', (sandbox, ident) => sandbox.fail(ident)),
  cancel: ending('The order was canceled.', (sandbox, ident) => sandbox.cancel(ident)),
  expire: ending('The order has expired.', (sandbox, ident) => sandbox.expire(ident)),
  resend: {
    words: [IDENT],
    help: 'sends its webhook again',
    done: 'The webhook was sent.',
    async effect(sandbox, [ident]) {
      const delivery = await sandbox.resend(ident);
      return { result: delivery, lines: [resentLine(delivery)] };
    },
  },
  approve: {
    words: [UUID],
    help: 'decides on a withdrawal',
    done: 'The withdrawal was approved.',
    effect: (sandbox, [uuid]) => ofWithdrawal(sandbox.approve(uuid)),
  },
  reject: {
    words: [UUID, REASON],
    help: 'decides on a withdrawal',
    done: 'The withdrawal was rejected.',
    effect: (sandbox, [uuid, reason]) => ofWithdrawal(sandbox.reject(uuid, reason || 'rejected by hand')),
  },
  dialect: {
    words: [DIALECT, VALUE],
    help: 'answers as another service, see docs/sandbox.md',
    isNoted: true,
    done: 'The dialect was changed.',
    effect(sandbox, [name, value]) {
      return { result: sandbox.assume({ [name]: value }), lines: [done(`${name} is ${value}`)] };
    },
  },
  fault: {
    words: [FAULT],
    options: ['operation', 'order', 'times', 'rate'],
    help: 'for the next request, as --fault, or clear',
    isNoted: true,
    done: 'The faults were changed.',
    effect({ faults }, [type], { operation, order, times, rate }) {
      const { fault, ...options } = faultFromText(type);
      if (fault === 'clear') faults.clear();
      else {
        // next() checks type and operation
        faults.next(fault as FaultType, {
          ...options,
          ...(operation !== undefined && { operation: operation as EndpointName }),
          ...(order !== undefined && { order }),
          ...(rate !== undefined && { rate: Number(rate), times: Number.POSITIVE_INFINITY }),
          ...(times !== undefined && { times: Number(times) }),
        });
      }
      const chance = rate ?? options.rate;
      const which =
        chance === undefined ? 'the next matching request' : `each matching request with a probability of ${chance}`;
      const text = fault === 'clear' ? 'no fault is left' : `${fault} applies to ${which}`;
      return { result: { queued: faults.queued() }, lines: [done(text)] };
    },
  },
  advance: {
    words: [DURATION],
    help: 'moves the clock: 90s  30m  6h  1d',
    isNoted: true,
    done: 'The clock was moved, and everything that was due has happened.',
    async effect(sandbox, [duration]) {
      const before = new Set(sandbox.events());
      await sandbox.advance(duration);
      const events = sandbox.events().filter((event) => !before.has(event));
      const { result, lines } = ofClock(sandbox);
      const seen = withoutRepeats(events.flatMap((event) => lineOf(event) ?? []));
      const more = seen.length > EVENTS_SHOWN ? [further(`… and ${seen.length - EVENTS_SHOWN} more`)] : [];
      return {
        result: { ...result, events },
        lines: [...lines, sumOf(events), ...seen.slice(0, EVENTS_SHOWN), ...more],
      };
    },
  },
  freeze: clockMove('The clock is frozen.', (sandbox) => sandbox.freeze()),
  unfreeze: clockMove('The clock runs.', (sandbox) => sandbox.unfreeze()),
  reset: {
    words: [],
    help: 'removes everything',
    isNoted: true,
    done: 'Everything is back at the beginning.',
    effect(sandbox) {
      sandbox.reset();
      return { ...ofClock(sandbox), lines: [done('back to the beginning')] };
    },
  },
  status: {
    words: [],
    help: 'shows invoices, deliveries and the clock',
    done: '',
    effect: statusOf,
  },
} satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof TABLE;

export const ACTIONS: Readonly<Record<ActionName, Action>> = TABLE;

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(ACTIONS, name);
}

/** Refuses a field that the action does not have. `back` is the page that a form returns to. */
export function checkFields(name: ActionName, values: ActionFields): void {
  const { words, options = [] } = ACTIONS[name];
  const names = [...words.map(({ field }) => field), ...options, 'back'];
  checkOptions(`The action ${name}`, values, new Set(names), fail);
}

/** True for the name of an action on one order, which is named by `ident`. */
export function isOrderAction(name: string): name is ActionName {
  return isActionName(name) && ACTIONS[name].words[0] === IDENT;
}

/** Performs an action by its name: {@link runAction} on one sandbox. */
export type Perform = (name: string, values: ActionFields) => Promise<ActionResult>;

/**
 * Performs an action with the values of a form or a command. Empty values count as absent.
 *
 * @throws ConfigurationError for an unknown name, and for what the sandbox refuses.
 */
export async function runAction(sandbox: Sandbox, name: string, values: ActionFields): Promise<ActionResult> {
  if (!isActionName(name))
    throw new ConfigurationError(`There is no action ${name}, only ${Object.keys(ACTIONS).join(', ')}`);
  const { words, options = [], effect } = ACTIONS[name];
  const [first = '', second = ''] = words.map(({ field }) => values[field]);
  const given = options.map((field) => [field, values[field] ?? ''] as const).filter(([, text]) => text !== '');
  return effect(sandbox, [first, second], Object.fromEntries(given));
}

/**
 * Reads `type`, `type:rate`, `type@operation` or `type@operation:rate`. Without a rate the fault applies once. The
 * function that takes the fault checks type, operation and rate.
 */
export function faultFromText(text: string): Omit<SeedFault, 'fault'> & { readonly fault: string } {
  const [, fault = '', operation, rate] = /^([^@:]*)(?:@([^:]*))?(?::(.*))?$/s.exec(text) ?? [];
  return {
    fault,
    ...(operation !== undefined && { operation: operation as EndpointName }), // checked by the function that takes it
    ...(rate !== undefined && { rate: rate === '' ? Number.NaN : Number(rate), times: Number.POSITIVE_INFINITY }),
  };
}

/** The lines, each cause once. */
function withoutRepeats(lines: readonly Line[]): Line[] {
  const told = new Set<string | null>();
  return lines.map((line) => {
    const isTold = told.has(line.cause);
    told.add(line.cause);
    return isTold ? { ...line, cause: null } : line;
  });
}

/** What a move of the clock brought, as one line. */
function sumOf(events: readonly SandboxEvent[]): Line {
  const attempts = events.filter((event) => event.kind === 'attempt');
  const expired = events.filter((event) => event.kind === 'invoice' && event.to === 'expired').length;
  const failed = attempts.filter(({ success }) => !success).length;
  const made = `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`;
  const parts = [`${expired} expired`, made, `${failed} failed`];
  const text = parts.filter((part) => !part.startsWith('0 ')).join(', ');
  return further(text === '' ? 'nothing was due' : text);
}

function done(text: string): Line {
  return { at: null, grade: 'pass', text, cause: null };
}

/** A line that is neither good nor bad. */
function further(text: string): Line {
  return { at: null, grade: null, text, cause: null };
}

/** `--late` and a form send "true". */
function isYes(text: string | undefined): boolean {
  return text === undefined || text === 'false' ? false : text === 'true' || fail(`late is true or false, not ${text}`);
}

async function ended(ending: Promise<SandboxEnding>): Promise<ActionResult> {
  const result = await ending;
  const { invoice, delivery } = result;
  const { external_id, settled_amount_usdt: usdt, adjustment, amount, currency } = invoice;
  const money = { paid: adjustment?.actual_amount_fiat ?? null, amount, currency: currency.code };
  const paid = adjustment === null ? '' : `, ${paidText(money)}`;
  const credited = usdt === null ? '' : `, ${usdt} USDT credited`;
  const first = done(`${external_id}  ${paymentWord(invoice)}${paid}${credited}`);
  if (delivery === null) return { result, lines: [first, further('no webhook: it has no callback URL')] };
  const { state, status, why: cause } = delivery;
  const response = status === null ? (state === 'waiting' ? '' : ', no response') : `, ${status}`;
  const grade = state === 'waiting' ? null : cause === null ? 'pass' : 'fail';
  return { result, lines: [first, { at: null, grade, text: `webhook ${state}${response}`, cause }] };
}

function resentLine(delivery: SandboxDelivery): Line {
  const last = delivery.attempt_log.at(-1);
  const isWaiting = isWebhookWaiting(delivery);
  const response = isWaiting ? webhookWord(delivery) : (last?.status_code ?? 'no response');
  const grade = isWaiting ? null : last?.success ? 'pass' : 'fail';
  return { at: null, grade, text: `${delivery.external_id}  webhook: ${response}`, cause: null };
}

function ofWithdrawal(row: SandboxWithdrawal): ActionResult {
  return { result: row, lines: [done(`${row.uuid}  ${row.status}  ${row.amount} ${row.token}`)] };
}

function ofClock({ now, frozen }: Sandbox) {
  const at = now().toISOString();
  const text = `the clock is at ${at.slice(0, 19).replace('T', ' ')} UTC${frozen ? ', frozen' : ''}`;
  return { result: { now: at, frozen }, lines: [done(text)] };
}

const EVENTS_SHOWN = 30;
const ROWS_SHOWN = 20;

function statusOf(sandbox: Sandbox): ActionResult {
  const { url } = sandbox;
  const now = sandbox.now().toISOString();
  const [invoices, deliveries, withdrawals] = [sandbox.invoices(), sandbox.deliveries(), sandbox.withdrawals()];
  const latest = new Map([...deliveries].reverse().map((row) => [row.invoice_uuid, row])); // they come newest first
  const rows = invoices.slice(0, ROWS_SHOWN).map((invoice): Line => {
    const delivery = latest.get(invoice.uuid);
    const webhook = delivery ? webhookWord(delivery) : noWebhookWord(invoice);
    const isKnown = delivery !== undefined && !isWebhookWaiting(delivery);
    const grade = isKnown ? (delivery.status === 'delivered' ? 'pass' : 'fail') : null;
    const amount = moneyText(invoice.amount, invoice.currency.code);
    return { ...further(columns(invoice.external_id, amount, paymentWord(invoice), webhook)), grade };
  });
  // As the pages count: the last webhook of a payment, one of `webhooks check` left out.
  const own = invoices.filter(({ customer_id }) => customer_id !== CHECK_CUSTOMER).map(({ uuid }) => latest.get(uuid));
  const undelivered = own.filter((row) => row !== undefined && row.delivered_at === null && row.attempts !== 0).length;
  const undecided = withdrawals.filter(({ status }) => status === 'pending');
  const lines = [
    `${url}  ${now.slice(0, 19).replace('T', ' ')} UTC`,
    `${invoices.length} payments, ${deliveries.length} webhooks, ${undelivered} not delivered`,
    ...(rows.length === 0 ? [] : ['', columns('ORDER', 'AMOUNT', 'PAYMENT', 'WEBHOOK')]),
  ].map(further);
  const rest = [
    ...(invoices.length > ROWS_SHOWN ? [`… and ${invoices.length - ROWS_SHOWN} older`] : []),
    ...(undecided.length === 0 ? [] : ['']),
    ...undecided.map(({ uuid }) => `withdrawal ${uuid} waits for approve or reject`),
  ].map(further);
  return { result: { url, now, invoices, deliveries, withdrawals }, lines: [...lines, ...rows, ...rest] };
}

function columns(order: string, amount: string, payment: string, webhook: string): string {
  const name = order.length > 24 ? `${order.slice(0, 23)}…` : order;
  return `${name.padEnd(24)} ${amount.padStart(14)}  ${payment.padEnd(10)}  ${webhook}`;
}
