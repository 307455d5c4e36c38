// The folder `check` has the rules that `webhooks check` tests a receiver against, and their deliveries.
import type { CheckResult } from '../../report.ts';
import { throwIfUnreachable } from '../deliver.ts';
import { ACCEPTED, REPEATS } from './accepted.ts';
import { Examiner, type ExaminerOptions, type Judgement, type Rule } from './examiner.ts';
import { AUTHENTICATION } from './forgeries.ts';

/** All checks in the order in which they run. */
export const CHECKS = [...ACCEPTED, ...AUTHENTICATION, ...REPEATS];

/** The result of a check of a receiver. */
export interface ReceiverResult extends CheckResult, Judgement {
  readonly rule: Rule;
}

/** Questions to the reader about facts that cannot be seen from outside. */
export const QUESTIONS: readonly { readonly rule: Rule; readonly question: string }[] = [
  {
    rule: 'receiver 1',
    question: 'Does an order wait for the webhook, and not for the return of the customer to success_url?',
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

/**
 * Runs all checks. Calls `onResult` after each.
 *
 * @throws CliError if the receiver cannot be reached.
 */
export async function examine(
  options: ExaminerOptions,
  onResult: (result: ReceiverResult) => void,
  signal: AbortSignal,
): Promise<ReceiverResult[]> {
  const examiner = new Examiner(options);
  const results: ReceiverResult[] = [];
  for (const { id, rule, title, run } of CHECKS) {
    if (signal.aborted) break;
    const judgement = await run(examiner);
    const [reply] = judgement.replies;
    if (results.length === 0 && reply !== undefined) throwIfUnreachable(options.url, reply, 'check');
    const result = { id, rule, title, ...judgement };
    results.push(result);
    onResult(result);
  }
  return results;
}
