import { isObject, type JsonObject } from '../contract/json.ts';
import type { QueryPoint } from './words.ts';

/** The reason why a request is made. A rule reads the answers to certain questions. */
export type Question =
  | 'methods'
  | 'rates'
  | 'invoices'
  | 'invoices of nothing'
  | 'invoices past the end'
  | 'invalid query'
  | 'read by uuid'
  | 'read by external_id'
  | 'deliveries'
  | 'withdrawals'
  | 'unknown query name'
  | 'query name'
  | 'read withdrawal'
  | 'missing'
  | 'wrong key'
  | 'creation'
  | 'conflict'
  | 'resend'
  /** An answer of a client that answers none of the others. */
  | 'other';

/** The answer to a right name: a list that the value changes, a success, or a 422. */
export type Trial = 'effect' | 'accepted' | 'refused';

/** The part of a request that is needed to understand its answer. */
export interface Asked {
  readonly page?: number;
  /** The point that a query name would settle, the name, the value under it, and what shows that the name is right. */
  readonly point?: QueryPoint;
  readonly name?: string;
  readonly value?: string;
  readonly trial?: Trial;
  /** Whether the invoice has ended, in a status that the interface lists, without a callback URL. */
  readonly isSilent?: boolean;
  /** The amount that was sent. */
  readonly amount?: string;
}

/** One answer, as long as it is read. It holds values of the service, so it is never stored. */
export interface Answer {
  readonly question: Question;
  /** Method and path template, without values. */
  readonly at: string;
  readonly asked: Asked;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined where the body is not JSON. */
  readonly json: unknown;
}

/** The JSON value of a body, or undefined. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A member of an object, or undefined. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function isSuccess({ status, json }: Answer): boolean {
  return status >= 200 && status < 300 && memberOf(json, 'success') !== false;
}

/** The page in an answer, or null. */
export function pageIn(answer: Answer): JsonObject | null {
  const data = memberOf(answer.json, 'data');
  return isSuccess(answer) && isObject(data) && Array.isArray(data['items']) ? data : null;
}

/** The rows of a list or a page. */
export function rowsIn(answer: Answer): readonly JsonObject[] {
  if (!isSuccess(answer)) return [];
  const data = memberOf(answer.json, 'data');
  const rows = Array.isArray(data) ? data : memberOf(data, 'items');
  return Array.isArray(rows) ? rows.filter(isObject) : [];
}

/** The error object of a failure, in the envelope or alone. */
export function errorIn({ json }: Answer): JsonObject | null {
  const inner = memberOf(json, 'error');
  if (isObject(inner)) return inner;
  return isObject(json) && typeof json['code'] === 'string' ? json : null;
}

/** The code of a failure, or null. */
export function codeIn(answer: Answer): string | null {
  const code = errorIn(answer)?.['code'];
  return typeof code === 'string' ? code : null;
}

/** The form of a failure's body: a value of the dialects of bodies, or null for another form. */
export function failureBody({ text, json }: Answer): 'envelope' | 'bare' | 'detail' | 'html' | 'empty' | null {
  if (text === '') return 'empty';
  if (/^\s*</.test(text)) return 'html';
  if (typeof memberOf(memberOf(json, 'error'), 'code') === 'string') return 'envelope';
  if (typeof memberOf(json, 'code') === 'string') return 'bare';
  return typeof memberOf(json, 'detail') === 'string' ? 'detail' : null;
}

/** A uuid, in any case. A merchant's order ids may be UUIDs as well. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id without reserved characters, which cannot be refused for its form. */
export const PLAIN_IDENT = /^[\w-]{1,64}$/;

/** The object of a single read, with the form of its shape, or null. */
export function singleIn(answer: Answer, name: string): { readonly shape: string; readonly row: JsonObject } | null {
  if (!isSuccess(answer)) return null;
  const data = memberOf(answer.json, 'data');
  const places = [
    { shape: 'bare', row: answer.json },
    { shape: 'envelope', row: data },
    { shape: 'named', row: memberOf(data, name) },
  ];
  for (const { shape, row } of places) if (isObject(row) && Object.hasOwn(row, 'uuid')) return { shape, row };
  return null;
}
