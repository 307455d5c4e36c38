// Every action on a sandbox, declared once: the dashboard's forms, the payment page, the command line and its help are
// made from this table. Each effect calls functions of `Sandbox`.

import type { EndpointName } from '../../contract/endpoints.ts';
import { checkOptions } from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { dialectValue } from './dialects.ts';
import { fail, quoted } from './option-checks.ts';
import type { Sandbox } from './sandbox.ts';
import type { FaultType, SeedFault } from './state/faults.ts';
import type { SandboxDelivery, SandboxEnding, SandboxInvoice, SandboxWithdrawal } from './wire-types.ts';

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

/** What an action returns: data for programs, and text for people. */
export interface ActionResult {
  readonly result: unknown;
  readonly text: string;
}

export interface Action {
  /** The arguments, in the order of the command line. */
  readonly words: readonly ActionWord[];
  /** Further fields of the request. Pages fill in those they need, and the command line has flags for some (`FLAG_FIELDS`). */
  readonly options?: readonly string[];
  /** What it does, for the help. Actions with the same arguments and help share a line. */
  readonly help: string;
  /** True for an action of the pages alone. The command line has `order` and `webhooks check` in its place. */
  readonly isButton?: true;
  /** The notice of a page afterwards. */
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
const DIALECT = { field: 'name', shown: 'DIALECT', example: 'createStatus', needs: 'a dialect' };
const VALUE = { field: 'value', shown: 'VALUE', example: '200', needs: 'a value' };
const FAULT = { field: 'type', shown: 'TYPE', example: 'server_error', needs: 'a fault, or clear' };
const DURATION = { field: 'duration', shown: 'DURATION', example: '1h', needs: 'a duration' };

const TABLE = {
  create: {
    words: [AMOUNT, CURRENCY],
    options: ['external_id', 'customer_id', 'purpose', 'callback_url', 'success_url', 'fail_url'],
    help: 'a new order, and prints its payment link',
    done: 'The payment was created.',
    effect(sandbox, [amount, currency], options) {
      const invoice = sandbox.create({ amount, currency, ...options });
      return { result: invoice, text: `${invoice.external_id}  ${amount} ${currency}  ${invoice.payment_url}` };
    },
  },
  choose: {
    words: [IDENT, METHOD],
    help: 'the customer chooses a payment method',
    done: 'The payment method was chosen.',
    effect(sandbox, [ident, method]) {
      const invoice = sandbox.choose(ident, method);
      return { result: invoice, text: stateText(invoice) };
    },
  },
  pay: {
    words: [IDENT],
    options: ['method', 'late'],
    help: 'in full, an order by its external_id or uuid',
    done: 'The order was paid.',
    effect: (sandbox, [ident], { method, late }) => ended(sandbox.pay(ident, { method, late: late === 'true' })),
  },
  underpay: {
    words: [IDENT, AMOUNT],
    options: ['method'],
    help: 'less or more than ordered',
    done: 'The order was paid with less.',
    effect: (sandbox, [ident, amount], options) => ended(sandbox.underpay(ident, amount, options)),
  },
  overpay: {
    words: [IDENT, AMOUNT],
    options: ['method'],
    help: 'less or more than ordered',
    done: 'The order was paid with more.',
    effect: (sandbox, [ident, amount], options) => ended(sandbox.overpay(ident, amount, options)),
  },
  adjust: {
    words: [IDENT, AMOUNT],
    help: 'a dispute corrects the amount',
    done: 'The paid amount was corrected.',
    effect: (sandbox, [ident, amount]) => ended(sandbox.adjust(ident, amount)),
  },
  fail: {
    words: [IDENT],
    help: 'ends it unpaid',
    done: 'The payment failed.',
    effect: (sandbox, [ident]) => ended(sandbox.fail(ident)),
  },
  cancel: {
    words: [IDENT],
    help: 'ends it unpaid',
    done: 'The order was canceled.',
    effect: (sandbox, [ident]) => ended(sandbox.cancel(ident)),
  },
  expire: {
    words: [IDENT],
    help: 'ends it unpaid',
    done: 'The order has expired.',
    effect: (sandbox, [ident]) => ended(sandbox.expire(ident)),
  },
  resend: {
    words: [IDENT],
    help: 'sends its webhook again',
    done: 'The webhook was sent.',
    async effect(sandbox, [ident]) {
      const delivery = await sandbox.resend(ident);
      return { result: delivery, text: `resent  ${deliveryText(delivery)}` };
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
  assume: {
    words: [DIALECT, VALUE],
    help: 'changes a dialect, see docs/sandbox.md',
    done: 'The dialect was changed.',
    effect(sandbox, [name, value]) {
      return { result: sandbox.assume({ [name]: dialectValue(name, value) }), text: `${name} is ${value}` };
    },
  },
  fault: {
    words: [FAULT],
    options: ['operation', 'order', 'times', 'rate'],
    help: 'for the next request, as --fault, or clear',
    done: 'The faults were changed.',
    effect({ faults }, [type], { operation, order, times, rate }) {
      const { fault, ...options } = faultFromText(type);
      if (fault === 'clear') faults.clear();
      else if (fault === 'random') faults.random(Number(rate ?? options.rate ?? Number.NaN));
      else {
        // next() checks type and operation
        faults.next(fault as FaultType, {
          ...options,
          ...(operation !== undefined && { operation: operation as EndpointName }),
          ...(order !== undefined && { order }),
          ...(times !== undefined && { times: Number(times) }),
          ...(rate !== undefined && { rate: Number(rate) }),
        });
      }
      const texts: Readonly<Record<string, string>> = {
        clear: 'no fault is left',
        random: 'any request may meet a fault from now on',
      };
      const text = texts[fault] ?? `${fault} applies to the next matching request`;
      return { result: { queued: faults.queued() }, text };
    },
  },
  advance: {
    words: [DURATION],
    help: 'moves the clock: 90s  30m  6h  1d',
    done: 'The clock was moved, and everything that was due has happened.',
    async effect(sandbox, [duration]) {
      const before = new Set(sandbox.events());
      await sandbox.advance(duration);
      const events = sandbox.events().filter((event) => !before.has(event));
      const { result, text } = ofClock(sandbox);
      return { result: { ...result, events }, text };
    },
  },
  freeze: {
    words: [],
    help: 'stops the clock, or lets it run',
    done: 'The clock is frozen.',
    effect(sandbox) {
      sandbox.freeze();
      return ofClock(sandbox);
    },
  },
  unfreeze: {
    words: [],
    help: 'stops the clock, or lets it run',
    done: 'The clock runs.',
    effect(sandbox) {
      sandbox.unfreeze();
      return ofClock(sandbox);
    },
  },
  reset: {
    words: [],
    help: 'removes everything: asks on a terminal',
    done: 'Everything is back at the beginning.',
    effect(sandbox) {
      sandbox.reset();
      return { ...ofClock(sandbox), text: 'back to the beginning' };
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

/** Every action by its name. */
export const ACTIONS: Readonly<Record<ActionName, Action>> = TABLE;

/** True for the name of an action. */
export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(ACTIONS, name);
}

/** Refuses a field that the action does not have. `back` is the page that a form returns to. */
export function checkFields(name: ActionName, values: Readonly<Record<string, unknown>>): void {
  const { words, options = [] } = ACTIONS[name];
  const names = [...words.map(({ field }) => field), ...options, 'back'];
  checkOptions(`The action ${name}`, values, new Set(names), fail);
}

/** True for the name of an action on one order, which is named by `ident`. */
export function isOrderAction(name: string): name is ActionName {
  return isActionName(name) && ACTIONS[name].words[0] === IDENT;
}

/** Performs an action by its name: {@link runAction} on one sandbox. */
export type Perform = (name: string, values: Readonly<Record<string, unknown>>) => Promise<ActionResult>;

/**
 * Performs an action with the values of a form or a command. Null and empty values count as absent.
 *
 * @throws ConfigurationError for an unknown name, and for what the sandbox refuses.
 */
export async function runAction(
  sandbox: Sandbox,
  name: string,
  values: Readonly<Record<string, unknown>>,
): Promise<ActionResult> {
  if (!isActionName(name))
    throw new ConfigurationError(`There is no action ${name}, only ${Object.keys(ACTIONS).join(', ')}`);
  const { words, options = [], effect } = ACTIONS[name];
  const textOf = (field: string): string => {
    const value = values[field] ?? '';
    if (typeof value === 'object' || typeof value === 'function')
      throw new ConfigurationError(`${field} must be text, not ${quoted(value)}`);
    return String(value);
  };
  const [first = '', second = ''] = words.map(({ field }) => textOf(field));
  const given = options.map((field) => [field, textOf(field)] as const).filter(([, text]) => text !== '');
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

async function ended(ending: Promise<SandboxEnding>): Promise<ActionResult> {
  const result = await ending;
  const { invoice, delivery } = result;
  const webhook = delivery === null ? 'no webhook: no callback URL' : `webhook ${delivery.state}`;
  const why = delivery === null || delivery.why === null ? '' : `: ${delivery.why}`;
  return { result, text: `${stateText(invoice)}  ${webhook}${why}` };
}

function stateText({ external_id, status, settled_amount_usdt, adjustment }: SandboxInvoice): string {
  const credited = settled_amount_usdt === null ? '' : `, ${settled_amount_usdt} USDT credited`;
  const adjusted =
    adjustment === null ? '' : `, ${adjustment.actual_amount_fiat} paid of ${adjustment.expected_amount_fiat}`;
  return `${external_id}  ${status}${adjusted}${credited}`;
}

/** What became of a delivery. */
function deliveryText({ status, attempt_log, next_retry_at }: SandboxDelivery): string {
  const last = attempt_log.at(-1);
  if (last === undefined || last.success) return `webhook ${status}`;
  return `webhook ${last.error}${next_retry_at === null ? '' : `, next attempt ${next_retry_at}`}`;
}

function ofWithdrawal(row: SandboxWithdrawal): ActionResult {
  return { result: row, text: `${row.uuid}  ${row.status}  ${row.amount} ${row.token}` };
}

function ofClock({ now, frozen }: Sandbox) {
  const at = now().toISOString();
  return { result: { now: at, frozen }, text: `the clock is at ${at}${frozen ? ', frozen' : ''}` };
}

function statusOf(sandbox: Sandbox): ActionResult {
  const { url } = sandbox;
  const now = sandbox.now().toISOString();
  const [invoices, deliveries, withdrawals] = [sandbox.invoices(), sandbox.deliveries(), sandbox.withdrawals()];
  const text = `${invoices.length} invoices, ${deliveries.length} webhooks`;
  return { result: { url, now, invoices, deliveries, withdrawals }, text };
}
