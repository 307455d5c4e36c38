import { CliError, EXIT } from '../../io.ts';
import { Examiner, type ExamSettings } from './examiner.ts';
import { AUTHENTICATION } from './forgeries.ts';
import type { Finding, Rule } from './grades.ts';
import { RECEIVING } from './receiving.ts';
import { REPEATS } from './repeats.ts';

/** All questions, in the order in which they are asked. */
export const CHECKS = [...RECEIVING, ...AUTHENTICATION, ...REPEATS];

/** A finding with its question. */
export interface Grade extends Finding {
  readonly id: string;
  readonly rule: Rule;
  readonly title: string;
}

/** What nobody can see from outside, so the reader has to. */
export const QUESTIONS: readonly { readonly rule: Rule; readonly question: string }[] = [
  {
    rule: 'receiver 1',
    question: 'Does an order wait for the webhook, and not for the customer coming back to success_url?',
  },
  { rule: 'receiver 3', question: 'Did the repeats change nothing: is each order of this check stored once?' },
  {
    rule: 'receiver 4',
    question: 'Is an adjusted payment fulfilled against credited_usdt, and not as if paid in full?',
  },
  {
    rule: 'authentication 3',
    question: 'Are signatures compared in constant time (timingSafeEqual, or verifyWebhook)?',
  },
];

/** Asks everything. `graded` hears each grade at once. Throws a CliError when nobody is there at the start. */
export async function examine(
  settings: ExamSettings,
  graded: (grade: Grade) => void,
  signal: AbortSignal,
): Promise<Grade[]> {
  const examiner = new Examiner(settings);
  const grades: Grade[] = [];
  for (const { id, rule, title, run } of CHECKS) {
    if (signal.aborted) break;
    const finding = await run(examiner);
    if (grades.length === 0) mustBeThere(settings.url, finding);
    const grade = { id, rule, title, ...finding };
    grades.push(grade);
    graded(grade);
  }
  return grades;
}

function mustBeThere(url: string, { replies: [first] }: Finding): void {
  if (first === undefined || first.status !== null || first.problem === 'time-out') return;
  throw new CliError(
    EXIT.unreachable,
    `cannot reach ${url}: ${first.problem}`,
    `start your receiver, then: merchant-invoicing webhooks check ${url}`,
  );
}
