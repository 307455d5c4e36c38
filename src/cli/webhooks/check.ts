// The folder `webhooks` has the commands `webhooks check`, `send` and `verify`. It imports receiver and sandbox.
import { isLoopback } from '../../contract/values/hosts.ts';
import { findMistake } from '../../sandbox/delivery/cause.ts';
import { engine, hexToBase64 } from '../../webhooks/verify/signature.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { type CheckResult, excerpt, jsonLine, resultLines, type Style, styleOf, type Verdict } from '../report.ts';
import { type Bench, CASES, type Case, DISCREET, QUESTIONS, RULES, type Rule, requestOf } from './cases.ts';
import {
  deliver,
  isAcknowledged,
  type Order,
  type OrderSource,
  type ReceiverRequest,
  type Reply,
  readSender,
  redacted,
  runningSandbox,
  type SampleEvent,
  type Sender,
  sampleEvent,
  throwIfUnreachable,
} from './delivery.ts';

/** The result of one case. */
interface Result extends CheckResult {
  readonly rule: Rule;
  readonly replies: readonly Reply[];
  /** The cause. Empty if the answers show it. */
  readonly why: string;
}
type Judgement = Pick<Result, 'verdict' | 'replies' | 'why' | 'fix'>;

const EXAMPLE = exampleOf(COMMANDS['webhooks check']);

/** `webhooks check URL`: sends genuine and forged deliveries, and reports a result for each rule. */
export async function webhooksCheck(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = readArguments(COMMANDS['webhooks check'], args, 'webhooks check');
  const sender = readSender(positionals[0], values, io.env, EXAMPLE);
  const { url, secrets, externalId, sandbox } = sender;
  const create = externalId === null ? await runningSandbox(sandbox) : null;
  const style = styleOf(io);
  const say = (line: string): void => (values.json ? undefined : io.out(`${line}\n`));
  if (!isLoopback(new URL(url).hostname)) {
    io.err(`  ${style.warn('not on this machine: a live shop may fulfil the orders that it accepts')}\n`);
  }
  if (create !== null) {
    say(`\n  with orders that it creates in the sandbox at ${sandbox}. If that has --callback to this receiver,`);
    say('  its own webhooks come first, and this check sees repeats');
  } else if (externalId === null) {
    say('\n  with orders that do not exist. A receiver that looks them up refuses them: start a sandbox, or give');
    say('  --external-id, --uuid and --amount of one that does');
  }
  say(`  ${style.strong(url)}  signed with ${sender.source}`);

  const results: Result[] = [];
  let heading: Rule | null = null;
  const { orders } = await examine(sender, create, io, (result) => {
    results.push(result);
    if (result.rule !== heading) say(`\n  ${style.strong(RULES[result.rule])}`);
    heading = result.rule;
    say(linesOf(result, secrets, style));
  });

  const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length;
  const [passed, failed, advised] = [count('pass'), count('fail'), count('advice')];
  const inconclusive = count('inconclusive');
  const isWhole = results.length === CASES.length;
  const ok = failed === 0 && isWhole;
  if (values.json) {
    const hidden = ({ text, ...reply }: Reply): Reply => ({ ...reply, text: redacted(text, secrets) });
    const checks = results.map((result) => ({ ...result, replies: result.replies.map(hidden) }));
    io.out(jsonLine({ ok, url, passed, failed, advised, inconclusive, checks, orders, questions: QUESTIONS }));
    return ok ? EXIT.fine : EXIT.finding;
  }
  if (isWhole) {
    say(`\n  ${style.strong('What only you can check')}`);
    for (const { question } of QUESTIONS) say(`  ${style.soft('?')} ${question}`);
    say(`  ${style.soft('orders')} ${orders.join(' ')}`);
  }
  const parts = [
    failed > 0 && style.bad(`${failed} failed`),
    failed > 0 ? `${passed} passed` : style.good(`${passed} passed`),
    advised > 0 && `${advised} with advice`,
    inconclusive > 0 && `${inconclusive} inconclusive`,
    !isWhole && (io.signal.aborted ? 'stopped early' : 'stopped: correct this first, then run it again'),
  ];
  say(`\n  ${parts.filter(Boolean).join(', ')}\n`);
  return ok ? EXIT.fine : EXIT.finding;
}

function linesOf(result: Result, secrets: readonly string[], style: Style): string {
  const { verdict, replies, why } = result;
  const times = replies.map(
    ({ status, ms, problem }) => `${status === null ? `${problem} after` : `${status} in`} ${ms} ms`,
  );
  const facts = [times.join(', '), why].filter((text) => text !== '').join('  ');
  const answer = replies.find(({ text }) => text !== '')?.text ?? '';
  const shown = verdict === 'fail' && answer !== '' ? `it said: ${excerpt(redacted(answer, secrets), 100)}` : '';
  return resultLines(result, style, facts, shown);
}

