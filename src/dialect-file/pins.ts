import type { Fail } from '../checks.ts';
import { type DialectFile, valuesOf } from './dialect-file.ts';

// The options of client and receiver that follow from a dialect file. Only what an existing option can say is pinned.

/** Where a value of the file becomes a value of an option. The values are those of the dialect. */
const ENCODINGS = {
  hex: 'hex',
  hex_upper: 'hex',
  base64: 'base64',
  base64_unpadded: 'base64',
  base64url: 'base64',
} as const;
const TIMESTAMPS = {
  seconds: 'seconds',
  seconds_fraction: 'seconds',
  milliseconds: 'milliseconds',
  iso: 'iso',
  iso_offset: 'iso',
} as const;

/** The options of `verifyWebhook` and of the handler that a file pins. */
export interface ReceiverPins {
  readonly encoding?: 'hex' | 'base64';
  readonly timestampFormat?: 'seconds' | 'milliseconds' | 'iso';
  readonly orderIdMember?: string;
}

/** Returns the pins of a receiver. Each option that the merchant gives comes before its pin. */
export function receiverPins(file: DialectFile, fail: Fail): ReceiverPins {
  const { signatureEncoding, timestampFormat, orderIdMember } = valuesOf(file);
  return {
    ...(signatureEncoding !== undefined && {
      encoding: pinned(ENCODINGS, 'signatureEncoding', signatureEncoding, fail),
    }),
    ...(timestampFormat !== undefined && {
      timestampFormat: pinned(TIMESTAMPS, 'timestampFormat', timestampFormat, fail),
    }),
    ...(orderIdMember !== undefined && { orderIdMember: String(orderIdMember) }),
  };
}

/** Returns the names of the withdrawals query that a file pins. */
export function queryPins(file: DialectFile, fail: Fail): Readonly<Record<string, string>> {
  const { withdrawalStatus, withdrawalPage, withdrawalPageSize } = valuesOf(file);
  const named = Object.entries({ status: withdrawalStatus, page: withdrawalPage, per_page: withdrawalPageSize });
  return Object.fromEntries(
    named.flatMap(([name, wire]) => (wire === undefined ? [] : [[name, queryName(wire, fail)]])),
  );
}

function queryName(name: string | number, fail: Fail): string {
  if (typeof name === 'string' && /^\w{1,64}$/.test(name)) return name;
  return fail('dialect: a name of the withdrawals query must be a word');
}

/** The kinds of drift that are normal for the service of a file. */
export function expectedDrift(file: DialectFile): ReadonlySet<string> {
  const { extraMembers, newWords } = valuesOf(file);
  return new Set([
    ...(extraMembers === 'some' ? ['unknown_field'] : []),
    ...(newWords === 'some' ? ['unknown_word'] : []),
  ]);
}

function pinned<Pin extends string>(
  table: Readonly<Record<string, Pin>>,
  point: string,
  value: string | number,
  fail: Fail,
): Pin {
  const pin = Object.hasOwn(table, value) ? table[value] : undefined;
  return pin ?? fail(`dialect.points.${point} must be one of ${Object.keys(table).join(', ')}`);
}
