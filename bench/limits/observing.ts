import { tracingChannel } from 'node:diagnostics_channel';
import { MerchantClient } from '../../src/client.ts';
import { heard, traced } from '../../src/tracing.ts';
import { figure } from './compare.ts';
import { inUse } from './dribble.ts';

const GUARDS = 20_000_000;
const TRACES = 500_000;

/** What tracing costs: the guard without a subscriber, and a trace with one. */
export async function observing(): Promise<void> {
  console.log('\nTracing channels');
  const began = cpuMs();
  let listeners = 0;
  for (let count = 0; count < GUARDS; count += 1) if (heard('call') !== null) listeners += 1;
  console.log(figure('guard, no subscriber', ((cpuMs() - began) * 1e6) / GUARDS, 1, 'ns'));
  if (listeners > 0) throw new Error('somebody listens');

  const work = async (): Promise<void> => {};
  const plain = await timeOf(work);
  const channel = tracingChannel('merchant-invoicing:call');
  const listen = (): void => {};
  channel.asyncEnd.subscribe(listen);
  const open = heard('call');
  if (open === null) throw new Error('the subscriber is not heard');
  const seen = await timeOf(() => traced(open, {}, work));
  channel.asyncEnd.unsubscribe(listen);
  console.log(figure('trace, one subscriber', seen - plain, 0, 'ns'));
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const began = cpuMs();
  for (let count = 0; count < TRACES; count += 1) await work();
  return ((cpuMs() - began) * 1e6) / TRACES;
}

/** CPU time of this process, which other processes disturb less than the clock. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

const CLIENTS = 10_000;

/** Time and memory of clients for many businesses. */
export function manyClients(): void {
  console.log(`\n${CLIENTS} clients of withOptions`);
  const merchant = new MerchantClient({ baseUrl: 'https://pay.example', apiKey: 'key-of-the-platform' });
  const before = inUse();
  const began = cpuMs();
  const clients = Array.from({ length: CLIENTS }, (_, shop) => merchant.withOptions({ apiKey: `key-of-shop-${shop}` }));
  const took = cpuMs() - began;
  const held = inUse() - before;
  console.log(`${figure('made', took, 0, 'ms')}  ${((took * 1e3) / CLIENTS).toFixed(1)} µs each`);
  console.log(`${figure('held', held / 2 ** 20, 1, 'MiB')}  ${(held / 1024 / clients.length).toFixed(1)} KiB each`);
}
