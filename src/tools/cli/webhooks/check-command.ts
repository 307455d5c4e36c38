import { isLoopback } from '../../../contract/values/scalars.ts';
import { hiding } from '../../../errors/hide.ts';
import { replyFor } from '../../../webhooks/handle/reply.ts';
import { signWebhook } from '../../../webhooks/verify/signature.ts';
import { CHECK_CUSTOMER } from '../../sandbox/actions.ts';
import { signedRequest } from '../../sandbox/delivery/webhook-request.ts';
import type { SandboxWebhookRequest } from '../../sandbox/types.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import {
  type CheckResult,
  type Grade,
  jsonLine,
  oneLine,
  resultLines,
  type Style,
  styleOf,
  wrapped,
} from '../terminal.ts';
import { type Case, type Change, QUESTIONS, RULES, SIGNATURE, TIMESTAMP } from './cases.ts';
import {
  causeOfReply,
  deliver,
  isAccepted,
  isAcknowledged,
  type ReceiverRequest,
  type Reply,
  readSender,
  type SampleEvent,
  type Sender,
  sampleEvent,
  throwIfUnreachable,
} from './delivery.ts';

/** What the responses to a case show. */
interface Judgement {
  readonly grade: Grade;
  readonly replies: readonly Reply[];
  /** The cause. Empty if the responses show it. */
  readonly why: string;
  readonly fix: string;
}
type Result = CheckResult & Judgement & { readonly rule: string };

const EXAMPLE = exampleOf(COMMANDS['webhooks check']);

/** `webhooks check URL`: sends genuine and forged deliveries, and reports a result for each rule. */
export async function webhooksCheck(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = readArguments(COMMANDS['webhooks check'], args, 'webhooks check');
  const sender = await readSender(positionals[0], values, io.env, EXAMPLE);
  const { url, secrets, externalId, sandbox } = sender;
  if (!isLoopback(new URL(url).hostname)) {
    io.err('  ! not on this machine: a live shop may fulfil the orders that it accepts\n');
  }
  const exam = new Examination(sender);
  const results = await resultsOf(exam, io.signal);
  const hasStopped = io.signal.aborted || results[0]?.grade === 'fail';
  const count = (grade: Grade): number => results.filter((result) => result.grade === grade).length;
  const [passed, failed, advised] = [count('pass'), count('fail'), count('advice')];
  const [inconclusive, orders] = [count('inconclusive'), [...exam.orders]];
  const ok = failed === 0 && !hasStopped;
  if (values.json) {
    const hidden = ({ text, headers: _, ...reply }: Reply) => ({ ...reply, text: hiding(secrets)(text) });
    const checks = results.map((result) => ({
      ...result,
      why: hiding(secrets)(result.why),
      replies: result.replies.map(hidden),
    }));
    io.out(jsonLine({ ok, url, passed, failed, advised, inconclusive, checks, orders, questions: QUESTIONS }));
    return ok ? EXIT.fine : EXIT.finding;
  }
  const style = styleOf(io);
  const own =
    'If that sandbox has --callback to this receiver, its own webhooks come first, and this check sends repeats.';
  const invented =
    'Uses orders that do not exist. A receiver that looks them up refuses them. Start a sandbox, or give --external-id and --amount of an order that exists.';
  const where = sandbox === null ? invented : `Uses orders that it creates in the sandbox at ${sandbox}. ${own}`;
  const questions = [
    `\n  ${style.strong('What only you can check')}`,
    ...QUESTIONS.map((question) => wrapped(question, 4, '  - ')),
    `\n${wrapped(ordersText(orders), 2)}`,
  ];
  const parts = [
    failed > 0 && style.bad(`${failed} failed`),
    failed > 0 ? `${passed} passed` : style.good(`${passed} passed`),
    advised > 0 && `${advised} with advice`,
    inconclusive > 0 && `${inconclusive} inconclusive`,
    hasStopped && (io.signal.aborted ? 'stopped early' : 'stopped: correct this first, then run it again'),
  ];
  const lines = [
    ...(externalId === null ? [`\n${wrapped(where, 2)}`] : []),
    wrapped(`${url}  signed with ${sender.source}`, 2),
    ...RULES.flatMap(({ rule, heading }) => {
      const ofRule = results.filter((each) => each.rule === rule);
      if (ofRule.length === 0) return [];
      return [`\n  ${style.strong(heading)}`, ...ofRule.map((each) => linesOf(each, secrets, style))];
    }),
    ...(hasStopped ? [] : questions),
    `\n  ${parts.filter(Boolean).join(', ')}\n`,
  ];
  io.out(lines.map((line) => `${line}\n`).join(''));
  return ok ? EXIT.fine : EXIT.finding;
}