/** Runs the cases. If the first delivery is not accepted it ends there, because the others would prove nothing. */
async function examine(
  sender: Sender,
  create: OrderSource | null,
  { env, signal }: Io,
  onResult: (result: Result) => void,
): Promise<{ readonly orders: readonly string[] }> {
  const { url, secrets, dialect, timeout } = sender;
  const run = crypto.randomUUID().slice(0, 8);
  const orders = new Set<string>();
  let events = 0;
  let slowest = 0;
  let hasLeaked = false;
  let acceptsGenuine = false;
  const bench: Bench = {
    secrets,
    dialect,
    now: Date.now,
    async event(kind) {
      events += 1;
      const order: Order = { ...sender.order, externalId: sender.externalId ?? `check-${run}-${events}` };
      orders.add(order.externalId);
      return sampleEvent(kind, create === null ? order : { ...order, uuid: await create(kind, order) }, dialect);
    },
  };
  const send = async (request: ReceiverRequest): Promise<Reply> => {
    const reply = await deliver(url, request, timeout);
    hasLeaked ||= await leaks(request, reply, secrets);
    return reply;
  };
  const ask = async (each: Case): Promise<Judgement> => {
    const { expected, cause = '', remedy, changes = () => [{}], kind = 'paid' } = each;
    if (expected === 'quick') {
      const why = `${slowest} ms for the slowest`;
      if (slowest <= QUICK) return { verdict: 'pass', replies: [], why, fix: '' };
      return { verdict: 'fail', replies: [], why: `${why}. ${cause}`, fix: remedy };
    }
    if (expected === 'discreet') {
      if (!hasLeaked) return { verdict: 'pass', replies: [], why: '', fix: '' };
      return { verdict: 'fail', replies: [], why: cause, fix: remedy };
    }
    const event = await bench.event(kind);
    const made = await changes(event, bench);
    if (made.length === 0) return { verdict: 'inconclusive', replies: [], why: cause, fix: '' };
    const requests = await Promise.all(made.map((change) => requestOf(event, change, bench)));
    const replies: Reply[] = [];
    if (each.isAtOnce) replies.push(...(await Promise.all(requests.map(send))));
    else for (const request of requests) replies.push(await send(request));
    if (expected === 'refused') return judgeRefusal(each, replies, acceptsGenuine);
    slowest = Math.max(slowest, ...replies.map(({ ms }) => ms));
    const judgement = judgeAcceptance(each, replies);
    const [reply] = replies;
    if (each !== CASES[0] || reply === undefined) return judgement;
    throwIfUnreachable(url, reply, 'check');
    acceptsGenuine = judgement.verdict === 'pass';
    return acceptsGenuine ? judgement : { ...judgement, ...(await diagnose(event, reply)) };
  };
  /** Why the first delivery is not accepted. A clear answer decides, otherwise requests that only one mistake accepts. */
  const diagnose = async (
    event: SampleEvent,
    reply: Reply,
  ): Promise<{ readonly why: string; readonly fix: string }> => {
    const clear = CLEAR_ANSWERS.find(({ is }) => is(reply));
    if (clear !== undefined) return { why: clear.why(reply, sender), fix: clear.fix };
    const { proven, text } = await findMistake({
      settings: { webhookSecret: secrets[0] ?? '', dialect, wallClock: bench.now },
      apiKey: env['MERCHANT_API_KEY'],
      right: async () => ({ ...(await requestOf(event, {}, bench)), url, method: 'POST' }),
      async accepts(request) {
        const answer = await send(request);
        return answer.status === null ? null : isAcknowledged(answer);
      },
    });
    if (proven) {
      const [why = '', ...rest] = text.replace(/^Proven by trial: /, '').split('. ');
      return { why: why.replace(/\.$/, ''), fix: rest.join('. ') || 'Correct it, then run this check again.' };
    }
    const { why, fix } = UNCLEAR_ANSWERS.find(({ is }) => is(reply)) ?? UNEXPLAINED;
    return { why: why(reply, sender), fix };
  };
  for (const each of CASES) {
    if (signal.aborted) break;
    const judgement = await ask(each);
    const { id, rule, title } = each;
    onResult({ id, rule, title, ...judgement });
    if (each !== CASES[0] || judgement.verdict !== 'fail') continue;
    const { id: other, ...discreet } = DISCREET;
    if (hasLeaked) onResult({ id: other, rule: discreet.rule, title: discreet.title, ...(await ask(DISCREET)) });
    break;
  }
  return { orders: [...orders] };
}

/** Milliseconds. The service gives up after 15 seconds. */
const QUICK = 5_000;
/** How a receiver closes a connection on purpose. */
const CLOSED = ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET', 'HPE_INVALID_CONSTANT'];

function judgeAcceptance({ remedy, isAtOnce, isAdvice }: Case, replies: readonly Reply[]): Judgement {
  const wrong = replies.filter((reply) => !isAcknowledged(reply));
  const [first] = wrong;
  if (first === undefined) return { verdict: 'pass', replies, why: '', fix: '' };
  // One of two may be refused as busy: it comes again after the other has been handled.
  if (isAtOnce && wrong.length === 1 && [409, 429, 503].includes(first.status ?? 0)) {
    return { verdict: 'pass', replies, why: 'one of them waits for the other', fix: '' };
  }
  return {
    verdict: isAdvice ? 'advice' : 'fail',
    replies,
    why: reasonOf(first),
    fix: remedy,
  };
}

