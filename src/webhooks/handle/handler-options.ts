import { type Callback, checkCallbacks, configurationFail, kindOf } from '../../checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import type { CatchUpClient, CatchUpOptions, CatchUpResult } from '../catch-up/catch-up-options.ts';
import type { InvoiceCanceledEvent, InvoicePaidEvent, UnknownInvoiceEvent } from '../event/events.ts';
import type { WebhookStore } from '../stores/store.ts';
import type { HeadersInput } from '../verify/delivery-headers.ts';
import type { RawBody } from '../verify/raw-body.ts';
import type { WebhookSecret } from '../verify/secrets.ts';
import {
  VERIFY_OPTIONS,
  type VerifySettings,
  type VerifyWebhookOptions,
  verifySettings,
} from '../verify/verify-settings.ts';
import type { WebhookReply } from './replies.ts';
import type { WebhookReport } from './report.ts';

/**
 * The time limit of a delivery: 12 seconds. The service gives up after 15.
 * @see [Retries](../../../docs/service-interface.md#retries)
 */
export const DEFAULT_TIMEOUT = 12_000;
const MAX_TIMEOUT = 15_000;

/** What the merchant's functions get besides the event. A store may add members, such as `tx` or `commit`. */
export interface WebhookContext {
  /** Aborted when the time limit is reached: the service is answered 503 then, and will repeat. Stop if you can stop cleanly. */
  readonly signal: AbortSignal;
  /** X-Webhook-Id: for logs. It is not signed. */
  readonly deliveryId: string | null;
  /** The same for every repeat of this event: give it to other services as their idempotency key. */
  readonly dedupeKey: string;
  /** True when an earlier attempt at this event began and did not end: some of its work may be done. */
  readonly takenOver: boolean;
}

/** Timers, for tests. The defaults are the global functions. */
export interface WebhookTimers {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** What a handler is made of. */
export interface WebhookHandlerOptions<Extra extends object = object> extends Omit<VerifyWebhookOptions, 'now'> {
  /** The webhook secret of the dashboard, or the old and the new one; bytes where it is given as hex or base64 of a key. */
  readonly secret: WebhookSecret;
  /** Where done events are remembered. `memoryStore()` forgets at a restart. */
  readonly store: WebhookStore<Extra>;
  /** The invoice was paid, perhaps not in full: check `event.adjusted`, fulfil against `event.credited_usdt`. Throw, and the service repeats. */
  readonly onPaid: Callback<[event: InvoicePaidEvent, context: WebhookContext & Extra]>;
  /** The invoice expired, failed or was canceled. */
  readonly onCanceled: Callback<[event: InvoiceCanceledEvent, context: WebhookContext & Extra]>;
  /**
   * An event or status this package does not know. Without it such an event is reported, and answered 200, or 500 where
   * it may be about money: its status is `success`, or it has `credited_usdt`.
   */
  readonly onUnknown?: Callback<[event: UnknownInvoiceEvent, context: WebhookContext & Extra]> | undefined;
  /** Every refusal, duplicate and takeover, for your log. What it throws is ignored, and nothing waits for it. */
  readonly onReport?: Callback<[report: WebhookReport]> | undefined;
  /** Milliseconds until the answer is 503, at most 15,000; default 12,000. Your function may go on after it. */
  readonly timeout?: number | undefined;
  /** Milliseconds since 1970; default the clock. */
  readonly now?: (() => number) | undefined;
  /** For tests. */
  readonly timers?: WebhookTimers | undefined;
}

/** A request, from whatever framework. */
export interface WebhookRequest {
  readonly method: string;
  readonly headers: HeadersInput;
  /**
   * The raw body, or a function that reads it once the rest of the request is found in order: at most `limit` bytes,
   * and only until the signal is aborted, which is at the handler's time limit.
   */
  readonly body: RawBody | ((limit: number, signal: AbortSignal) => Promise<RawBody>);
  /** Asked where the signature does not match: whether the sender has hung up, so that the body is only a part. */
  readonly wasReset?: (() => Promise<boolean>) | undefined;
}

/** The endpoint as a function. Wrap it with `toFetchHandler`, `toNodeHandler` or `toLambdaHandler`, or call it from your own framework. */
export interface WebhookHandler {
  /** Never rejects: each failure is an answer, and a report. */
  handle(request: WebhookRequest): Promise<WebhookReply>;
  /**
   * Plays what no webhook told you, after an outage or as a nightly safety net: walks the final invoices that finished
   * since then, and hands those that are not done to the same functions, through the same store. A webhook that comes
   * later finds them done. Findings go to `onReport`, with status null.
   *
   * One invoice that fails does not stop the others; run it again for what is in `failed` or `busy`. Amounts that an
   * invoice does not have are never guessed: it is counted as failed.
   *
   * @param merchant A `MerchantClient`.
   * @throws ConfigurationError for an unusable argument, and for a `since` that the store's retention does not reach.
   * @throws AbortedError when the signal is aborted; CallError of the client when the list cannot be read.
   */
  catchUp(merchant: CatchUpClient, options: CatchUpOptions): Promise<CatchUpResult>;
}

/** Options, checked once. */
export interface HandlerSettings<Extra extends object> {
  readonly verify: VerifySettings;
  readonly options: Pick<WebhookHandlerOptions<Extra>, 'store' | 'onPaid' | 'onCanceled' | 'onUnknown' | 'onReport'>;
  readonly timeout: number;
  readonly timers: WebhookTimers;
}

const globalTimers: WebhookTimers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>), // what setTimeout above gave
};

