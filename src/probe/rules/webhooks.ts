import { isObject, type JsonObject } from '../../contract/json.ts';
import { memberOf } from '../answer.ts';
import type { Captured } from '../captured.ts';
import { type Clue, hiddenBy, type Rules, valueClue, valueClues } from '../rule.ts';
import type { Point } from '../words.ts';

// Rules over captured webhooks: signature, timestamp, headers, and the names in its body.

const WEBHOOK = 'a captured webhook';
const PREFIX = /^(?:sha256[=:]|hmac-sha256=|v1=)/i;
const TIMESTAMPS = {
  seconds: /^\d{10}$/,
  seconds_fraction: /^\d{10}\.\d{3}$/,
  milliseconds: /^\d{13}$/,
  iso: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  iso_offset: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/,
} as const;
/** Repeats of one delivery are at least a minute apart. A copy on the way comes at once. */
const APART = 30_000;

const signatureOf = ({ headers }: Captured): string => headers.get('x-webhook-signature') ?? '';
const stampOf = ({ headers }: Captured): string => headers.get('x-webhook-timestamp') ?? '';

function encodingClue(signature: string): Clue {
  if (/^[0-9a-fA-F]{64}$/.test(signature)) {
    const [lower, upper] = [/[a-f]/.test(signature), /[A-F]/.test(signature)];
    return lower === upper ? hiddenBy(lower ? 'other_form' : 'same_alphabet') : lower ? 'hex' : 'hex_upper';
  }
  if (/^[A-Za-z0-9+/]{43}=$/.test(signature)) return 'base64';
  if (!/^[A-Za-z0-9+/_-]{43}$/.test(signature)) return hiddenBy('other_form');
  const [standard, forUrls] = [/[+/]/.test(signature), /[_-]/.test(signature)];
  if (standard === forUrls) return hiddenBy(standard ? 'other_form' : 'same_alphabet');
  return standard ? 'base64_unpadded' : 'base64url';
}

/** Headers that each HTTP request may have, or that tunnels and proxies add . */
const ORDINARY =
  /^(?:accept(?:-encoding|-language)?|cache-control|connection|content-(?:length|type)|date|host|keep-alive|pragma|te|transfer-encoding|user-agent|x-webhook-(?:id|signature|timestamp|event))$/;

function headerClue({ headers }: Captured): Clue {
  const others = [...headers.keys()].filter((name) => !ORDINARY.test(name));
  if (others.some((name) => name.startsWith('x-webhook-'))) return 'some';
  return others.length === 0 ? 'none' : hiddenBy('proxy_headers');
}

/** The object with the members of the invoice: the body, or its member `data`. */
function payloadOf({ body }: Captured): { readonly place: string; readonly payload: JsonObject } | null {
  if (Object.hasOwn(body, 'invoice_uuid')) return { place: 'flat', payload: body };
  const data = body['data'];
  return isObject(data) && Object.hasOwn(data, 'invoice_uuid') ? { place: 'data', payload: data } : null;
}

/** Names that can mean nothing but the merchant's order id. The others need a known id. */
const CERTAIN: readonly string[] = ['external_id', 'merchant_order_id', 'invoice_external_id', 'merchant_reference'];

function orderIdClue(captured: Captured): Clue {
  const payload = payloadOf(captured)?.payload ?? {};
  const at = (path: string): unknown =>
    path.split('.').reduce<unknown>((inner, name) => memberOf(inner, name), payload);
  const present = valueClues('orderIdMember').filter((name) => typeof at(name) === 'string');
  const confirmed = present.filter((name) => captured.knownIds.has(String(at(name))));
  const certain = present.filter((name) => CERTAIN.includes(name));
  const candidates = [confirmed, certain, present].find((names) => names.length > 0) ?? [];
  const [only] = candidates;
  if (only === undefined) return hiddenBy('other_form');
  if (candidates.length > 1) return hiddenBy('several_forms');
  return confirmed.length + certain.length === 0 ? hiddenBy('weak_name') : only;
}

/** Where the event is named, and its name there. */
function nameOf({ body, headers }: Captured): { readonly place: string; readonly name: string | null } {
  for (const place of ['event', 'event_type', 'type']) {
    const name = body[place];
    if (typeof name === 'string') return { place, name };
    if (name !== undefined) return { place: 'other', name: null };
  }
  return headers.has('x-webhook-event') ? { place: 'header', name: null } : { place: 'nowhere', name: null };
}

