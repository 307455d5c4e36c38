import { type Callback, checkCallbacks, configurationFail, type Fail, kindOf } from '../../checks.ts';
import { EVENT_TYPES, EVENTS } from '../../contract/statuses.ts';
import type { InvoiceEventHandlers } from '../event/events.ts';
import type { WebhookStore } from '../stores/store.ts';
import { type WebhookSecret, weakSecrets } from '../verify/secrets.ts';
import {
  parseVerifyOptions,
  VERIFY_OPTIONS,
  type VerifySettings,
  type VerifyWebhookOptions,
} from '../verify/verify-options.ts';
import { Reporter, type WebhookReport } from './report.ts';
import type { WebhookTimers } from './run-claimed.ts';

/** 12 seconds. The service gives up after 15. @see [Retries](../../../docs/service-interface.md#retries) */
const DEFAULT_TIMEOUT = 12_000;
const MAX_TIMEOUT = 15_000;

/** The second argument of the merchant's functions. A store may add members, such as `tx` or `commit`. */
export interface WebhookContext {
  /** Aborted at the time limit. The service is then answered 503 and repeats. Stop early if the work can stop cleanly. */
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
 *   secret: process.env.MERCHANT_WEBHOOK_SECRET ?? '',
 *   store: postgresStore(pool),
 *   onPaid: (event, { tx }) => tx.query('UPDATE orders SET paid = $1 WHERE id = $2', [event.credited_usdt.toFixed(), event.external_id]),
 *   onCanceled: (event, { tx }) => tx.query('UPDATE orders SET canceled = true WHERE id = $1', [event.external_id]),
 *   onReport: (report) => console.warn(report.reason, report.message),
 * });
 */
export interface WebhookHandlerOptions<Extra extends object = object>
  extends Omit<VerifyWebhookOptions, 'now'>,
    InvoiceEventHandlers<WebhookContext & Extra> {
  /** The webhook secret of the dashboard, or the old and the new one. Bytes if it is given as hex or base64 of a key. */
  readonly secret: WebhookSecret;
  /** Remembers which events are done. `memoryStore()` forgets them at a restart. */
  readonly store: WebhookStore<Extra>;
  /** Called for every refusal, duplicate and takeover, for your log. It is not awaited, and its errors are ignored. */
  readonly onReport?: Callback<[report: WebhookReport]> | undefined;
  /** Milliseconds until the answer is 503, at most 15,000. Your function may continue after it. @defaultValue 12,000 */
  readonly timeout?: number | undefined;
  /** Returns milliseconds since 1970. @defaultValue the clock */
  readonly now?: (() => number) | undefined;
  /** For tests. */
  readonly timers?: WebhookTimers | undefined;
}

const EVENT_HANDLERS = EVENT_TYPES.map((type) => EVENTS[type].handler);
const FUNCTIONS = [...EVENT_HANDLERS, 'onUnknown', 'onReport'] as const;

/** The options after their check. */
export interface HandlerSettings<Extra extends object> {
  readonly verify: VerifySettings;
  readonly options: Pick<WebhookHandlerOptions<Extra>, 'store' | (typeof FUNCTIONS)[number]>;
  readonly timeout: number;
  readonly timers: WebhookTimers;
}

const globalTimers: WebhookTimers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>), // the result of setTimeout above
};

const OPTIONS: ReadonlySet<string> = new Set<keyof WebhookHandlerOptions>([
  'secret',
  'store',
  ...FUNCTIONS,
  'timeout',
  ...VERIFY_OPTIONS,
  'timers',
]);

/**
 * Reads the options when a handler is created, and reports weak secrets.
 *
 * @throws ConfigurationError which names the option
 */
export function readHandlerOptions<Extra extends object>(
  options: WebhookHandlerOptions<Extra>,
): HandlerSettings<Extra> {
  const settings = parseHandlerOptions(options);
  reportWeakSecrets(settings);
  return settings;
}

function parseHandlerOptions<Extra extends object>(options: WebhookHandlerOptions<Extra>): HandlerSettings<Extra> {
  const fail = configurationFail('createWebhookHandler');
  if (typeof options !== 'object' || options === null) fail(`needs { secret, store, ${EVENT_HANDLERS.join(', ')} }`);
  const { secret, store, timeout = DEFAULT_TIMEOUT, timers = globalTimers } = options;
  const verify = parseVerifyOptions(secret, options, { name: 'createWebhookHandler', known: OPTIONS });
  checkStore(store, fail);
  for (const name of EVENT_HANDLERS) {
    if (typeof options[name] !== 'function') fail(`${name} must be a function, not ${kindOf(options[name])}`);
  }
  const { onUnknown, onReport, now } = options;
  checkCallbacks({ onUnknown, onReport, now }, fail);
  if (typeof timeout !== 'number' || !(timeout > 0 && timeout <= MAX_TIMEOUT)) {
    fail(`timeout must be 1 to ${MAX_TIMEOUT} milliseconds: the service gives up after 15 seconds`);
  }
  // Copies: a caller who uses one object for two handlers must not change the first.
  const functions = Object.fromEntries(FUNCTIONS.map((name) => [name, options[name]?.bind(options)]));
  const kept = { store, ...functions } as HandlerSettings<Extra>['options']; // the same functions under the same names
  return { verify, options: kept, timeout, timers };
}

/** Once, because a delivery would not show it. */
function reportWeakSecrets<Extra extends object>({ verify, options }: HandlerSettings<Extra>): void {
  const weak = weakSecrets(verify.secrets);
  if (weak.length === 0) return;
  const which = verify.secrets.length === 1 ? 'The webhook secret' : `Webhook secret ${weak.join(', ')}`;
  const message = `${which} has under 16 bytes, and could be found by trial. Use the secret of the dashboard, or create a longer one there.`;
  new Reporter(options.onReport).report('weak_secret', message);
}

const STORE_METHODS = ['claim', 'renew', 'complete', 'release'] as const;

function checkStore(store: unknown, fail: Fail): void {
  if (typeof store !== 'object' || store === null) {
    fail(
      'store is missing: it remembers which events are done. memoryStore() is enough for development on one machine',
    );
  }
  const members = store as Record<string, unknown>; // any object is a record of unknowns
  const missing = STORE_METHODS.filter((method) => typeof members[method] !== 'function');
  if (missing.length > 0) fail(`store has no ${missing.join(', ')}: it must be a WebhookStore, such as memoryStore()`);
  const namespace = members['namespace'];
  if (namespace !== undefined && typeof namespace !== 'string') {
    fail('store.namespace must be text, or omitted: it is a part of every key');
  }
}