const OPTIONS: ReadonlySet<string> = new Set<keyof WebhookHandlerOptions>([
  'secret',
  'store',
  'onPaid',
  'onCanceled',
  'onUnknown',
  'onReport',
  'timeout',
  ...VERIFY_OPTIONS,
  'timers',
]);

/** @throws ConfigurationError which names the option */
export function handlerSettings<Extra extends object>(options: WebhookHandlerOptions<Extra>): HandlerSettings<Extra> {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError('createWebhookHandler needs { secret, store, onPaid, onCanceled }.');
  }
  const { secret, store, timeout = DEFAULT_TIMEOUT, timers = globalTimers } = options;
  const verify = verifySettings(secret, options, { name: 'createWebhookHandler', known: OPTIONS });
  checkStore(store);
  const fail = configurationFail('createWebhookHandler');
  const { onPaid, onCanceled, onUnknown, onReport, now } = options;
  for (const [name, handler] of Object.entries({ onPaid, onCanceled })) {
    if (typeof handler !== 'function') fail(`${name} must be a function, not ${kindOf(handler)}`);
  }
  checkCallbacks({ onUnknown, onReport, now }, fail);
  if (typeof timeout !== 'number' || !(timeout > 0 && timeout <= MAX_TIMEOUT)) {
    throw new ConfigurationError(
      `timeout must be 1 to ${MAX_TIMEOUT} milliseconds: the service gives up after 15 seconds.`,
    );
  }
  return { verify, options: kept(options), timeout, timers };
}

/** The store and the functions as they are now: whoever uses one object for two handlers must not change the first. */
function kept<Extra extends object>(options: WebhookHandlerOptions<Extra>): HandlerSettings<Extra>['options'] {
  const { store, onPaid, onCanceled, onUnknown, onReport } = options;
  return {
    store,
    onPaid: onPaid.bind(options),
    onCanceled: onCanceled.bind(options),
    onUnknown: onUnknown?.bind(options),
    onReport: onReport?.bind(options),
  };
}

const STORE_MOVES = ['claim', 'renew', 'complete', 'release'] as const;

function checkStore(store: unknown): void {
  const moves: Record<string, unknown> | null =
    typeof store === 'object' && store !== null ? (store as Record<string, unknown>) : null; // looked at, not trusted
  const missing = STORE_MOVES.filter((move) => typeof moves?.[move] !== 'function');
  if (missing.length === 0) {
    const namespace = moves?.['namespace'];
    if (namespace === undefined || typeof namespace === 'string') return;
    throw new ConfigurationError('store.namespace must be text, or left out: it is a part of every key.');
  }
  throw new ConfigurationError(
    moves === null
      ? 'store is missing: it remembers which events are done. memoryStore() will do on one machine in development.'
      : `store has no ${missing.join(', ')}: it must be a WebhookStore, such as memoryStore().`,
  );
}
