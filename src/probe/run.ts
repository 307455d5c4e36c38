import { type Answer, parsed } from './answer.ts';
import { isIncident, isRateLimit } from './rules/failures.ts';
import { learn, newState } from './state.ts';
import type { ProbeRequest, Step } from './steps.ts';
import { type Sighting, sightingsIn } from './verdict.ts';

/** One answer as received. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The only way of a probe to the service. */
export interface Door {
  /** Sends one request. Rejects where no answer comes. */
  send(method: Step['method'], request: ProbeRequest): Promise<RawAnswer>;
  /** Waits. Ends early when the user stops the probe. */
  wait(milliseconds: number): Promise<void>;
  readonly signal: AbortSignal;
}

/** An event of a probe, for the screen. */
export type ProbeEvent =
  | { readonly kind: 'asks'; readonly number: number; readonly method: string; readonly template: string }
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'waits'; readonly milliseconds: number; readonly isLimited: boolean };

/** Why a probe ended before its last request. */
export type Stop = 'interrupted' | 'unreachable' | 'refused' | 'limited';

export interface ProbeResult {
  readonly log: readonly Sighting[];
  /** Requests that were sent. */
  readonly requests: number;
  readonly stop: Stop | null;
  /** The status of the answer that ended it. */
  readonly status: number | null;
  /** Questions that the account could not answer. */
  readonly skipped: readonly Step[];
}

const TRIES = 4;
/** A longer Retry-After ends the probe. What it has learned stays. */
const LONGEST_WAIT = 120_000;
const FIRST_WAIT = 2_000;

/** Sends the requests one after the other, `pace` milliseconds apart, and reads what the answers show. */
export async function runProbe(
  steps: readonly Step[],
  door: Door,
  { pace, tell = () => undefined }: { readonly pace: number; readonly tell?: (event: ProbeEvent) => void },
): Promise<ProbeResult> {
  const log: Sighting[] = [];
  const skipped: Step[] = [];
  const state = newState();
  let requests = 0;
  let status: number | null = null;
  const ended = (stop: Stop | null): ProbeResult => ({ log, requests, stop, status, skipped });

  for (const step of steps) {
    const request = step.request(state);
    if (request === null) {
      skipped.push(step);
      continue;
    }
    for (let attempt = 1; ; attempt += 1) {
      if (requests > 0) await door.wait(pace);
      if (door.signal.aborted) return ended('interrupted');
      requests += 1;
      tell({ kind: 'asks', number: requests, method: step.method, template: step.template });
      const answer = await ask(step, request, door);
      if (answer === null && door.signal.aborted) return ended('interrupted');
      if (answer === null) tell({ kind: 'unanswered' });
      else {
        status = answer.status;
        tell({ kind: 'answered', status });
        log.push(...sightingsIn(answer));
        learn(state, answer);
        if (!isIncident(answer)) break;
      }
      if (attempt === TRIES || !mayRepeat(step, answer)) {
        if (answer === null) return ended('unreachable');
        break;
      }
      const milliseconds = waitAfter(answer, attempt);
      const isLimited = answer !== null && isRateLimit(answer);
      if (milliseconds > LONGEST_WAIT) return ended('limited');
      tell({ kind: 'waits', milliseconds, isLimited });
      await door.wait(milliseconds);
    }
    const isFirst = log.length > 0 && requests === 1;
    if (isFirst && status !== null && (status < 200 || status >= 300)) return ended('refused');
  }
  return ended(null);
}

async function ask(step: Step, request: ProbeRequest, door: Door): Promise<Answer | null> {
  try {
    const { status, headers, text } = await door.send(step.method, request);
    const at = `${step.method} ${step.template}`;
    return { question: step.question, at, asked: request.asked ?? {}, status, headers, text, json: parsed(text) };
  } catch {
    return null;
  }
}

/** A resend is repeated only after a rate limit: each one starts another attempt. */
function mayRepeat({ question }: Step, answer: Answer | null): boolean {
  return question !== 'resend' || (answer !== null && isRateLimit(answer));
}

/** The wait that the service asks for, or twice the wait before. */
function waitAfter(answer: Answer | null, attempt: number): number {
  const own = FIRST_WAIT * 2 ** (attempt - 1);
  const header = answer?.headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(header)) return Math.max(own, Number(header) * 1000);
  const [at, now] = [Date.parse(header), Date.parse(answer?.headers.get('date') ?? '')];
  return Number.isNaN(at - now) ? own : Math.max(own, at - now);
}
