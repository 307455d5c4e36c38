import { clientWithRuntime, type MerchantClient } from '../../src/client.ts';
import type { MerchantClientOptions } from '../../src/options.ts';
import type { Dialect, Sandbox, SandboxOptions } from '../../src/tools/sandbox/index.ts';
import { CLIENT_DIALECTS, type ClientDialect, clientDialect, signedAgain, speaking } from '../support/dialects.ts';
import { FakeRuntime, START, TIMEOUT } from '../support/fake-runtime.ts';
import { testSandbox } from '../support/test-sandbox.ts';

/** A webhook as it arrived at the merchant. */
export interface Arrived {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One sandbox, one client and one receiver in this process, on one clock that moves only when something waits. */
/** Every form of a service: those of the sandbox, and those that only the client sees. */
export type AnyDialect = Dialect & ClientDialect;

export interface Stage {
  readonly dialect: AnyDialect;
  readonly sandbox: Sandbox;
  /** Knows the query names of the withdrawals list. */
  readonly merchant: MerchantClient;
  readonly runtime: FakeRuntime;
  /** Webhooks so far, refused ones included. */
  readonly arrived: Arrived[];
  /** What the receiver answers: a status. */
  receive: (delivery: Arrived) => number | Promise<number>;
  /** Another client of the same sandbox, with options over the usual ones. */
  client(options?: MerchantClientOptions): MerchantClient;
}

/** One thing that a merchant relies on, whatever the dialect. Gets a stage of its own. */
export interface Behaviour {
  readonly name: string;
  run(stage: Stage): Promise<void>;
}

/** The business has nine withdrawals: five pending, three approved, one rejected. */
const WITHDRAWALS = Array.from({ length: 9 }, (_, index) => ({
  uuid: `5eed0000-0000-4000-8000-00000000000${index}`,
  actor: 'owner@merchant.example',
  balance_type: 'main',
  token: 'USDT',
  network: 'TRC20',
  address: 'TSandbox',
  amount: '250.000000',
  network_commission: '1.000000',
  amount_to_send: '249.000000',
  status: index < 5 ? ('pending' as const) : index < 8 ? ('approved' as const) : ('rejected' as const),
  created_at: `2026-01-2${index}T08:00:00.000Z`,
  logo_url: null,
  tx_hash: index < 5 ? null : '5eed',
  reject_reason: index < 8 ? null : 'Address is not on the allow list',
  processed_at: index < 5 ? null : `2026-01-2${index}T09:00:00.000Z`,
}));

const never = (signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));

export function stageOf(dialect: Partial<AnyDialect>, options: SandboxOptions = {}): Stage {
  const runtime = new FakeRuntime(0.5);
  const forms = Object.fromEntries(Object.entries(dialect).filter(([name]) => Object.hasOwn(CLIENT_DIALECTS, name)));
  const own = Object.fromEntries(Object.entries(dialect).filter(([name]) => !Object.hasOwn(CLIENT_DIALECTS, name)));
  const sandbox: Sandbox = testSandbox({
    seed: 7,
    now: START,
    dialect: own,
    withdrawals: WITHDRAWALS,
    wallClock: () => runtime.time,
    sleep: (_, signal) => never(signal),
    async fetch(_, init) {
      const sent = { headers: { ...(init.headers as Record<string, string>) }, body: String(init.body) }; // the sandbox sends a record
      const delivery = signedAgain(stage.dialect, sandbox.webhookSecret, sent);
      stage.arrived.push(delivery);
      return new Response(null, { status: await stage.receive(delivery) });
    },
    ...options,
  });
  const spoken = { ...sandbox.dialect, ...clientDialect(forms) };
  const isOther = sandbox.dialect.withdrawalQuery !== 'as_invoices';
  const client: Stage['client'] = (more = {}) =>
    clientWithRuntime(
      {
        baseUrl: 'https://pay.example.com',
        apiKey: sandbox.apiKey,
        fetch: speaking(spoken, sandbox.fetch),
        timeout: TIMEOUT,
        deadline: 10 * TIMEOUT,
        ...(isOther && { withdrawalQuery: { status: 'state', page: 'page_number', per_page: 'limit' } }),
        ...more,
      },
      runtime,
    );
  const stage: Stage = {
    dialect: spoken,
    sandbox,
    merchant: client(),
    runtime,
    arrived: [],
    receive: () => 200,
    client,
  };
  return stage;
}

export const ORDER = {
  external_id: 'order-1042',
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
  callback_url: 'http://localhost/webhook',
} as const;

/** Orders of their own, one after the other, so that each has a time of its own. */
export async function createMany(stage: Stage, count: number, currency = 'EUR'): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `order-${currency}-${index}`);
  for (const external_id of ids) {
    await stage.merchant.invoices.create({ ...ORDER, external_id, currency, amount: '150.00' });
    await stage.sandbox.advance(1000);
  }
  return ids;
}

/** What a single read of this invoice takes as its ident. */
export function identOf({ sandbox, dialect }: Stage, externalId: string): string {
  return dialect.invoiceReadIdent === 'uuid' ? sandbox.invoice(externalId).uuid : externalId;
}