function judgeRefusal(
  { cause = '', remedy, isAdvice }: Case,
  replies: readonly Reply[],
  acceptsGenuine: boolean,
): Judgement {
  if (replies.some(isAcknowledged)) return { verdict: isAdvice ? 'advice' : 'fail', replies, why: cause, fix: remedy };
  const silent = replies.find(({ status, problem }) => status === null && !CLOSED.includes(problem ?? ''));
  if (silent !== undefined) {
    return {
      verdict: 'fail',
      replies,
      why: `no answer: ${silent.problem}`,
      fix: 'Answer 400 or 401 to what you refuse.',
    };
  }
  if (!acceptsGenuine) {
    const why = 'it refuses genuine deliveries as well, so this proves nothing';
    return { verdict: 'inconclusive', replies, why, fix: '' };
  }
  if (replies.every(({ status }) => status === null || status < 500))
    return { verdict: 'pass', replies, why: '', fix: '' };
  const why = 'refused, but with 5xx, as after a crash';
  return { verdict: 'pass', replies, why, fix: 'Answer 401 to what is not genuine.' };
}

function reasonOf({ status, problem }: Reply): string {
  if (problem === 'time-out') return 'no answer in time: the service gives up and sends it again';
  if (status === null) return `no answer: ${problem}`;
  if (status >= 500) return 'the receiver failed';
  return 'a genuine delivery is refused: only a 2xx acknowledges it';
}

interface Diagnosis {
  readonly is: (reply: Reply) => boolean;
  readonly why: (reply: Reply, sender: Sender) => string;
  readonly fix: string;
}

const LOOK = 'Look into the log of the receiver for this request.';

/** Answers that show why the first delivery is not accepted. */
const CLEAR_ANSWERS: readonly Diagnosis[] = [
  {
    is: ({ problem }) => problem === 'time-out',
    why: (_, { timeout }) => `it does not answer within ${timeout / 1000} s`,
    fix: 'Verify, store the event, answer 2xx, and do the work afterwards.',
  },
  {
    is: ({ status }) => status === null,
    why: ({ problem }) => `the connection ends without an answer (${problem})`,
    fix: LOOK,
  },
  {
    is: ({ status }) => status !== null && status >= 300 && status < 400,
    why({ location }, { url }) {
      const target = location !== null && URL.canParse(location, url) ? new URL(location, url).href : 'another address';
      return `it redirects to ${target}, and the service follows no redirect`;
    },
    fix: 'Give the final address as callback_url, and keep logins away from this route.',
  },
  {
    is: ({ status }) => status === 404,
    why: () => 'there is no route at this path',
    fix: 'Compare the path of the address with the route, with its prefix and its last slash.',
  },
  {
    is: ({ status }) => status === 405,
    why: () => 'the route does not take POST',
    fix: 'Register the handler for POST.',
  },
  {
    is: ({ status, text }) => status === 419 || /csrf|xsrf|forgery token|cross.site request/i.test(text),
    why: () => 'a CSRF guard refuses it: the service has no session and no token',
    fix: 'Exempt this route from the guard. The signature takes its place.',
  },
  {
    is: ({ asksForLogin }) => asksForLogin,
    why: () => 'a login protects this route, and the service cannot log in',
    fix: 'Exempt this route from the login. The signature takes its place.',
  },
];

/** Answers that mean this where no mistake of a signature explains them. */
const UNCLEAR_ANSWERS: readonly Diagnosis[] = [
  { is: ({ status }) => (status ?? 0) >= 500, why: ({ status }) => `the receiver fails with ${status}`, fix: LOOK },
  {
    is: ({ status }) => status === 415 || status === 400,
    why: ({ status }) => `it refuses the delivery as malformed (${status})`,
    fix: LOOK,
  },
];
const UNEXPLAINED: Diagnosis = {
  is: () => true,
  why: ({ status }) => `it refuses the signature (${status}), and none of the usual mistakes explains it`,
  fix: 'Compare the secret of the receiver with the one of this check, character by character.',
};

/**
 * True if the answer holds a secret, or the signature that would have been right for a forged delivery. A reader
 * of either can forge deliveries. A signature that was sent and comes back is harmless.
 */
async function leaks(
  { headers, body }: ReceiverRequest,
  { text }: Reply,
  secrets: readonly string[],
): Promise<boolean> {
  if (text === '') return false;
  if (secrets.some((secret) => text.includes(secret))) return true;
  const { 'X-Webhook-Signature': sent = '', 'X-Webhook-Timestamp': stamp } = headers;
  if (stamp === undefined) return false;
  for (const secret of secrets) {
    const hex = await engine().hmac(secret, `${stamp}.${body}`, new Uint8Array());
    if ([hex, hexToBase64(hex)].some((signature) => !sent.includes(signature) && text.includes(signature))) return true;
  }
  return false;
}