/** The orders of a run are numbered, so that the first and the last name them all. */
function ordersText(orders: readonly string[]): string {
  const [first, last] = [orders[0], orders.at(-1)];
  return orders.length <= 2 ? `orders ${orders.join(' ')}` : `orders ${first} to ${last}, ${orders.length} in all`;
}

/** Runs the cases, and stops if the first one fails. */
async function resultsOf(exam: Examination, signal: AbortSignal): Promise<Result[]> {
  const results: Result[] = [];
  for (const { rule, cases } of RULES) {
    for (const each of cases) {
      if (signal.aborted || results[0]?.grade === 'fail') return results;
      const { id, title } = each;
      results.push({ id, rule, title, ...(await exam.judge(each, results)) });
    }
  }
  return results;
}

function linesOf(result: Result, secrets: readonly string[], style: Style): string {
  const { grade, replies } = result;
  const hide = hiding(secrets);
  // Several are no measurement: they wait for each other.
  const times = replies.map(({ status, ms, problem }) =>
    replies.length > 1 ? (status ?? problem) : `${status === null ? `${problem} after` : `${status} in`} ${ms} ms`,
  );
  const why = hide(result.why);
  const said = oneLine(hide(replies.find(({ text }) => text !== '')?.text ?? ''), 100);
  // The cause of a refusal may quote the response already.
  const quote = grade === 'fail' && !why.includes(said) ? `(it said: ${said})` : '';
  return resultLines(result, style, times.join(', '), `${why} ${quote}`.trim());
}

/** Milliseconds. The service ends an attempt after 15 seconds. */
const QUICK = 5_000;
/** How a receiver closes a connection on purpose. */
const CLOSED = ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET', 'HPE_INVALID_CONSTANT'];

