// `node scripts/forge.ts [--seed 7] [--count 1000000]`: changes genuine deliveries as an attacker without the secret can,
// and gives each to the receiver. It must accept only the bytes and timestamps of genuine deliveries.
import { WebhookVerificationError } from '../src/errors/classes.ts';
import { createRandom } from '../src/sandbox/state/random.ts';
import { createWebhookHandler, memoryStore, verifyWebhook } from '../src/webhooks/index.ts';
import { type Delivery, GENUINE, type Genuine, NOW, SECRETS } from './forge/genuine.ts';
import { MUTATIONS } from './forge/mutations.ts';
import { below, type Random } from './random.ts';
import { countOne, readRun } from './runs.ts';

export interface ForgeReport {
  /** Each with what repeats it. */
  readonly forgeries: readonly string[];
  /** Changes that left bytes and timestamp as they were. */
  readonly harmless: number;
  /** How many were refused for which reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** How often each mutation was applied. */
  readonly applied: Readonly<Record<string, number>>;
}

/** Whether the receiver accepts a delivery, or the reason why not. */
export type Receiver = (delivery: Delivery) => Promise<'accepted' | (string & {})>;

/** `verifyWebhook` with the secrets of the genuine deliveries. */
export async function verifier({ body, headers }: Delivery): Promise<string> {
  try {
    await verifyWebhook(body, headers, SECRETS, { now: NOW });
    return 'accepted';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error; // any other error is a bug of the package
  }
}

/** The whole handler. Accepted means that it called the function of the merchant, now or before. */
export function handlerOf(): Receiver {
  let called = false;
  const call = (): void => {
    called = true;
  };
  const now = (): number => NOW;
  return async ({ body, headers }) => {
    called = false;
    // A new handler and store for each, so that no delivery is recognised as a repeat.
    const store = memoryStore({ now });
    const handler = createWebhookHandler({
      secret: SECRETS,
      store,
      onPaid: call,
      onCanceled: call,
      onUnknown: call,
      now,
    });
    const reply = await handler.handle({ method: 'POST', headers, body });
    if (called !== (reply.status === 200)) throw new Error(`answered ${reply.status}, and called: ${called}`);
    return called ? 'accepted' : reply.body;
  };
}

/** One in this many goes through the whole handler, the others through `verifyWebhook`. */
const HANDLER_EVERY = 20;
const SHOWN = 20;

const keyOf = (timestamp: unknown, body: Uint8Array): string =>
  `${String(timestamp)}\0${Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')}`;
const KNOWN = new Set(GENUINE.map(({ timestamp, body }) => keyOf(timestamp, body)));

/** @param receivers For tests of this function: receivers instead of those of the package. */
export async function forge(
  seed: number,
  count: number,
  receivers: { readonly verify: Receiver; readonly handle: Receiver } = { verify: verifier, handle: handlerOf() },
): Promise<ForgeReport> {
  const forgeries: string[] = [];
  const refused: Record<string, number> = {};
  const applied: Record<string, number> = {};
  let harmless = 0;
  for (const genuine of GENUINE) {
    for (const receiver of [receivers.verify, receivers.handle]) {
      const verdict = await receiver(genuine);
      if (verdict !== 'accepted') throw new Error(`a genuine delivery is refused: ${verdict}`);
    }
  }
  for (let index = 0; index < count; index += 1) {
    const random = createRandom(seed * 1_000_003 + index).next; // a separate seed, so that one can be repeated alone
    const { delivery, names } = mutated(random);
    for (const name of names) countOne(applied, name);
    const receiver = index % HANDLER_EVERY === 0 ? receivers.handle : receivers.verify;
    const verdict = await receiver(delivery);
    if (verdict !== 'accepted') {
      countOne(refused, verdict);
    } else if (KNOWN.has(keyOf(timestampOf(delivery), delivery.body))) {
      harmless += 1;
    } else if (forgeries.length < SHOWN) {
      forgeries.push(`number ${index} of seed ${seed} (${names.join(', ')}): ${JSON.stringify(shown(delivery))}`);
    }
  }
  return { forgeries, harmless, refused, applied };
}

function mutated(random: Random): { readonly delivery: Delivery; readonly names: readonly string[] } {
  const pick = (): Genuine => GENUINE[below(random, GENUINE.length)] ?? (GENUINE[0] as Genuine); // the list is not empty
  let delivery: Delivery = pick();
  const names: string[] = [];
  const times = random() < 0.7 ? 1 : 2 + below(random, 2);
  for (let time = 0; time < times; time += 1) {
    const [name, mutate] = MUTATIONS[below(random, MUTATIONS.length)] ?? ['none', (same: Delivery) => same];
    names.push(name);
    delivery = mutate(delivery, random, pick());
  }
  return { delivery, names };
}

function timestampOf({ headers }: Delivery): unknown {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-webhook-timestamp') ?? [];
  return typeof value === 'object' && value.length === 1 ? value[0] : value;
}

function shown({ body, headers }: Delivery): object {
  return { headers, body: Buffer.from(body).toString('latin1') };
}

if (import.meta.main) {
  const { seed, count } = readRun('forge', 'count', 1_000_000);
  Error.stackTraceLimit = 0; // the stacks of a million refusals are not read
  const { forgeries, harmless, refused, applied } = await forge(seed, count);
  console.table(refused);
  for (const forgery of forgeries) console.error(`ACCEPTED: ${forgery}`);
  const kinds = Object.keys(applied).length;
  console.log(
    `${count} mutations of ${kinds} kinds, ${harmless} of them harmless (same bytes, same timestamp) and accepted: ${forgeries.length === 0 ? 'no forgery was accepted.' : `${forgeries.length} FORGERIES WERE ACCEPTED.`}`,
  );
  process.exitCode = forgeries.length === 0 ? 0 : 1;
}
