import {
  type Callback,
  callback,
  configurationFail,
  duration,
  type Fail,
  kindOf,
  type OptionTable,
  readOptions,
  unchecked,
} from '../../errors/checks.ts';
import type { InvoiceEvent, InvoiceEventHandlers } from '../event/event-types.ts';
import { EVENT_ROWS } from '../event/events.ts';
import type { WebhookStore } from '../stores/store.ts';
import { parseClock } from '../time-source.ts';
import { readSecrets, type WebhookSecret, weakSecrets } from '../verify/secrets.ts';
import { VERIFY_OPTIONS, type VerifySettings, type VerifyWebhookOptions, verifySettings } from '../verify/verify.ts';
import { NO_SUBJECT, report, type WebhookReport } from './report.ts';
import { globalTimers, type WebhookTimers } from './timing.ts';

/** 12 seconds. The service gives up after 15. @see [Retries](../../../docs/service-interface.md#retries) */
const DEFAULT_TIMEOUT = 12_000;
const MAX_TIMEOUT = 15_000;
/** A shorter one was probably meant in seconds. */
const MIN_TIMEOUT = 100;

/** The second argument of the merchant's functions. A store may add members, such as `tx` or `commit`. */
export interface WebhookContext {
  /**
   * Aborted at the time limit. The response is then 503, and the service repeats. Stop early if the work can stop
   * cleanly.
   */
  readonly signal: AbortSignal;
  /** X-Webhook-Id, for logs. It is not signed. */
  readonly deliveryId: string | null;
  /** The same for every repeat of this event. Pass it to other services as their idempotency key. */
  readonly dedupeKey: string;
  /** True if an earlier attempt at this event began and did not end. Some of its work may be done. */
  readonly takenOver: boolean;
}

/**
 * Options of {@link createWebhookHandler}.
 *
 * @example
 * const handler = createWebhookHandler({
 *   store: postgresStore(pool),
 *   onPaid: (event, { tx }) => markPaid(tx, event),
 *   onAdjusted: (event, { tx }) => markPaidInPart(tx, event),
 *   onCanceled: (event, { tx }) => markCanceled(tx, event),
 *   onReport: ({ reason, order, message, error }) => console.warn(reason, order, message, error ?? ''),
 * });
 */
export interface WebhookHandlerOptions<Extra extends object = object>
  extends Omit<VerifyWebhookOptions, 'now'>,
    InvoiceEventHandlers<WebhookContext & Extra> {
  /**
   * The webhook secret of the dashboard, or the old and the new one. Bytes if the dashboard shows the hex or base64 of
   * a key.
   * @defaultValue the environment variable MERCHANT_WEBHOOK_SECRET, where the name is not written
   */
  readonly secret?: WebhookSecret;
  /**
   * Remembers which events are done. `memoryStore()` forgets them at a restart. Over one store, an event is done once, by
   * the handler that gets it first. A handler with other functions needs a store or a `namespace` of its own.
   */
  readonly store: WebhookStore<Extra>;
  /**
   * Called for every refusal, duplicate and takeover, for your log. It is not awaited, and its errors change nothing.
   *
   * @defaultValue `console.error` prints each failure of your function, the store and the payload. Of refused
   * deliveries it prints the first of each reason with its usual causes, and then their number, at intervals from a
   * minute to an hour.
   */
  readonly onReport?: Callback<[report: WebhookReport]> | undefined;
  /**
   * Milliseconds until the response is 503, from 100 to 15,000. Your function may continue after it.
   * @defaultValue 12,000
   */
  readonly timeout?: number | undefined;
  /**
   * The time, as milliseconds since 1970 or a Date. Leave it out beside a sandbox, which stamps its webhooks by the clock
   * of the machine, also after `advance()`. In a storm: `service.now`.
   * @defaultValue the clock
   */
  readonly now?: (() => number | Date) | undefined;
  /** The timers of the time limit and the lease, for tests. @defaultValue the global functions */
  readonly timers?: WebhookTimers | undefined;
}

/** The merchant's function for an event. The row of the event names it, so it takes events of that type. */
export type EventFunction<Extra> = (event: InvoiceEvent, context: WebhookContext & Extra) => unknown;

/** The options after their check. */
export interface HandlerSettings<Extra extends object> {
  readonly verify: VerifySettings;
  readonly store: WebhookStore<Extra>;
  readonly onReport: WebhookHandlerOptions['onReport'];
  /** The merchant's functions by the name of their option. */
  readonly functions: ReadonlyMap<string, EventFunction<Extra>>;
  readonly timeout: number;
  readonly timers: WebhookTimers;
}

/**
 * The required functions. Those of events that are added later are optional: without one, the event goes to
 * `onUnknown`.
 */