/** One run of the cases. */
class Examination {
  readonly orders = new Set<string>();
  readonly #run = crypto.randomUUID().slice(0, 8);
  readonly #sender: Sender;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /** Sends the deliveries of a case, if it has any, and compares the responses with the expected one. */
  async judge(each: Case, before: readonly Result[]): Promise<Judgement> {
    const { secrets, order, externalId, url } = this.#sender;
    const { expected, cause, remedy: fix, kind = 'paid' } = each;
    const pass: Judgement = { grade: 'pass', replies: [], why: '', fix: '' };
    if (expected === 'quick') {
      const slowest = Math.max(...before.flatMap(({ replies }) => replies.map(({ ms }) => ms)));
      const why = `${slowest} ms for the slowest`;
      return slowest <= QUICK ? { ...pass, why } : { ...pass, grade: 'fail', why: `${why}. ${cause}`, fix };
    }
    const changes = each.sends === 'each secret' ? secrets.slice(1).map((secret) => ({ secret })) : each.sends;
    const name = externalId ?? `check-${this.#run}-${this.orders.size + 1}`;
    if (changes.length === 0) return { ...pass, grade: 'inconclusive', why: cause };
    this.orders.add(name);
    const event = await sampleEvent(kind, { ...order, externalId: name, customerId: CHECK_CUSTOMER }, this.#sender);
    const [at, id] = [Date.now(), crypto.randomUUID()];
    const requests = await Promise.all(changes.map((change) => this.#request(event, change, at, id)));
    const replies: Reply[] = [];
    if (each.isAtOnce) replies.push(...(await Promise.all(requests.map((request) => this.#send(request)))));
    else for (const request of requests) replies.push(await this.#send(request));
    if (expected === 'refused') return { ...pass, replies, ...this.#refusal(each, replies) };

    const isFirst = before.length === 0;
    const wrong = replies.filter((reply) => !isAccepted(reply));
    const [worst] = wrong;
    if (worst === undefined) {
      // The deliveries of a case have one event. A handler of this package says whether it was done now or before.
      const isProof = before.every(({ id, grade }) => grade === 'pass' || !each.needs?.includes(id));
      if (!isProof)
        return { ...pass, grade: 'inconclusive', replies, why: 'it accepts forgeries, so this shows nothing' };
      if (replies.filter(isDoneNow).length <= 1) return { ...pass, replies };
      return {
        grade: 'fail',
        replies,
        why: 'the handler answered twice that it has done the event now',
        fix: ONE_STORE,
      };
    }
    if (isFirst) throwIfUnreachable(url, worst, 'check');
    // One of two may be refused as busy, because the service sends it again.
    if (each.isAtOnce && wrong.length === 1 && [409, 429, 503].includes(worst.status ?? 0)) {
      return { ...pass, replies, why: 'one of them waits for the other' };
    }
    const grade = each.isAdvice ? 'advice' : 'fail';
    if (!isFirst) return { grade, replies, why: reasonOf(worst), fix };
    const { text, remedy } = await causeOfReply(this.#sender, event.body, worst);
    return { grade, replies, why: text, fix: remedy ?? AGAIN };
  }

  /** What the responses to a forgery show. */
  #refusal({ cause, remedy, isAdvice }: Case, replies: readonly Reply[]): Partial<Judgement> {
    if (replies.some(isAcknowledged)) return { grade: isAdvice ? 'advice' : 'fail', why: cause, fix: remedy };
    const silent = replies.find(({ status, problem }) => status === null && !CLOSED.includes(problem ?? ''));
    if (silent !== undefined) {
      return { grade: 'fail', why: `no response: ${silent.problem}`, fix: 'Answer 400 or 401 to what you refuse.' };
    }
    if (replies.every(({ status }) => status === null || status < 500)) return {};
    return { why: 'refused, but with 5xx, as after a crash', fix: 'Answer 401 to what is not genuine.' };
  }

  async #request(event: SampleEvent, change: Change, at: number, id: string): Promise<ReceiverRequest> {
    const { isGet, hasOtherId, isRestamped, signature, sentBody } = change;
    if (isGet) return { method: 'GET', headers: {}, body: '' };
    const { headers, body, method } = await this.#signed(event, change, at, hasOtherId ? crypto.randomUUID() : id);
    const all: Record<string, string | undefined> = { ...headers };
    if (signature) all[SIGNATURE] = signature(headers[SIGNATURE] ?? '');
    if (isRestamped) all[TIMESTAMP] = (await this.#signed(event, {}, at, id)).headers[TIMESTAMP];
    const kept = Object.entries({ ...all, ...change.headers }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return { method, headers: Object.fromEntries(kept), body: sentBody ? sentBody(body) : body };
  }

  async #signed(event: SampleEvent, change: Change, at: number, id: string): Promise<SandboxWebhookRequest> {
    const { dialect, url, secrets } = this.#sender;
    const { secret: webhookSecret = secrets[0] ?? '', ahead = 0, timestamp } = change;
    const body = change.body ? change.body(event.body) : event.body;
    if (timestamp !== undefined) {
      return { url, method: 'POST', headers: { ...(await signWebhook(body, webhookSecret, { timestamp, id })) }, body };
    }
    return signedRequest({ dialect, webhookSecret }, { ...event, id, body }, url, at + ahead);
  }

  #send(request: ReceiverRequest): Promise<Reply> {
    return deliver(this.#sender.url, request, this.#sender.timeout);
  }
}

const AGAIN = 'Run this check again.';
const ONE_STORE =
  'Make handler and store once, outside of the route. Over memoryStore each process has its own: use the store of your database.';

/** True for the reply of a handler of this package that has run the function of the merchant now. */
function isDoneNow({ status, text, headers }: Reply): boolean {
  const { headers: own, body } = replyFor('done');
  return status === 200 && text === body && headers['content-type'] === own['Content-Type'];
}

function reasonOf({ status, problem }: Reply): string {
  if (problem === 'time-out') return 'no response in time';
  if (status === null) return `no response: ${problem}`;
  return status >= 500 ? 'the receiver failed' : 'a genuine delivery is refused: only a 2xx acknowledges it';
}
