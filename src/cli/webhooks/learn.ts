import { isObject } from '../../contract/json.ts';
import { receiverPins } from '../../dialect-file/pins.ts';
import { WebhookVerificationError } from '../../errors/classes.ts';
import { printable } from '../../printable.ts';
import type { Captured } from '../../probe/captured.ts';
import { differencesFrom, withVerdicts } from '../../probe/dialect-content.ts';
import { CAPTURE_RULES } from '../../probe/rules/rules.ts';
import { type Sighting, sightingsOf, verdictsOf } from '../../probe/verdict.ts';
import type { Point } from '../../probe/words.ts';
import { verifyWebhook } from '../../webhooks/verify/verify.ts';
import { parsePort, readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { EXIT, type ExitCode, fileBytes, type Io, misuse } from '../io.ts';
import { DIALECT_PATH, loadEarlier, saveDialect } from '../probe/dialect-store.ts';
import { planText, together, verdictsText } from '../probe/screens.ts';
import { styleOf } from '../report.ts';
import { listenForDeliveries } from './learn-listener.ts';
import { type RawRequest, readRawRequest } from './raw-request.ts';
import { readSecrets } from './secrets.ts';

const EXAMPLE = exampleOf(COMMANDS['webhooks learn']);
const AT = 'POST {callback_url}';
const POINTS_OF_WEBHOOKS = Object.keys(CAPTURE_RULES) as readonly Point[]; // the keys of the rules are points

/** `webhooks learn`: verifies deliveries, and learns from the genuine ones how the service writes them. */
export async function webhooksLearn(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = readArguments(COMMANDS['webhooks learn'], args, 'webhooks learn');
  const { file: path = DIALECT_PATH } = values;
  const { list } = readSecrets(values.secret, io.env);
  const count = values.count === undefined ? Number.POSITIVE_INFINITY : parseCount(values.count);
  const before = loadEarlier(path);
  const style = styleOf(io);
  const say = (text: string): void => void (values.json || io.out(text));
  const learner = new Learner(list, new Set(values['external-id']));

  const take = async (request: RawRequest, arrivedAt: number | null): Promise<void> => {
    const problem = await learner.take(request, arrivedAt);
    say(problem === null ? `  ${style.good('genuine')}\n` : `  ${style.bad('refused')}  ${printable(problem)}\n`);
  };
  const isListening = values.port !== undefined || (positionals.length === 0 && io.keyboard !== null);
  if (isListening) {
    const port = parsePort(values.port ?? '4020', EXAMPLE);
    await listenForDeliveries({
      port,
      count,
      status: values.accept ? 200 : 503,
      signal: io.signal,
      say: (line) => say(`  ${line}\n`),
      take,
    });
  } else {
    for (const request of await readRequests(positionals, io)) await take(request, null);
  }

  const verdicts = verdictsOf(learner.log);
  const differences = before === null ? [] : differencesFrom(before, verdicts);
  const file = withVerdicts(before, verdicts);
  if (learner.genuine > 0) saveDialect(path, file);
  const fail = (problem: string): never => {
    throw misuse(problem, EXAMPLE);
  };
  const pins = receiverPins(file, fail);
  const { genuine, refused, advice } = learner;
  if (values.json) {
    const written = genuine > 0 ? path : null;
    io.out(
      `${JSON.stringify({ ok: genuine > 0 && refused === 0, genuine, refused, file: written, points: verdicts, differences, pins, advice })}\n`,
    );
  } else if (genuine > 0) {
    const all = together(verdicts, file);
    io.out(`\n${verdictsText(all, POINTS_OF_WEBHOOKS, style)}`);
    for (const { point, before: was, now } of differences)
      io.out(`  ${style.bad('✗')} ${point} is ${now}, and the file said ${was}\n`);
    io.out(
      `\n${style.strong('What your handler pins')}\n  createWebhookHandler({ dialect: '${path}', … })\n  ${JSON.stringify(pins)}\n`,
    );
    for (const line of advice) io.out(`  ${style.warn('!')} ${printable(line)}\n`);
    io.out(`\n  ${genuine} genuine, ${refused} refused. ${path} holds what is known\n${planText(all, style)}`);
  }
  return genuine > 0 && refused === 0 && differences.length === 0 ? EXIT.fine : EXIT.finding;
}

/** Verifies deliveries one after the other and keeps their clues. */
class Learner {
  readonly log: Sighting[] = [];
  genuine = 0;
  refused = 0;
  readonly #secrets: readonly string[];
  readonly #knownIds: ReadonlySet<string>;
  readonly #seen: Captured[] = [];
  readonly #advice = new Set<string>();

  constructor(secrets: readonly string[], knownIds: ReadonlySet<string>) {
    this.#secrets = secrets;
    this.#knownIds = knownIds;
  }

  /** The options that a handler needs beyond the file. It may hold words of the service, so it is only shown. */
  get advice(): readonly string[] {
    return [...this.#advice];
  }

  /** Returns null for a genuine delivery, and otherwise the reason of its refusal. */
  async take({ headers, body }: RawRequest, arrivedAt: number | null): Promise<string | null> {
    const problem = await this.#problemOf(headers, body);
    if (problem !== null) {
      this.refused += 1;
      return problem;
    }
    this.genuine += 1;
    const parsed = jsonOf(body);
    if (!isObject(parsed)) return null;
    const byName = new Map(Object.entries(headers).map(([name, values]) => [name.toLowerCase(), values.join(', ')]));
    const earlier = this.#seen.filter((each) => each.headers.get('x-webhook-id') === byName.get('x-webhook-id'));
    const captured = { at: AT, headers: byName, body: parsed, arrivedAt, earlier, knownIds: this.#knownIds };
    this.#seen.push(captured);
    this.log.push(...sightingsOf(captured));
    this.#advise(captured);
    return null;
  }

  /**
   * A delivery that is too old, or whose payload cannot be read yet, is genuine as well: its signature is verified
   * before. A service that does not stamp repeats anew sends old ones.
   */
  async #problemOf(headers: RawRequest['headers'], body: Uint8Array): Promise<string | null> {
    try {
      await verifyWebhook(body, headers, this.#secrets);
      return null;
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return SIGNED.has(error.reason) ? null : `${error.reason}: ${error.message}`;
    }
  }

  #advise({ body }: Captured): void {
    const clues = this.log.filter(({ point }) => point === 'orderIdMember').at(-1)?.clue;
    if (clues === 'by:weak_name') {
      this.#advice.add(
        'no member is certainly your order id: run it again with --external-id and the order that was paid',
      );
    }
    const name = [body['event'], body['event_type'], body['type']].find((each) => typeof each === 'string');
    const spelling = this.log.filter(({ point }) => point === 'eventSpelling').at(-1)?.clue;
    if (typeof name === 'string' && spelling === 'by:other_form') {
      this.#advice.add(
        `handle the event ${JSON.stringify(name.slice(0, 100))} in onUnknown: the receiver does not know its name`,
      );
    }
  }
}

/** Reasons for which a delivery is refused after its signature has matched. */
const SIGNED: ReadonlySet<string> = new Set(['timestamp_too_old', 'timestamp_too_new', 'malformed_payload']);

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

async function readRequests(paths: readonly string[], io: Io): Promise<readonly RawRequest[]> {
  const inputs = paths.length === 0 ? [await io.readInput()] : paths.map((path) => fileBytes(path, EXAMPLE));
  return inputs.map((bytes, index) => {
    const request = readRawRequest(bytes);
    if (request !== null) return request;
    throw misuse(
      `${paths[index] ?? 'standard input'} holds no request: it needs header lines, an empty line and the body`,
      EXAMPLE,
    );
  });
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw misuse(`--count takes a number from 1, not ${JSON.stringify(text)}`, EXAMPLE);
}
