import { checkOptions, configurationFail, type Fail } from '../../checks.ts';
import { isObject } from '../../contract/json.ts';
import { EVENT_TYPES, EVENTS, type EventKey, type KnownEventType } from '../../contract/statuses.ts';

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
  for (const type of EVENT_TYPES)
    pin(pinned, type, Object.hasOwn(names, EVENTS[type].key) ? names[EVENTS[type].key] : undefined, fail);
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
export function knownEvent(name: string): KnownEventType | null {
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