const SPELLINGS: readonly (readonly [string, RegExp])[] = [
  ['plain', /^invoice\.(?:paid|canceled)$/],
  ['upper', /^INVOICE_(?:PAID|CANCELED)$/],
  ['namespaced', /^com\.merchant\.invoice\.(?:paid|canceled)$/],
  ['versioned', /^invoice\.(?:paid|canceled)\.v1$/],
];

function spellingClue(captured: Captured): Clue {
  const { name } = nameOf(captured);
  if (name === null) return hiddenBy('eventName');
  return valueClue('eventSpelling', SPELLINGS.find(([, pattern]) => pattern.test(name))?.[0] ?? null);
}

/** The payload of a payment as ordered, or of an invoice that was not paid. */
function exactPayload(captured: Captured): { readonly payload: JsonObject; readonly isPaid: boolean } | null {
  const payload = payloadOf(captured)?.payload;
  if (payload === undefined) return null;
  const isPaid = payload['status'] === 'success';
  const isAdjusted = payload['adjusted'] === true || (payload['original_amount'] ?? null) !== null;
  return isAdjusted ? null : { payload, isPaid };
}

export const WEBHOOK_RULES = {
  signatureEncoding: {
    from: WEBHOOK,
    need: 'webhook',
    masks: ['same_alphabet', 'several_forms', 'other_form'],
    clues: (captured) => [encodingClue(signatureOf(captured).replace(PREFIX, ''))],
  },
  signaturePrefix: {
    from: WEBHOOK,
    need: 'webhook',
    masks: ['other_form', 'several_forms'],
    clues: (captured) => [valueClue('signaturePrefix', PREFIX.exec(signatureOf(captured))?.[0] ?? '')],
  },
  timestampFormat: {
    from: WEBHOOK,
    need: 'webhook',
    masks: ['other_form', 'several_forms'],
    clues: (captured) => [
      valueClue(
        'timestampFormat',
        Object.entries(TIMESTAMPS).find(([, pattern]) => pattern.test(stampOf(captured)))?.[0] ?? null,
      ),
    ],
  },
  timestampPer: {
    from: 'two captured attempts of one delivery',
    need: 'repeat',
    masks: ['same_moment', 'several_forms'],
    clues: (captured) =>
      captured.earlier.map((before) => {
        if (stampOf(before) !== stampOf(captured)) return 'attempt';
        const isApart =
          captured.arrivedAt !== null && before.arrivedAt !== null && captured.arrivedAt - before.arrivedAt >= APART;
        return isApart ? 'delivery' : hiddenBy('same_moment');
      }),
  },
  webhookHeaders: {
    from: WEBHOOK,
    need: 'webhook',
    masks: ['proxy_headers', 'several_forms'],
    clues: (captured) => [headerClue(captured)],
  },
  webhookBody: {
    from: WEBHOOK,
    need: 'webhook',
    masks: ['other_form', 'several_forms'],
    clues: (captured) => [payloadOf(captured)?.place ?? hiddenBy('other_form')],
  },
  orderIdMember: {
    from: WEBHOOK,
    need: 'webhook',
    masks: ['weak_name', 'several_forms', 'other_form'],
    clues: (captured) => [orderIdClue(captured)],
  },
  eventName: {
    from: WEBHOOK,
    need: 'webhook',
    masks: ['other_form', 'several_forms'],
    clues: (captured) => [valueClue('eventName', nameOf(captured).place)],
  },
  eventSpelling: {
    from: WEBHOOK,
    need: 'webhook',
    masks: ['eventName', 'other_form', 'several_forms'],
    clues: (captured) => [spellingClue(captured)],
  },
  eventNulls: {
    from: WEBHOOK,
    need: 'webhook',
    masks: ['several_forms'],
    clues: (captured) => {
      const exact = exactPayload(captured);
      if (exact === null) return [];
      const value = exact.payload[exact.isPaid ? 'original_amount' : 'credited_usdt'];
      return [value === undefined ? 'absent' : 'null'];
    },
  },
  adjustedFlag: {
    from: 'a captured webhook of an exact payment',
    need: 'payment',
    masks: ['several_forms'],
    clues: (captured) => {
      const exact = exactPayload(captured);
      return exact?.isPaid ? [exact.payload['adjusted'] === false ? 'always' : 'when_true'] : [];
    },
  },
} satisfies Partial<Rules<Point, Captured>>;
