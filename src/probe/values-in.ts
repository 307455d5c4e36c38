import { endpoints } from '../contract/endpoints.ts';
import { isObject } from '../contract/json.ts';
import type { Codec } from '../contract/values/codecs.ts';
import { driftsIn } from '../contract/values/drift.ts';
import { type Answer, memberOf, pageIn, type Question } from './answer.ts';

/** The operation whose rows a list answers. */
const OPERATIONS = {
  methods: 'paymentMethods.list',
  rates: 'rates.list',
  invoices: 'invoices.list',
  'invoices of nothing': 'invoices.list',
  withdrawals: 'withdrawals.list',
} as const satisfies Partial<Record<Question, keyof typeof endpoints>>;

function operationOf(question: Question) {
  return question in OPERATIONS ? OPERATIONS[question as keyof typeof OPERATIONS] : null;
}

/** The structure that the interface gives to the payload of a list, or null for another question. */
export function structureOf({ question }: Answer): Codec<unknown> | null {
  const operation = operationOf(question);
  return operation === null ? null : (endpoints[operation].data.structure?.() ?? null);
}

/** Whether an answer has members, or words, that the interface does not name. Null for a question that is not a list. */
export function noveltiesIn(answer: Answer): { readonly members: boolean; readonly words: boolean } | null {
  const structure = structureOf(answer);
  if (structure === null) return null;
  const drifts = driftsIn(structure, memberOf(answer.json, 'data'));
  const names = isObject(answer.json) ? Object.keys(answer.json) : [];
  return {
    members:
      names.some((name) => name !== 'success' && name !== 'data') ||
      drifts.some(({ kind }) => kind === 'unknown_field'),
    words: drifts.some(({ kind }) => kind === 'unknown_word'),
  };
}

/** Every value of a kind in the payload of a list, wherever it stands. */
export function valuesIn(answer: Answer, kind: 'decimal' | 'timestamp'): readonly unknown[] {
  const structure = structureOf(answer);
  const found: unknown[] = [];
  if (structure !== null) collect(structure, memberOf(answer.json, 'data'), kind, found);
  return found;
}

function collect(structure: Codec<unknown>, value: unknown, kind: 'decimal' | 'timestamp', found: unknown[]): void {
  if (structure.kind === kind) found.push(value);
  else if (structure.item !== undefined && Array.isArray(value)) {
    for (const item of value) collect(structure.item, item, kind, found);
  } else if (structure.members !== undefined && isObject(value)) {
    for (const [name, inner] of Object.entries(structure.members)) collect(inner, memberOf(value, name), kind, found);
  }
}

/** The names of the members of an item that may be absent or null. */
export function optionalNames(question: 'invoices' | 'withdrawals'): readonly string[] {
  const structure = endpoints[OPERATIONS[question]].item.structure?.();
  return Object.entries(structure?.members ?? {}).flatMap(([name, { isOptional }]) => (isOptional ? [name] : []));
}

/** True for an answer with a page of no items at all. */
export function isEmptyPage(answer: Answer): boolean {
  const page = pageIn(answer);
  return page !== null && page['total_items'] === 0;
}
