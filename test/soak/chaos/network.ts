import type { FetchLike } from '../../../src/index.ts';
import type { Sandbox } from '../../../src/tools/sandbox/index.ts';
import { below, oneOf, type Random } from '../../support/random.ts';
import type { VirtualClock } from './virtual-clock.ts';

type FetchInit = Parameters<FetchLike>[1];

/** The requests of one call, as the network saw them. */
export interface Traffic {
  /** Requests that may have reached the service. */
  sent: number;
  /** Requests that certainly did not. */
  unsent: number;
}

/** The share of requests that meet a fault. */
const FAULTY = 0.35;
/** Failures before anything is sent, with the system call that Node names. */
const UNSENT: readonly (readonly [code: string, syscall?: string])[] = [
  ['ECONNREFUSED', 'connect'],
  ['ENOTFOUND', 'getaddrinfo'],
  ['EAI_AGAIN', 'getaddrinfo'],
  ['UND_ERR_CONNECT_TIMEOUT'],
  ['CERT_HAS_EXPIRED'],
];

/**
 * A bad network between one call and the sandbox. Connections fail, or break before or after the work. Answers are cut,
 * garbled, replaced, late or missing.
 */
export function badNetwork(sandbox: Sandbox, clock: VirtualClock, random: Random, traffic: Traffic): FetchLike {
  const pass = (url: string, init: FetchInit) => sandbox.fetch(url, init as RequestInit); // the same members, readonly
  const faults: ((url: string, init: FetchInit) => Promise<Response>)[] = [
    () => {
      traffic.unsent += 1;
      throw broken(...oneOf(random, UNSENT));
    },
    () => {
      throw broken('ECONNRESET'); // on its way
    },
    async (url, init) => {
      await quietly(pass(url, init));
      throw broken('ECONNRESET'); // on its way back
    },
    (_, init) => never(init.signal),
    async (url, init) => {
      await quietly(pass(url, init));
      return never(init.signal);
    },
    async (url, init) => {
      await clock.sleep(random() * 20_000, init.signal); // may arrive after the client has ended
      return pass(url, { ...init, signal: new AbortController().signal });
    },
    async (url, init) => {
      const answer = await pass(url, init);
      await clock.sleep(random() * 20_000, init.signal);
      return answer;
    },
    async (url, init) => {
      const answer = await pass(url, init);
      const text = await answer.text();
      return new Response(text.slice(0, below(random, text.length)), { status: answer.status });
    },
    async (url, init) => stalled(await pass(url, init)),
    async () => Response.json({ success: false, error: { code: 'RATE_LIMITED', message: 'slow' } }, limited(random)),
    async () => new Response('<html>Bad gateway</html>', { status: 502 }),
    async (url, init) => {
      await quietly(pass(url, init));
      return new Response('', { status: oneOf(random, [500, 503, 504, 408]) });
    },
    async (url, init) => {
      await quietly(pass(url, init));
      return ofAnother(sandbox, random, url, init); // done, and the response of another order in its place
    },
    async (url, init) => ofAnother(sandbox, random, url, init), // not done, and answered as if another were
    async () => Response.redirect('https://elsewhere.example/', 307),
    async () => new Response('{"success":false,"error":{"code":"UNAUTHORIZED","message":"no"}}', { status: 401 }),
  ];
  return async (url, init) => {
    const fault = random() < FAULTY ? oneOf(random, faults) : undefined;
    const before = traffic.unsent;
    traffic.sent += 1;
    try {
      return await (fault ?? pass)(url, init);
    } finally {
      traffic.sent -= traffic.unsent - before;
    }
  };
}

/** A whole and correct success that is about another order. */
function ofAnother(sandbox: Sandbox, random: Random, url: string, { body }: FetchInit): Response {
  const [named = ''] = new URL(url).pathname.split('/').slice(-1);
  const asked: unknown = body === null ? decodeURIComponent(named) : JSON.parse(body).external_id;
  const others = sandbox.invoices().filter(({ external_id, uuid }) => external_id !== asked && uuid !== asked);
  const data = others[below(random, others.length)];
  return Response.json({ success: true, data }, { status: 201 });
}

function broken(code: string, syscall = 'read'): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code, syscall }) });
}

function limited(random: Random): ResponseInit {
  return { status: 429, headers: random() < 0.5 ? { 'retry-after': String(below(random, 40)) } : {} };
}

async function quietly(work: Promise<unknown>): Promise<void> {
  await work.catch(() => {});
}

function never(signal: AbortSignal): Promise<Response> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

/** Half of the body, and then nothing. */
async function stalled(answer: Response): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const half = bytes.slice(0, bytes.length / 2);
  const body = new ReadableStream({ start: (controller) => controller.enqueue(half) });
  return new Response(body, { status: answer.status });
}
