import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { parseDuration } from '../src/sandbox/option-checks.ts';
import { measureCosts } from './simulate/costs.ts';
import { type OutageResult, playOutage } from './simulate/outage.ts';
import { FAULTS } from './simulate/process-store.ts';
import { STORES } from './simulate/shop-store.ts';

// `npm run simulate`: an outage of a fleet of real webhook handlers over one real store, on a virtual clock. The service
// delivers by the schedule of the interface, and processes die with their claims. No order may be lost or fulfilled twice.

const { values } = parseArgs({
  options: {
    /** A million is the scale of docs/scale.md, and takes ten times as long as this. */
    'orders-per-day': { type: 'string', default: '100000' },
    outage: { type: 'string', default: '6h' },
    receivers: { type: 'string', default: '4' },
    store: { type: 'string', default: 'memory' },
    /** Connections of each process. */
    pool: { type: 'string', default: '10' },
    /** Invoices that catchUp plays at once. A row for each: 0 is a shop without catchUp. */
    'catch-up': { type: 'string', default: '0,4,32' },
    /** The function of the merchant, and one of a thousand orders. */
    work: { type: 'string', default: '50ms' },
    'slow-work': { type: 'string', default: '90s' },
    seed: { type: 'string', default: '7' },
    /** Breaks the store on purpose: the run must end badly then. */
    fault: { type: 'string', default: 'none' },
  },
});

function count(name: 'orders-per-day' | 'receivers' | 'pool' | 'seed'): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1`);
  return value;
}

function word<Word extends string>(name: 'store' | 'fault', words: readonly Word[]): Word {
  const found = words.find((each) => each === values[name]);
  if (found === undefined) throw new Error(`--${name} takes ${words.join(', ')}`);
  return found;
}

const time = (milliseconds: number): string => {
  const minutes = milliseconds / 60_000;
  if (minutes === Number.POSITIVE_INFINITY) return 'never';
  if (minutes < 1) return `${(milliseconds / 1000).toFixed(0)} s`;
  return minutes < 120 ? `${minutes.toFixed(0)} min` : `${(minutes / 60).toFixed(1)} h`;
};
const number = (value: number): string => value.toLocaleString('en');

const COLUMNS: Readonly<Record<string, (result: OutageResult) => string>> = {
  Orders: ({ orders }) => number(orders),
  'Of the outage': ({ missed }) => number(missed),
  'Drained after': ({ drained }) => time(drained),
  'Longest wait': ({ longestWait }) => time(longestWait),
  Deliveries: ({ attempts }) => number(attempts.reached),
  Refused: ({ attempts }) => number(attempts.refused),
  'Peak, per second': ({ peak }) => peak.toFixed(0),
  'By catchUp': ({ counts }) => number(counts['by catchUp'] ?? 0),
  'Repeated deliveries': ({ counts }) => number(counts['duplicate'] ?? 0),
  'Done before catchUp': ({ counts }) => number(counts['done before catchUp'] ?? 0),
  'Taken over': ({ counts }) => number(counts['taken_over'] ?? 0),
  'Running, 409': ({ counts }) => number(counts['duplicate_running'] ?? 0),
  Connections: ({ connections }) => (connections === null ? '' : number(connections)),
  'Engine busy': ({ engine }) => `${(engine * 100).toFixed(0)} %`,
  Statements: ({ statements }) => statements?.toFixed(1) ?? '',
  Twice: ({ twice }) => number(twice.length),
  Lost: ({ lost }) => number(lost.length),
};

const store = word('store', STORES);
const costs = await measureCosts(store);
const options = {
  store,
  costs,
  fault: word('fault', FAULTS),
  ordersPerDay: count('orders-per-day'),
  receivers: count('receivers'),
  pool: count('pool'),
  seed: count('seed'),
  outage: parseDuration(values.outage, '--outage'),
  work: parseDuration(values.work, '--work'),
  slowWork: parseDuration(values['slow-work'], '--slow-work'),
  slowShare: 0.001,
};
console.log(
  `${store}, ${number(options.ordersPerDay)} orders a day, ${options.receivers} receivers with ${options.pool} connections, outage of ${values.outage}, seed ${options.seed}`,
);
console.log(
  `measured in this run: ${costs.processor.toFixed(2)} ms of a process for each delivery, ${costs.operation.toFixed(2)} ms of the engine for each of 2 operations (load ${loadavg()[0]?.toFixed(1)})`,
);
console.log(`stated: the function of the merchant takes ${values.work}, one of a thousand ${values['slow-work']}\n`);
console.log(`| catchUp, at once | ${Object.keys(COLUMNS).join(' | ')} |`);
console.log(`|---|${Object.keys(COLUMNS).fill('---|').join('')}`);
for (const catchUp of values['catch-up'].split(',').map(Number)) {
  if (!Number.isSafeInteger(catchUp) || catchUp < 0) throw new Error('--catch-up takes whole numbers from 0');
  const result = await playOutage({ ...options, catchUp });
  const cells = Object.values(COLUMNS).map((cell) => cell(result));
  console.log(`| ${catchUp === 0 ? 'none' : catchUp} | ${cells.join(' | ')} |`);
  for (const [wrong, orders] of [
    ['fulfilled twice', result.twice],
    ['lost', result.lost],
  ] as const) {
    if (orders.length === 0) continue;
    console.error(`${wrong}: ${orders.slice(0, 5).join(', ')}${orders.length > 5 ? ', …' : ''}`);
    process.exitCode = 1;
  }
}
