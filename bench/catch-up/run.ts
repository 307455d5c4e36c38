// What `catchUp` costs: `npm run bench -- catch-up`. A generated list service holds the invoices, and no webhook arrives.
// The first table has the run without a cursor, the second the runs of a simulated year, or of DAYS days. A lost invoice
// fails the bench, and so does a run of more than 20 requests over lists that have an order. The last day of a year is
// played with the real client, which takes several times as long, and gives the time and the heap of a run. Times are CPU time of the
// process, the service included, because other work on the machine does not change it.
import { makeInvoices } from '../../scripts/catch-up/invoices.ts';
import { LIST_ORDERS, type ListOrder, ListService } from '../../scripts/catch-up/list-service.ts';
import { pageClient } from '../../scripts/catch-up/page-client.ts';
import { Shop } from '../../scripts/catch-up/shop.ts';
import { createRandom } from '../../src/sandbox/state/random.ts';
import type { CatchUpProgress } from '../../src/webhooks/index.ts';
import { inUse } from '../limits/dribble.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2025, 0, 1);
const DAYS = Number(process.env['DAYS'] ?? 365);
const SIZES = (process.env['SIZES'] ?? '10000,100000,1000000').split(',').map(Number);
const LATENCY = 200;

interface Year {
  readonly order: ListOrder;
  /** Time between two runs. */
  readonly every: number;
  /** The largest size that is played: a list without an order is read to its end each time. */
  readonly largest: number;
}

const YEARS: readonly Year[] = [
  { order: LIST_ORDERS[0], every: HOUR, largest: Number.POSITIVE_INFINITY },
  { order: LIST_ORDERS[1], every: HOUR, largest: 10_000 },
  { order: LIST_ORDERS[3], every: 2 * DAY, largest: 10_000 },
];

const mega = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
const number = (value: number): string => value.toLocaleString('en');

/** Milliseconds of CPU since an earlier look. */
function cpuSince(earlier: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(earlier);
  return (user + system) / 1000;
}

/** Looks at the heap at some pages of each list, after a garbage collection. `peak` is in bytes above that of the beginning. */
function heapLooks(looksOfList: number) {
  const base = inUse();
  let last = '';
  const looks = {
    peak: 0,
    onProgress({ status, page, totalPages }: CatchUpProgress): void {
      const place = `${status} ${page}`;
      if (place === last || page % Math.max(1, Math.floor(totalPages / looksOfList)) !== 0) return;
      last = place;
      looks.peak = Math.max(looks.peak, inUse() - base);
    },
  };
  return looks;
}

/** One run over everything. */
async function everything(count: number): Promise<string> {
  const invoices = makeInvoices(count, START, START + 365 * DAY, createRandom(7).next);
  const service = new ListService({ invoices, order: LIST_ORDERS[0], now: START + 366 * DAY });
  const shop = new Shop(service, invoices);
  const heap = heapLooks(3);
  const startedAt = process.cpuUsage();
  const { requests } = await shop.catchUp({ since: service.now, onProgress: heap.onProgress });
  const seconds = cpuSince(startedAt) / 1000;
  return `| ${number(count)} | ${number(requests)} | ${seconds.toFixed(1)} s | ${mega(heap.peak)} |`;
}

/** The runs of a year with a cursor. */
async function year(count: number, { order, every }: Year): Promise<string> {
  const share = (DAYS + 30) / 365;
  const invoices = makeInvoices(Math.round(count * share), START - 30 * DAY, START + DAYS * DAY, createRandom(7).next);
  const service = new ListService({ invoices, order, now: START, latency: LATENCY });
  const shop = new Shop(service, invoices);
  await shop.catchUp();
  const { merchant } = shop;
  shop.merchant = pageClient(service, invoices);
  const requests: number[] = [];
  let [bytes, last, played, timed] = [0, START, 0, 0];
  let startedAt = process.cpuUsage();
  const end = START + DAYS * DAY;
  for (let now = START + every; now <= end; now += every) {
    if (shop.merchant !== merchant && now > end - Math.max(DAY, every)) {
      shop.merchant = merchant;
      startedAt = process.cpuUsage();
      timed = requests.length;
    }
    service.advanceTo(now);
    last = service.now;
    const result = await shop.catchUp({ since: service.now }); // with a cursor: what finished since the last run
    played += result.played;
    requests.push(result.requests);
    bytes = Math.max(bytes, JSON.stringify(result.cursor).length);
  }
  const milliseconds = cpuSince(startedAt) / (requests.length - timed);
  const lost = shop.lost(last, invoices).length;
  if (lost > 0) process.exitCode = 1;
  service.advanceTo(end + every);
  const heap = heapLooks(Number.POSITIVE_INFINITY);
  await shop.catchUp({ since: service.now, onProgress: heap.onProgress }); // one more, because a look takes longer than a run
  const mean = requests.reduce((sum, each) => sum + each, 0) / requests.length;
  const most = Math.max(...requests);
  const isOrdered = order !== 'none';
  if (isOrdered && most > 20) process.exitCode = 1;
  return `| ${number(count)} | ${order} | ${number(requests.length)} | ${number(played)} | ${lost} | ${mean.toFixed(1)} | ${most} | ${milliseconds.toFixed(1)} ms | ${mega(heap.peak)} | ${(bytes / 1024).toFixed(1)} kB |`;
}

console.log('| Invoices | Requests | CPU | Heap |\n|---|---|---|---|');
for (const size of SIZES) console.log(await everything(size));
console.log(
  '\n| Invoices a year | Order of the lists | Runs | Played | Lost | Requests a run | Most | CPU of a run | Heap | Cursor |\n|---|---|---|---|---|---|---|---|---|---|',
);
for (const shape of YEARS) {
  for (const size of SIZES.filter((size) => size <= shape.largest)) console.log(await year(size, shape));
}
