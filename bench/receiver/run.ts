// The receiver's throughput over each store on a real engine, beside the same loop by hand: `npm run bench -- receiver`.
// Each row handles its own deliveries one after the other, and then their repeats. The rows take turns.
import { signWebhook } from '../../src/webhooks/index.ts';
import { median } from '../limits/compare.ts';
import { openRows, type ReceiverRow } from './rows.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 9);
const DELIVERIES = Number(process.env['DELIVERIES'] ?? 100);
const SECRET = 'whsec_bench_0123456789';

export interface Delivery {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

interface Measured {
  readonly first: number[];
  readonly repeat: number[];
  readonly costs: { first: string; repeat: string };
}

let order = 0;
async function signed(count: number): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (let index = 0; index < count; index += 1) {
    order += 1;
    const body = new TextEncoder().encode(
      JSON.stringify({
        invoice_uuid: crypto.randomUUID(),
        external_id: `order-${order}`,
        status: 'success',
        amount: '25.00',
        credited_usdt: '26.861298',
        adjusted: false,
      }),
    );
    deliveries.push({ body, headers: { ...(await signWebhook(body, SECRET)) } });
  }
  return deliveries;
}

/** Deliveries per second. */
async function pass(row: ReceiverRow, deliveries: readonly Delivery[]): Promise<number> {
  const startedAt = performance.now();
  for (const delivery of deliveries) await row.deliver(delivery);
  return (deliveries.length * 1000) / (performance.now() - startedAt);
}

async function measure(rows: readonly ReceiverRow[]): Promise<Map<ReceiverRow, Measured>> {
  const results = new Map<ReceiverRow, Measured>();
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const row of rows) {
      const deliveries = await signed(DELIVERIES);
      const known = results.get(row) ?? { first: [], repeat: [], costs: { first: '', repeat: '' } };
      results.set(row, known);
      for (const kind of ['first', 'repeat'] as const) {
        const { statements, roundTrips } = row.counts;
        const speed = await pass(row, deliveries);
        if (round < 0) continue;
        known[kind].push(speed);
        const each = [row.counts.statements - statements, row.counts.roundTrips - roundTrips];
        known.costs[kind] = each.map((count) => (count / DELIVERIES).toFixed(0)).join(' / ');
      }
    }
  }
  return results;
}

const { rows, close } = await openRows(SECRET);
try {
  const results = await measure(rows);
  console.log(
    '| Store | First delivery, per second | Statements / round trips | Repeat, per second | Statements / round trips |',
  );
  console.log('|---|---|---|---|---|');
  for (const [row, { first, repeat, costs }] of results) {
    const speeds = [first, repeat].map((speeds) => median(speeds).toFixed(0));
    console.log(`| ${row.name} | ${speeds[0]} | ${costs.first} | ${speeds[1]} | ${costs.repeat} |`);
  }
  for (const row of rows) {
    if (row.fulfilled() !== (ROUNDS + 1) * DELIVERIES) throw new Error(`${row.name} fulfilled ${row.fulfilled()}`);
  }
} finally {
  await close();
}
