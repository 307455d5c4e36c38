import { isObject } from '../../contract/json.ts';
import type { ValidationIssue } from '../../errors/inits.ts';
import { textOf } from './conflict.ts';

/** Findings that an error holds; whoever has more of them needs no longer list. */
export const ISSUES_MAX = 20;
const MESSAGE_MAX = 1_000;
const TYPE_MAX = 128;

/** The first findings of an answer, and how many there are in all. */
export interface ValidationIssues {
  readonly issues: readonly ValidationIssue[];
  readonly total: number;
}

/** Both 422 shapes, and both at once, as one list. Given what is safe to show, and bounded. */
export function validationIssues(details: unknown, detail: unknown): ValidationIssues {
  const issues: ValidationIssue[] = [];
  for (const item of asList(detail)) issues.push(...itemIssues(item));
  if (isObject(details)) {
    for (const [path, messages] of Object.entries(details)) {
      for (const message of asList(messages)) {
        // The items of the second shape, in the first one's place.
        if (isObject(message) && 'loc' in message) issues.push(...itemIssues(message));
        else issues.push({ path, message: words(message) });
      }
    }
  } else {
    for (const item of asList(details)) issues.push(...itemIssues(item));
  }
  return { issues: issues.slice(0, ISSUES_MAX), total: issues.length };
}

function itemIssues(item: unknown): ValidationIssue[] {
  if (!isObject(item)) return item === null || item === undefined ? [] : [{ path: '', message: words(item) }];
  const loc = asList(item['loc']).filter((part) => typeof part === 'string' || typeof part === 'number');
  const [first] = loc;
  const path = (first === 'body' || first === 'query' || first === 'path' ? loc.slice(1) : loc).join('.');
  const type = textOf(item['type'], TYPE_MAX);
  return [{ path, message: words(item['msg'] ?? item['message']), ...(type !== null && { type }) }];
}

function asList(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function words(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MESSAGE_MAX);
  return value === undefined || value === null
    ? 'is invalid'
    : (JSON.stringify(value) ?? 'is invalid').slice(0, MESSAGE_MAX);
}
