import { isObject, type JsonObject } from '../../contract/json.ts';
import { isKnownEvent, type KnownEventType } from '../../contract/statuses.ts';
import { middlePayload, readMember } from './payload.ts';
import { knownEvent, type PinnedNames } from './pinned-names.ts';

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
