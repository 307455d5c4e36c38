// What people read of an event or an action: lines, each with its grade. The terminal writes them with marks.
import { orderOf } from '../../contract/orders.ts';
import { momentOfMove, paidText, usdtOf } from '../story.ts';
import { sentenceOf } from './delivery/diagnose.ts';
import type { RequestEntry, SandboxEvent } from './state/log.ts';

/** One line for people. */
export interface Line {
  /** ISO 8601, sandbox clock. Null for a line without a time. */
  readonly at: string | null;
  /** Null for what is neither good nor bad. */
  readonly grade: 'pass' | 'advice' | 'fail' | null;
  /** No longer than 68 characters for an event, so that a terminal of 80 columns shows it with time and mark. */
  readonly text: string;
  /** Why, on lines of its own. Null if there is nothing to say. */
  readonly cause: string | null;
}

const SUBJECT = 36;
const RESULT = 31;

/**
 * What happened and to which order, then the result, in two columns. Null for an event that another line shows as well.
 */
export function lineOf(event: SandboxEvent): Line | null {
  const line = (grade: Line['grade'], subject: string, result: string, cause: string | null = null): Line => ({
    at: event.at,
    grade,
    text: `${cut(subject, SUBJECT).padEnd(SUBJECT)} ${cut(result, RESULT)}`.trimEnd(),
    cause,
  });
  switch (event.kind) {
    case 'note':
      if (event.external_id !== null) return line(null, subjectOf('webhook', event.external_id), event.text);
      return { at: event.at, grade: null, text: event.text, cause: null };
    case 'request': {
      const { status, code, fault, why, operation, method, path, query } = event;
      const isExpected = isProbe(event, () => true);
      const isGood = isExpected || (status !== null && status < 400);
      if (isGood && operation === 'invoices.create') return null; // the line `created` shows it
      const cause = fault !== null ? `by the fault ${fault}` : isGood ? null : why;
      const result = [status ?? 'no response', code].filter((part) => part !== null).join(' ');
      const segments = path.replace('/api/v1/external', '').split('/');
      const short = segments.map((each) => (each.length > 20 ? `${each.slice(0, 8)}…` : each)).join('/');
      return line(isGood ? null : 'fail', `${method} ${short}${query}`, result, cause);
    }
    case 'invoice': {
      const { external_id, credited, why } = event;
      const { grade, what } = momentOfMove(event, { amount: event.amount, currency: { code: event.currency } });
      const result = why ?? `${paidText(event)}${credited === null ? '' : `, ${usdtOf(credited)} USDT`}`;
      const subject = subjectOf(what, external_id);
      // Two amounts may need more than their column, and are never cut.
      const width = Math.min(SUBJECT, SUBJECT + RESULT - result.length);
      return { at: event.at, grade, text: `${subject.padEnd(width)} ${result}`, cause: null };
    }
    case 'attempt': {
      const { cause, attempt, max_attempts: most, status_code, duration_ms: ms, next_retry_at: next } = event;
      const later = next === null ? '' : `, next ${next.slice(11, 19)}`;
      const subject = subjectOf(`webhook ${attempt} of ${Math.max(attempt, most)}`, event.external_id);
      const result = `${status_code ?? 'no response'}${status_code === null ? '' : ` in ${ms} ms`}${later}`;
      return line(cause === null ? 'pass' : 'fail', subject, result, cause && sentenceOf(cause));
    }
  }
}

/** The user agent of the request that `doctor` makes without a key, and which is refused on purpose. */
export const DOCTOR_AGENT = 'merchant-invoicing doctor';

/**
 * What is refused in the course of things: the request of `doctor` without a key, and whether an order has a renewal.
 *
 * @param isOrder Whether there is an order with this id.
 */
export function isProbe(
  { headers, path, status, operation }: RequestEntry,
  isOrder: (order: string) => boolean,
): boolean {
  if (headers['user-agent'] === DOCTOR_AGENT) return true;
  if (status !== 404 || operation !== 'invoices.get') return false;
  const { order, renewal } = orderOf(path.split('/')[5] ?? '');
  return renewal > 0 && isOrder(order);
}

function subjectOf(what: string, order: string): string {
  return `${what.padEnd(15)} ${cut(order, 20)}`;
}

function cut(text: string, length: number): string {
  const line = text.replace(/\s+/g, (space) => (space === '\t' || space.includes('\n') ? ' ' : space));
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
