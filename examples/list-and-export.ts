// Exports all paid invoices as CSV, page by page, with its progress.
import { createWriteStream, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Invoice, MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

const paid = {
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
  status: 'success' as const,
};
const invoices = Array.from({ length: 250 }, (_, index) => ({
  ...paid,
  external_id: `order-${index}`,
  age: '1d',
}));
const sandbox = createSandbox({
  seedData: {
    invoices: [{ ...paid, external_id: '=1+1', age: '2d' }, ...invoices],
  },
});
const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
});

/**
 * Quotes a cell. An apostrophe stops a spreadsheet from reading the cell as a
 * formula.
 */
const cell = (text: string) =>
  `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
const row = ({
  external_id,
  currency,
  amount,
  settled_amount_usdt,
  finished_at,
}: Invoice) =>
  [
    external_id,
    currency.code,
    amount.toFixed(2),
    settled_amount_usdt?.toFixed() ?? '',
    finished_at?.toISOString() ?? '',
  ]
    .map(cell)
    .join(',');

async function* rows() {
  // Excel needs the byte order mark
  yield '\uFEFForder,currency,amount,credited_usdt,finished_at\r\n';
  for await (const page of merchant.invoices
    .list({ status: 'success', per_page: 100 })
    .pages()) {
    console.log(`page ${page.page} of ${page.total_pages}`);
    for (const invoice of page.items) yield `${row(invoice)}\r\n`;
  }
}

const file = join(tmpdir(), `invoices-${process.pid}.csv`);
await pipeline(Readable.from(rows()), createWriteStream(file));
// → page 1 of 3
// → page 2 of 3
// → page 3 of 3
const lines = readFileSync(file, 'utf8').trimEnd().split('\r\n');
console.log(lines.length); // → 252
console.log(lines.at(-1)); // → "'=1+1","EUR","25.00","26.861298","…Z"
