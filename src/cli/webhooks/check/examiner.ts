import type { Dialect } from '../../../sandbox/index.ts';
import type { CheckResult } from '../../report.ts';
import { deliver, isAcknowledged, type ReceiverRequest, type Reply } from '../deliver.ts';
import type { OrderSource } from '../order-source.ts';
import { type EventKind, type SampleEvent, sampleEvent, sampleHeaders } from '../sample-event.ts';
import { leaks } from './leaks.ts';

/** The rule of the service interface that a check belongs to. */
export type Rule = 'receiver 1' | 'receiver 2' | 'receiver 3' | 'receiver 4' | 'authentication 3';

/** The meaning of the answers of a receiver. */
export interface Judgement extends Pick<CheckResult, 'verdict' | 'fix'> {
  readonly replies: readonly Reply[];
  /** The reason. Empty if the answers show it. */
  readonly why: string;
}

/** One question to a receiver. */
export interface Check {
  readonly id: string;
  readonly rule: Rule;
  readonly title: string;
  run(examiner: Examiner): Promise<Judgement>;
}

export interface ExaminerOptions {
  readonly url: string;
  /** The first signs. The receiver must accept the others as well. */
  readonly secrets: readonly string[];
  /** The API key, which receivers mistake for the secret. */
  readonly apiKey: string | undefined;
  readonly dialect: Dialect;
  /** Null: a new order id for each event. */
  readonly externalId: string | null;
  readonly uuid?: string | undefined;
  /** Makes each new order known to a sandbox that runs. Null where none runs, or the order is given. */
  readonly source: OrderSource | null;
  readonly amount: string;
  readonly currency: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly now: () => number;
}

/** How a delivery differs from a genuine one. */
export interface Change {
  readonly secret?: string;
  /** Epoch milliseconds. */
  readonly timestamp?: number;
  readonly id?: string;
  /** Headers that replace the signed ones. Undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A body that is sent under the signature of the event. */
  readonly sentBody?: string;
}

/** Builds deliveries, sends them and interprets the answers. */
export class Examiner {
  readonly options: ExaminerOptions;
  /** Whether the first genuine delivery was accepted. If not, a refusal proves nothing. */
  acceptsGenuine = false;
  /** Milliseconds of the slowest answer to a genuine delivery. */
  slowest = 0;
  /** Whether an answer held a secret or a signature. */
  hasLeaked = false;
  /** The orders of the deliveries, in the order in which they were sent. */
  readonly orders: string[] = [];
  readonly #run = crypto.randomUUID().slice(0, 8);
  #orders = 0;

  constructor(options: ExaminerOptions) {
    this.options = options;
  }

  async event(kind: EventKind): Promise<SampleEvent> {
    this.#orders += 1;
    const { externalId, uuid, amount, currency, dialect, source } = this.options;
    const order = { externalId: externalId ?? `check-${this.#run}-${this.#orders}`, amount, currency };
    if (!this.orders.includes(order.externalId)) this.orders.push(order.externalId);
    return sampleEvent(kind, { ...order, uuid: source === null ? uuid : await source(kind, order) }, dialect);
  }

  /** A POST of this event, genuine except for the change. */
  async request(
    event: SampleEvent,
    { secret, timestamp, id, headers = {}, sentBody }: Change = {},
  ): Promise<ReceiverRequest> {
    const { secrets, dialect, now } = this.options;
    const [first = ''] = secrets;
    const signed = await sampleHeaders(event, secret ?? first, dialect, timestamp ?? now(), id);
    const changed = Object.entries({ ...signed, ...headers }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return { method: 'POST', headers: Object.fromEntries(changed), body: sentBody ?? event.body };
  }

  async send(request: ReceiverRequest): Promise<Reply> {
    const reply = await deliver(this.options.url, request, this.options.timeout);
    this.hasLeaked ||= await leaks(request, reply, this.options.secrets);
    return reply;
  }

  /** Sends a delivery that the receiver must accept. */
  async sendGenuine(event: SampleEvent, change: Change = {}): Promise<Reply> {
    const reply = await this.send(await this.request(event, change));
    this.slowest = Math.max(this.slowest, reply.ms);
    return reply;
  }

  /**
   * Interprets answers to deliveries that must be refused.
   *
   * @param harm The possible harm otherwise. With `advice` an acceptance does not count as a failure.
   */
  mustRefuse(
    replies: readonly Reply[],
    { harm, fix, advice = false }: { readonly harm: string; readonly fix: string; readonly advice?: boolean },
  ): Judgement {
    if (replies.some(isAcknowledged)) return { verdict: advice ? 'advice' : 'fail', replies, why: harm, fix };
    const silent = replies.find(({ status, problem }) => status === null && !CLOSED.includes(problem ?? ''));
    if (silent !== undefined) {
      const why = `no answer: ${silent.problem}`;
      return { verdict: 'fail', replies, why, fix: 'Answer 400 or 401 to what you refuse.' };
    }
    if (!this.acceptsGenuine)
      return inconclusive('it refuses genuine deliveries as well, so this proves nothing', replies);
    const hasCrashed = replies.some(({ status }) => status !== null && status >= 500);
    if (!hasCrashed) return { verdict: 'pass', replies, why: '', fix: '' };
    const why = 'refused, but with 5xx, as after a crash';
    return { verdict: 'pass', replies, why, fix: 'Answer 401 to what is not genuine.' };
  }
}

const CLOSED = ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET', 'HPE_INVALID_CONSTANT'];

/** Interprets answers to deliveries that must be accepted. */
export function mustAccept(replies: readonly Reply[], fix: string): Judgement {
  const wrong = replies.find((reply) => !isAcknowledged(reply));
  if (wrong === undefined) return { verdict: 'pass', replies, why: '', fix: '' };
  return { verdict: 'fail', replies, why: reasonOf(wrong), fix };
}

export function inconclusive(why: string, replies: readonly Reply[] = []): Judgement {
  return { verdict: 'inconclusive', replies, why, fix: '' };
}

function reasonOf({ status, problem }: Reply): string {
  if (problem === 'time-out') return 'no answer in time: the service gives up and sends it again';
  if (status === null) return `no answer: ${problem}`;
  if (status >= 300 && status < 400) return 'the service does not follow a redirect';
  if (status === 401 || status === 403) return 'a genuine delivery is refused: another secret, or not the raw body?';
  if (status === 400 || status === 415) return 'a genuine delivery is refused as malformed';
  if (status === 404) return 'not found: is it the path, or the order?';
  if (status === 405) return 'the address does not take POST';
  if (status >= 500) return 'the receiver failed';
  return 'only a 2xx acknowledges a delivery';
}
