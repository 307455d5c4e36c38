// The folder `check` has the rules that `webhooks check` tests a receiver against, and their deliveries.
import type { CheckResult } from '../../report.ts';
import { throwIfUnreachable } from '../deliver.ts';
import { ACCEPTED, DISCREET, REPEATS } from './accepted.ts';
import { type Check, Examiner, type ExaminerOptions, type Judgement, type Rule } from './examiner.ts';
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
  { rule: 'receiver 3', question: 'Was each order of this check fulfilled once, and none twice?' },
  {
    rule: 'receiver 2',
    question: 'If the process dies after it has answered 200, is the order fulfilled when it starts again?',
  },
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
 * Runs all checks. Calls `onResult` after each. Ends after the first one if that fails.
 *
 * @throws CliError if the receiver cannot be reached.
 */
export async function examine(
  options: ExaminerOptions,
  onResult: (result: ReceiverResult) => void,
  signal: AbortSignal,
): Promise<{ readonly results: ReceiverResult[]; readonly orders: readonly string[] }> {
  const examiner = new Examiner(options);
  const results: ReceiverResult[] = [];
  const make = async ({ id, rule, title, run }: Check): Promise<Judgement> => {
    const judgement = await run(examiner);
    const [reply] = judgement.replies;
    if (results.length === 0 && reply !== undefined) throwIfUnreachable(options.url, reply, 'check');
    const result = { id, rule, title, ...judgement };
    results.push(result);
    onResult(result);
    return judgement;
  };
  for (const check of CHECKS) {
    if (signal.aborted) break;
    const judgement = await make(check);
    if (results.length > 1 || judgement.verdict !== 'fail') continue;
    if (examiner.hasLeaked) await make(DISCREET);
    break; // the other checks prove nothing before a genuine delivery is accepted
  }
  return { results, orders: examiner.orders };
}
