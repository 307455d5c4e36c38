import { isReceipt, type Reply } from '../deliver.ts';
import type { Examiner } from './examiner.ts';

/** `unsure`: nothing can be said; `advice`: no rule of the interface is broken, but something is worth a change. */
export type Verdict = 'pass' | 'fail' | 'advice' | 'unsure';

/** Where the interface says so. */
export type Rule = 'receiver 1' | 'receiver 2' | 'receiver 3' | 'receiver 4' | 'authentication 3';

/** What one check found. */
export interface Finding {
  readonly verdict: Verdict;
  readonly replies: readonly Reply[];
  /** What the answers mean; empty where they speak for themselves. */
  readonly why: string;
  /** What to change; empty where nothing is. */
  readonly fix: string;
}

/** One question to a receiver. */
export interface Check {
  readonly id: string;
  readonly rule: Rule;
  readonly title: string;
  run(examiner: Examiner): Promise<Finding>;
}

const SLOW = 5_000;
const CLOSED = ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET', 'HPE_INVALID_CONSTANT'];

/** Grades answers to deliveries that must be accepted. */
export function mustAccept(replies: readonly Reply[], fix: string): Finding {
  const wrong = replies.find((reply) => !isReceipt(reply));
  if (wrong === undefined) return { verdict: 'pass', replies, why: '', fix: '' };
  return { verdict: 'fail', replies, why: whyNot(wrong), fix };
}

function whyNot({ status, problem }: Reply): string {
  if (problem === 'time-out') return 'no answer in time: the service gives up and repeats';
  if (status === null) return `no answer: ${problem}`;
  if (status >= 300 && status < 400) return 'a redirect is no receipt, and is not followed';
  if (status === 401 || status === 403) return 'a genuine delivery is refused: another secret, or not the raw body?';
  if (status === 400 || status === 415) return 'a genuine delivery is refused as malformed';
  if (status === 404) return 'not found: the path, or the order';
  if (status === 405) return 'POST is not taken here';
  if (status >= 500) return 'the receiver failed';
  return 'only a 2xx is a receipt';
}

/** Grades answers to deliveries that must be refused. `harm` says what could happen; `advice` makes a miss no failure. */
export function mustRefuse(
  examiner: Examiner,
  replies: readonly Reply[],
  { harm, fix, advice = false }: { readonly harm: string; readonly fix: string; readonly advice?: boolean },
): Finding {
  const accepted = replies.find(isReceipt);
  if (accepted !== undefined) return { verdict: advice ? 'advice' : 'fail', replies, why: harm, fix };
  const silent = replies.find(({ status, problem }) => status === null && !CLOSED.includes(problem ?? ''));
  if (silent !== undefined) {
    return {
      verdict: 'fail',
      replies,
      why: `no answer: ${silent.problem}`,
      fix: 'Answer what you refuse, with 400 or 401.',
    };
  }
  if (!examiner.acceptsGood) {
    return { verdict: 'unsure', replies, why: 'it refuses good deliveries, too, so this proves nothing', fix: '' };
  }
  const crashed = replies.some(({ status }) => status !== null && status >= 500);
  return {
    verdict: 'pass',
    replies,
    why: crashed ? 'refused, but with 5xx, as a crash would' : '',
    fix: crashed ? 'Answer 401 to what is not genuine.' : '',
  };
}

/** Grades how long good deliveries took. */
export function mustBeQuick(slowest: number): Finding {
  const time = `${slowest} ms for the slowest`;
  if (slowest <= SLOW) return { verdict: 'pass', replies: [], why: time, fix: '' };
  return {
    verdict: 'fail',
    replies: [],
    why: `${time}; after 15 s the service repeats`,
    fix: 'Note the event, answer 2xx, and do the heavy work afterwards.',
  };
}
