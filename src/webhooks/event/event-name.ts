import { checkOptions, configurationFail, type Fail } from '../../checks.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { EVENT_TYPES, EVENTS, type EventKey, isKnownEvent, type KnownEventType } from '../../contract/statuses.ts';
import { middlePayload, readMember } from './payload.ts';

/**
 * Further names of the events, compared exactly, for a service that does not call them `invoice.paid` and
 * `invoice.canceled`.
 */
export type EventNames = { readonly [Key in EventKey]?: string | readonly string[] | undefined };

/** Pinned names and their events. */
export type PinnedNames = ReadonlyMap<string, KnownEventType>;

const KEYS: readonly string[] = EVENT_TYPES.map((type) => EVENTS[type].key);

export const NO_PINNED_NAMES: PinnedNames = new Map();

/** @throws ConfigurationError for a name that is not text, or that means two events. */
export function parseEventNames(names: unknown): PinnedNames {
  if (names === undefined) return NO_PINNED_NAMES;
  const fail = configurationFail();
  if (!isObject(names)) return fail(`eventNames must be { ${KEYS.join(', ')} }, or omitted`);
  checkOptions('eventNames', names, new Set(KEYS), fail);
  const pinned = new Map<string, KnownEventType>();
  for (const type of EVENT_TYPES) pin(pinned, type, readMember(names, EVENTS[type].key), fail);
  return pinned;
}

function pin(pinned: Map<string, KnownEventType>, type: KnownEventType, value: unknown, fail: Fail): void {
  if (value === undefined) return;
  const option = `eventNames.${EVENTS[type].key}`;
  for (const name of Array.isArray(value) ? Array.from<unknown>(value) : [value]) {
    if (typeof name !== 'string' || name.trim() === '') {
      fail(`${option} must be a name, or a list of names`);
    }
    if ((pinned.get(name) ?? knownEvent(name) ?? type) !== type) {
      fail(`${option} has a name of another event: ${JSON.stringify(name)}`);
    }
    pinned.set(name, type);
  }
}

const LONGEST_NAME = 200;
// A namespace ends with a dot. Before an underscore only these words are a namespace: "credit_invoice" is another thing.
const NAMESPACE = '(?:[a-z0-9_]+\\.)*(?:(?:v?\\d+|api|com|events?|merchant|webhooks?)_)*';
const SUFFIX = '(?:[._](?:v?\\d+|version|event|webhook))*';
const KNOWN = new RegExp(`^${NAMESPACE}invoice[._]?(${KEYS.join('|')})${SUFFIX}$`);
// Words that turn the event after them into another one.
const ANOTHER_EVENT =
  /(?:^|[._])(?:demo|dev|draft|dummy|example|fake|mock|no|non|not|part|partially|partial|pre|sample|sandbox|simulated|staging|test|testing|un)(?:[._]|$)/;

/** Returns the known event in any spelling (`INVOICE_PAID`, `invoiceCancelled`), with a namespace or a version around it. */
function knownEvent(name: string): KnownEventType | null {
  if (name.length > LONGEST_NAME) return null;
  const plain = name
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s_-]+/g, '_')
    .replace(/[.:/@#]+/g, '.')
    .replaceAll('cancelled', 'canceled');
  const [, key] = KNOWN.exec(plain) ?? [];
  if (ANOTHER_EVENT.test(plain)) return null;
  return EVENT_TYPES.find((type) => EVENTS[type].key === key) ?? null;
}

const NAME_MEMBERS = ['event', 'event_type', 'event_name', 'eventType', 'eventName'] as const;
// Also in the middle of a word: "refunded", "ChargebackOpened".
const MONEY_BACK = /refund|charge[\s_-]?back|claw[\s_-]?back|revers|disput|return|correct|revok|void/i;
const TEST_EVENT = /^\s*(?:test|ping|sample|demo|example|mock|dummy)/i;
// A bare "type" often names the object ("invoice"). With one of these characters it names an event.
const EVENT_LIKE = /[.:/]/;

/** The names found in a body, by what they mean. */
interface Found {
  readonly known: KnownEventType[];
  readonly pinned: KnownEventType[];
  /** Names that say that money goes back, or that nothing has really happened. */
  readonly alarming: string[];
  readonly other: string[];
  /** Names in a bare `type` that have an underscore only. They may name another thing ("bank_transfer"). */
  readonly typed: string[];
}

/** The known events that the names in a body mean, or one name that is not known, or null if there is no name. */
export type EventName = { readonly events: readonly KnownEventType[] } | { readonly unknown: string } | null;

/**
 * Reads the event's name from `event`, `event_type`, `event_name` and `type`, in the envelopes and in the invoice. A
 * name that is not known makes the event unknown, even next to a known one: to choose between them would be a guess. A
 * pinned name decides, unless another name says that money goes back.
 */
export function readEventName(root: JsonObject, inner: JsonObject, pinned: PinnedNames): EventName {
  const found: Found = { known: [], pinned: [], alarming: [], other: [], typed: [] };
  collectNames(root, pinned, found);
  if (inner !== root) {
    const middle = middlePayload(root);
    if (middle !== null) collectNames(middle, pinned, found);
    if (inner !== middle) collectNames(inner, pinned, found);
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

function collectNames(payload: JsonObject, pinned: PinnedNames, found: Found): void {
  for (const member of NAME_MEMBERS)
    for (const name of namesIn(readMember(payload, member))) classify(name, false, pinned, found);
  for (const name of namesIn(readMember(payload, 'type'))) classify(name, true, pinned, found);
}

function classify(name: string, isBareType: boolean, pinned: PinnedNames, found: Found): void {
  const chosen = pinned.get(name);
  if (chosen !== undefined) found.pinned.push(chosen);
  else if (isKnownEvent(name))
    found.known.push(name); // nearly always
  else if (MONEY_BACK.test(name) || TEST_EVENT.test(name)) found.alarming.push(name);
  else {
    const event = knownEvent(name);
    if (event !== null) found.known.push(event);
    else if (!isBareType || EVENT_LIKE.test(name)) found.other.push(name);
    else if (name.includes('_')) found.typed.push(name);
  }
}

const NO_NAMES: readonly string[] = [];

/** The names in a value: text, the digits of a number, or the names in an object that describes the event. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.trim() === '' ? NO_NAMES : [value];
  if (value === undefined || value === null) return NO_NAMES;
  if (Array.isArray(value)) return value.length === 0 ? NO_NAMES : ['a list'];
  if (!isObject(value)) return [String(value)]; // a number or a boolean: a code of the service
  return ['name', 'type', ...NAME_MEMBERS].flatMap((member) => {
    const name = readMember(value, member);
    return typeof name === 'string' && name.trim() !== '' ? [name] : [];
  });
}
