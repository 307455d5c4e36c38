import { type Fail, kindOf } from '../checks.ts';
import { decimalText } from '../contract/parameters.ts';

/** Returns plain data as JSON text. A decimal becomes text, and a date its ISO form. */
export function jsonText(data: unknown, fail: Fail): string {
  return JSON.stringify(plain(data, 'body', new Set(), fail));
}

/** Returns a scalar as the text of a query. */
export function wireText(value: unknown, at: string, fail: Fail): string {
  const text = scalar(value, at, fail);
  return text === undefined
    ? fail(`${at} must be text, a number, a boolean or a Decimal, not ${kindOf(value)}`)
    : String(text);
}

/** Returns a value without members as JSON has it, or undefined for an object. */
function scalar(value: unknown, at: string, fail: Fail): string | number | boolean | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : fail(`${at} is ${value}, which JSON does not know`);
    case 'object': {
      if (value instanceof Date)
        return Number.isNaN(value.getTime()) ? fail(`${at} is not a date`) : value.toISOString();
      return decimalText(value) ?? undefined;
    }
    default:
      return fail(`${at} is ${kindOf(value)}, which JSON does not know`);
  }
}

/** Copies data as JSON can write it, so that nothing is left out silently. */
function plain(value: unknown, at: string, around: Set<object>, fail: Fail): unknown {
  if (value === null) return null;
  const text = scalar(value, at, fail);
  if (text !== undefined || typeof value !== 'object') return text;
  if (around.has(value)) fail(`${at} holds itself`);
  around.add(value);
  const copy = Array.isArray(value)
    ? Array.from(value, (item, index) => plain(item, `${at}.${index}`, around, fail)) // map leaves holes
    : membersOf(value, at, around, fail);
  around.delete(value);
  return copy;
}

function membersOf(value: object, at: string, around: Set<object>, fail: Fail): object {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Compared by its place, because an object of another realm has another prototype.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain) fail(`${at} is not plain data: give objects, arrays, text, numbers, booleans, dates or decimals`);
  const copy: Record<string, unknown> = Object.create(null); // a member may be named __proto__
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) copy[name] = plain(member, `${at}.${name}`, around, fail);
  }
  return copy;
}
