import { checkOptions, configurationFail } from '../../checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { isPayload, middlePayload, own, type Payload } from './payload-names.ts';

/** The two events of the interface. @see [Emission](../../../docs/service-interface.md#emission) */
export type KnownEvent = 'invoice.paid' | 'invoice.canceled';

/** Further names of the two events, compared exactly, for a service that does not call them `invoice.paid` and `invoice.canceled`. */
export interface EventNames {
  readonly paid?: string | readonly string[] | undefined;
  readonly canceled?: string | readonly string[] | undefined;
}

/** Pinned names and what they stand for. */
export type PinnedNames = ReadonlyMap<string, KnownEvent>;

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof EventNames>(['paid', 'canceled']);

const NONE: PinnedNames = new Map();

/** @throws ConfigurationError for a name that is not text, or that stands for both events. */
export function pinnedNames(names: unknown): PinnedNames {
  if (names === undefined) return NONE;
  const pinned = new Map<string, KnownEvent>();
  if (!isPayload(names)) throw new ConfigurationError('eventNames must be { paid, canceled }, or left out.');
  checkOptions('eventNames', names, OPTION_NAMES, configurationFail());
  pin(pinned, 'paid', 'invoice.paid', own(names, 'paid'));
  pin(pinned, 'canceled', 'invoice.canceled', own(names, 'canceled'));
  return pinned;
}

function pin(pinned: Map<string, KnownEvent>, option: keyof EventNames, event: KnownEvent, value: unknown): void {
  if (value === undefined) return;
  for (const name of Array.isArray(value) ? Array.from<unknown>(value) : [value]) {
    if (typeof name !== 'string' || name.trim() === '') {
      throw new ConfigurationError(`eventNames.${option} must be a name, or a list of names.`);
    }
    if ((pinned.get(name) ?? knownEvent(name) ?? event) !== event) {
      throw new ConfigurationError(`eventNames.${option} has a name of the other event: ${JSON.stringify(name)}.`);
    }
    pinned.set(name, event);
  }
}

const LONGEST_NAME = 200;
// A namespace ends with a dot; joined by an underscore, only these are one ("credit_invoice" is another thing).
const KNOWN =
  /^(?:[a-z0-9_]+\.)*(?:(?:v?\d+|api|com|events?|merchant|webhooks?)_)*invoice[._]?(paid|cancell?ed)(?:[._](?:v?\d+|version|event|webhook))*$/;
// Words that make another event of the one behind them.
const OTHERWISE =
  /(?:^|[._])(?:demo|dev|draft|dummy|example|fake|mock|no|non|not|part|partially|partial|pre|sample|sandbox|simulated|staging|test|testing|un)(?:[._]|$)/;

/** One of the two known events in any spelling (`INVOICE_PAID`, `invoiceCancelled`), with a namespace or a version around it. */
function knownEvent(name: string): KnownEvent | null {
  if (name.length > LONGEST_NAME) return null;
  const plain = name
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s_-]+/g, '_')
    .replace(/[.:/@#]+/g, '.');
  const [, word] = KNOWN.exec(plain) ?? [];
  if (word === undefined || OTHERWISE.test(plain)) return null;
  return word === 'paid' ? 'invoice.paid' : 'invoice.canceled';
}

const NAME_MEMBERS = ['event', 'event_type', 'event_name', 'eventType', 'eventName'] as const;
// Also in the middle of a word: "refunded", "ChargebackOpened".
const MONEY_BACK = /refund|charge[\s_-]?back|claw[\s_-]?back|revers|disput|return|correct|revok|void/i;
const NO_REAL_EVENT = /^\s*(?:test|ping|sample|demo|example|mock|dummy)/i;
// A bare "type" often names the object ("invoice"); with one of these in it, it names an event.
const EVENT_LIKE = /[.:/]/;

/** Names found in a body. */
interface Found {
  /** Known or pinned ones. */
  readonly known: KnownEvent[];
  readonly pinned: KnownEvent[];
  /** Those that say that money goes back, or that nothing has really happened. */
  readonly alarming: string[];
  readonly other: string[];
  /** Names in a bare `type` that have an underscore only: perhaps of another thing ("bank_transfer"). */
  readonly typed: string[];
}

/** What the names in a body say: the known events that they are, or one that is not known; null where there is no name. */
export type NamedEvent = { readonly events: readonly KnownEvent[] } | { readonly unknown: string } | null;

/**
 * The event as the body names it in `event`, `event_type`, `event_name` and `type`, in the envelopes and in the invoice.
 * A name that is not known makes the event unknown, also beside a known one: to choose between them would be a guess.
 * A pinned name decides, except against one that says that money goes back.
 */
export function namedEvent(root: Payload, inner: Payload, pinned: PinnedNames): NamedEvent {
  const found: Found = { known: [], pinned: [], alarming: [], other: [], typed: [] };
  for (const payload of new Set([root, middlePayload(root) ?? root, inner])) {
    for (const member of NAME_MEMBERS)
      for (const name of namesIn(own(payload, member))) sort(name, false, pinned, found);
    for (const name of namesIn(own(payload, 'type'))) sort(name, true, pinned, found);
  }
  const [alarming] = found.alarming;
  if (alarming !== undefined) return { unknown: alarming };
  if (found.pinned.length > 0) return { events: found.pinned };
  const [other] = found.other;
  if (other !== undefined) return { unknown: other };
  if (found.known.length > 0) return { events: found.known };
  const [typed] = found.typed;
  return typed === undefined ? null : { unknown: typed };
}

function sort(name: string, isBareType: boolean, pinned: PinnedNames, found: Found): void {
  const chosen = pinned.get(name);
  if (chosen !== undefined) found.pinned.push(chosen);
  else if (MONEY_BACK.test(name) || NO_REAL_EVENT.test(name)) found.alarming.push(name);
  else {
    const event = knownEvent(name);
    if (event !== null) found.known.push(event);
    else if (!isBareType || EVENT_LIKE.test(name)) found.other.push(name);
    else if (name.includes('_')) found.typed.push(name);
  }
}

const NO_NAMES: readonly string[] = [];

/** The names in a value: text, a number as its digits, the names of an object that describes the event. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.trim() === '' ? NO_NAMES : [value];
  if (value === undefined || value === null) return NO_NAMES;
  if (Array.isArray(value)) return value.length === 0 ? NO_NAMES : ['a list'];
  if (!isPayload(value)) return [String(value)]; // a number or a boolean: a code of the service's own
  return ['name', 'type', ...NAME_MEMBERS].flatMap((member) => {
    const name = own(value, member);
    return typeof name === 'string' && name.trim() !== '' ? [name] : [];
  });
}