const REQUIRED = [
  'onPaid',
  'onAdjusted',
  'onCanceled',
] as const satisfies readonly (keyof InvoiceEventHandlers<never>)[];
const ADJUSTED = `onAdjusted is missing. It gets each payment whose amount differs from the order, often less. Decide there by the credit what the customer gets:
  onAdjusted: async (event) => {
    if (event.credited_usdt.gte(due)) await fulfil(event.order); // the credit that this order needs
    else await askForTheRest(event.order, event.amount);
  }`;

/** The handler's own options. Its functions are read by the table of events. */
const OPTIONS = {
  ...VERIFY_OPTIONS,
  secret: unchecked<WebhookSecret>(),
  store: unchecked<unknown>(),
  onReport: callback<Callback<[report: WebhookReport]>>(),
  now: callback<() => number | Date>(),
  timeout(value: unknown, name: string, fail: Fail): number {
    const ms = duration({ default: DEFAULT_TIMEOUT, min: MIN_TIMEOUT })(value, name, fail);
    if (ms <= MAX_TIMEOUT) return ms;
    return fail(`${name} must be at most ${MAX_TIMEOUT} milliseconds: the service gives up after 15 seconds`);
  },
  timers: (value: unknown): WebhookTimers => (value ?? globalTimers) as WebhookTimers, // for tests
} satisfies OptionTable<Omit<WebhookHandlerOptions, keyof InvoiceEventHandlers<never>>>;

/**
 * Reads the options when a handler is created, and reports weak secrets.
 *
 * @throws ConfigurationError which names the option
 */
export function readHandlerOptions<Extra extends object>(
  options: WebhookHandlerOptions<Extra>,
): HandlerSettings<Extra> {
  const fail = configurationFail('createWebhookHandler');
  if (typeof options !== 'object' || options === null) fail(`needs { secret, store, ${REQUIRED.join(', ')} }`);
  const names = new Set<string>([...REQUIRED, ...EVENT_ROWS.map((row) => row.handler), 'onUnknown']);
  const functions = [...names].map((name) => [name, unchecked<unknown>()] as const);
  const read = readOptions('options', options, { ...OPTIONS, ...Object.fromEntries(functions) }, fail);
  const { secret, store, timeout, timers, onReport, now, ...rest } = read;
  const secrets = readSecrets('secret' in options ? { secret } : null, fail);
  const verify = verifySettings(secrets, { ...rest, now: parseClock(now) });
  checkStore(store, fail);
  const given = new Map<string, EventFunction<Extra>>();
  for (const name of names) {
    const value: unknown = Reflect.get(options, name);
    const isRequired = REQUIRED.some((required) => required === name);
    if (typeof value === 'function')
      given.set(name, value.bind(options)); // so that a method keeps its `this`
    else if (value === undefined && name === 'onAdjusted') fail(ADJUSTED);
    else if (value !== undefined || isRequired) fail(`${name} must be a function, not ${kindOf(value)}`);
  }
  const settings = {
    verify,
    store: options.store, // checked above
    onReport: onReport?.bind(options),
    functions: given,
    timeout,
    timers,
  };
  reportWeakSecrets(settings);
  return settings;
}

/** Reports a short secret once, because no delivery would show it. */
function reportWeakSecrets<Extra extends object>(settings: HandlerSettings<Extra>): void {
  const { verify } = settings;
  const weak = weakSecrets(verify.secrets);
  if (weak.length === 0) return;
  const which = verify.secrets.length === 1 ? 'The webhook secret' : `Webhook secret ${weak.join(', ')}`;
  const cause = `${which} has under 16 bytes, and could be found by trial.`;
  report(settings, NO_SUBJECT, { reason: 'weak_secret', cause });
}

/** The methods that a store with leases must have. */
const STORE_METHODS = ['claim', 'extend', 'complete', 'release'] as const;

function checkStore(store: unknown, fail: Fail): void {
  if (typeof store !== 'object' || store === null) {
    fail(
      'store is missing: it remembers which events are done. memoryStore() is enough for development on one machine',
    );
  }
  const members = store as Record<string, unknown>; // any object is a record of unknowns
  if (typeof members['runOnce'] !== 'function') {
    const missing = STORE_METHODS.filter((method) => typeof members[method] !== 'function');
    if (missing.length > 0)
      fail(`store has no ${missing.join(', ')}: it must be a WebhookStore, such as memoryStore()`);
  } else if (typeof members['claim'] === 'function') {
    fail('store has runOnce and claim: a store holds the claim in its transaction, or has leases');
  }
  const namespace = members['namespace'];
  if (namespace !== undefined && typeof namespace !== 'string') {
    fail('store.namespace must be text, or omitted: it is a part of every key');
  }
}
