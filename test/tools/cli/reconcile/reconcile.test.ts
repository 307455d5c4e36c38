import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../../../src/tools/sandbox/index.ts';
import { testSandbox } from '../../../support/test-sandbox.ts';
import { cli } from '../command-line.ts';

const HEADER = 'external_id,amount,currency,credited_usdt,state\n';
const DAY = 86_400_000;

/** A sandbox with a paid order, an unpaid one and one that was corrected, a week ago. */
async function service(options: SandboxOptions = {}) {
  const sandbox = testSandbox({
    seed: 7,
    now: Date.now() - 7 * DAY,
    seedData: {
      invoices: ['fine', '=cmd|calc', 'fine-too'].map((external_id) => ({
        external_id,
        customer_id: 'c',
        amount: '25.00',
        currency: 'EUR',
        status: 'success' as const,
        age: '3d',
      })),
    },
    ...options,
  });
  const { url } = await sandbox.listen();
  const folder = mkdtempSync(join(tmpdir(), 'rec-cli-'));
  onTestFinished(async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = { MERCHANT_BASE_URL: url, MERCHANT_API_KEY: sandbox.apiKey };
  const file = (text: string | Uint8Array, name = 'orders.csv'): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const run = (text: string | Uint8Array, ...flags: string[]) =>
    cli(['reconcile', '--orders', file(text), ...flags], { env });
  return { sandbox, env, file, run };
}

const FINE = `${HEADER}fine,25.00,EUR,26.861298,fulfilled\nfine-too,25.000,eur,,paid\n=cmd|calc,25,EUR,26.8612980,fulfilled\n`;

describe('reconcile', () => {
  it('is code 0 when all match, and says how many', async () => {
    const { run } = await service();
    const { code, out, err } = await run(FINE);
    expect([code, err]).toEqual([0, '']);
    const [about = '', ...lines] = out.split(/(?<=UTC)\n/);
    expect(about).toMatch(
      /^ {4}orders\.csv, 3 orders · all invoices · read\s+from\s+127\.0\.0\.1:\d+\s+on\s+\d+\s+\w+\s+\d{4},\s+\d\d:\d\d\s+UTC$/,
    );
    expect(lines.join('\n')).toBe(
      '  ✓ All 3 orders match.\n    3 orders: 3 matched\n    3 invoices, 0 paid or pending without an order\n',
    );
  });

  it('says one order, and not 1 orders', async () => {
    const { run } = await service({ seedData: { invoices: [] } });
    const { out } = await run(`${HEADER}fine,25.00,EUR,,canceled\n`);
    expect(out.split(/(?<=UTC)\n/)[1]).toBe(
      '  ✓ 1 order matches.\n    1 order: 1 matched\n    0 invoices, 0 paid or pending without an order\n',
    );
  });

  it('is code 1 for findings, each with its remedy', async () => {
    const { run } = await service();
    const { code, out } = await run(FINE.replace('26.861298,fulfilled', ',open'));
    expect(code).toBe(1);
    expect(out).toMatch(/UTC\n {2}✗ €25\.00 is paid and not given\.\n/); // the money and the verdict first
    expect(out).toContain('  Fulfil, or refund: paid in full, not given (1 order, €25.00)\n');
    expect(out).toMatch(/\n {2}fine {3}€25\.00 {6}26\.861298 {2}\d\d \w{3} \d\d:\d\d {5}2\n/);
  });

  it('is code 2 where a row cannot be compared, and names its line', async () => {
    const { run } = await service();
    const { code, out } = await run(`${FINE}"two\nlines",25.00\n,1,EUR,,open\n`);
    expect(code).toBe(2);
    expect(out).toContain('  ? 2 could not be compared.\n');
    expect(out).toContain('  Not compared (2)\n  Correct each problem, and run again.\n');
    expect(out).toMatch(/two lines {2}5 {5}order_malformed {2}The record has 2 fields/);
    expect(out).toMatch(/\n {13}7 {5}order_malformed/);
  });

  it.each([
    ['', false],
    [new Date(Date.now() - DAY).toISOString(), true],
  ])('an order that was fulfilled and not paid, changed at %j, is confirmed: %j', async (changed_at, confirmed) => {
    const pending = { external_id: 'waits', customer_id: 'c', amount: '25.00', currency: 'EUR', age: '20m' };
    const { run, file } = await service({ now: Date.now(), seedData: { invoices: [pending] } });
    const csv = `external_id,amount,currency,state,changed_at\nwaits,25.00,EUR,fulfilled,${changed_at}\n`;
    const json = JSON.stringify({ external_id: 'waits', amount: '25.00', currency: 'EUR', state: 'paid', changed_at });
    for (const text of [csv, json]) {
      const { out } = await run(text, '--json');
      expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ kind: 'fulfilled_not_paid', confirmed });
      const path = file('', 'report.html');
      const told = await run(text, '--html', path);
      for (const each of [told.out, readFileSync(path, 'utf8')])
        expect(each.includes('not confirmed')).toBe(!confirmed);
    }
  });

  it('prints JSON lines, the summary last', async () => {
    const { run } = await service();
    const { code, out, err } = await run(FINE.replace('25.000', '20.00'), '--json');
    expect([code, err]).toEqual([1, '']);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      {
        kind: 'amount_differs',
        external_id: 'fine-too',
        expected: '20',
        actual: '25',
        difference: '5',
        confirmed: true,
        order: 'fine-too',
        row: { place: 'line 3' },
      },
      {
        kind: 'summary',
        matched: 2,
        findings: 1,
        kinds: { amount_differs: 1 },
        currencies: [{ currency: 'EUR', paidNotGiven: '0', givenNotPaid: '0', paidTooMuch: '5' }],
      },
    ]);
  });

  it('has a table for each thing to do, equal advice once, in 80 columns, and the same on one page', async () => {
    const { run, sandbox } = await service();
    for (const [external_id, amount] of [
      ['less-1', '17'],
      ['less-2', '24.5'],
      ['more', '30'],
    ] as const) {
      sandbox.create({ external_id, amount: '25.00', currency: 'EUR' });
      await sandbox.pay(external_id, { amount });
    }
    for (let at = 1; at <= 30; at += 1)
      sandbox.create({ external_id: `<b>stray-${at}`, amount: '5.00', currency: 'EUR' });
    const orders = `${FINE}less-1,25.00,EUR,,fulfilled\nless-2,25.00,EUR,,paid\nmore,25,EUR,,paid\n${'x'.repeat(90)},9,EUR,,paid\n`;
    const folder = mkdtempSync(join(tmpdir(), 'rec-page-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'report.html');
    const { code, out } = await run(orders, '--grace', '0s', '--html', path);
    expect(code).toBe(1);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(out).toMatch(/UTC\n {2}✗ €17\.50 is given and not paid\.\n {4}7 orders: 3 matched, 4 to decide\n/);
    // Each order once, the most money first, and the sums of the sections are those of the top.
    expect(out).toMatch(
      /EUR +€0\.00 +€17\.50 +€5\.00\n.*\(1 order, €9\.00\).*\(2 orders, €8\.50\).*\(1 order, €5\.00\)/s,
    );
    expect(out.match(/given, and paid less \(2 orders, €8\.50\)\n {2}If you accept, lower the amount/g)).toHaveLength(
      1,
    );
    expect(out).toMatch(/less-1 +€25\.00 +€17\.00 +€8\.00 .*\n {2}less-2 +€25\.00 +€24\.50 +€0\.50/);
    expect(out).toMatch(/more +€25\.00 +€30\.00 +€5\.00/);
    expect(out.match(/stray-/g)).toHaveLength(30);
    expect(out.split('\n').filter((line) => line.includes('stray-')).length).toBeLessThan(12); // folded
    const page = readFileSync(path, 'utf8');
    const text = (markup: string) =>
      markup
        .replace(/<style>.*<\/style>|<[^>]*>/gs, ' ')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>');
    const words = (all: string) =>
      new Set(all.split(/[\s·().,:]+/).filter((word) => word !== '' && !/[✗…]|^x+$/.test(word)));
    const rest = out.replace(/^.*Paid, not given.*\n.*\n/m, ''); // the page has words of its own for the sums
    expect([...words(rest)].filter((word) => !words(text(page)).has(word))).toEqual([]);
    expect(page.match(/type="checkbox" aria-label="less-1: done"/g)).toHaveLength(1);
    expect(page).not.toMatch(/<b>|<script|<link|<img|url\(|https?:/);
    expect((await run(FINE, '--html', folder)).err).toContain('cannot write');
  });

  it('has a line for each currency, the most money first, without sums of zero', async () => {
    const { run, sandbox, file } = await service();
    for (const [external_id, currency, paid] of [
      ['more', 'BRL', '155.50'],
      ['less', 'TRY', '1990.00'],
      ['new', 'EUR', '150.00'],
    ] as const) {
      sandbox.create({ external_id, amount: currency === 'TRY' ? '2000.00' : '150.00', currency });
      await sandbox.pay(external_id, { amount: paid });
    }
    const rows = 'more,150.00,BRL,,fulfilled\nless,2000.00,TRY,,fulfilled\nnew,150.00,EUR,,open\n';
    const path = file('', 'report.html');
    const { out } = await run(FINE + rows, '--grace', '0s', '--html', path);
    expect(out).toMatch(/Paid too much\n {2}EUR +€150\.00\n {2}TRY +TRY 10\.00\n {2}BRL +R\$5\.50\n/);
    const page = readFileSync(path, 'utf8');
    expect(page.match(/<td data-label="Currency"><strong>(\w+)/g)).toHaveLength(3);
    expect(page).not.toMatch(/[€$ ]0\.00/);
  });

  it('has each currency of an order with its money', async () => {
    const { run, sandbox } = await service({ seedData: { invoices: [] } });
    for (const [external_id, amount, currency] of [
      ['O', '100.00', 'EUR'],
      ['O--1', '6.00', 'USD'],
      ['P', '25.00', 'EUR'],
      ['P--1', '25.00', 'EUR'],
      ['P--2', '7.00', 'USD'],
      ['Q', '10.00', 'EUR'],
      ['Q--1', '16.00', 'USD'],
    ] as const) {
      sandbox.create({ external_id, amount, currency });
      await sandbox.pay(external_id);
    }
    const rows = 'O,100.00,EUR,,open\nP,25.00,EUR,,fulfilled\nQ,25.00,EUR,,fulfilled\n';
    const { out } = await run(HEADER + rows, '--grace', '0s');
    expect(out).toMatch(/✗ €100\.00 and \$6\.00 are paid and not given\. €15\.00 is given and not paid\.\n/);
    expect(out).toMatch(/EUR +€100\.00 +€15\.00 +€25\.00\n {2}USD +\$6\.00 +\$23\.00\n/);
    expect(out).toMatch(/paid in full, not given \(1 order, €100\.00, \$6\.00\)\n.*\n {2}O +€100\.00 and \$6\.00 /);
    expect(out).toMatch(/paid twice \(1 order, €25\.00, \$7\.00\)\n.*\n {2}P +€25\.00 +3 +€25\.00 and \$7\.00 /);
    expect(out).toMatch(
      /another currency \(1 order, €15\.00, \$16\.00\)\n.*\n.*\n {2}Q +€25\.00 +€10\.00 and \$16\.00 /,
    );
  });

  it('tells to stop or wait where the invoice is open, and counts USDT with its decimals', async () => {
    const { run, sandbox } = await service({ now: Date.now() });
    sandbox.create({ external_id: 'open', amount: '25.00', currency: 'EUR', customer_id: 'c' });
    sandbox.create({ external_id: 'failed', amount: '1500.00', currency: 'EUR' });
    await sandbox.fail('failed');
    sandbox.create({ external_id: 'large', amount: '1500.00', currency: 'EUR' });
    await sandbox.pay('large');
    sandbox.create({ external_id: 'lira', amount: '5000.00', currency: 'TRY' });
    const rows = ['open,25.00,EUR', 'failed,1500.00,EUR', 'lira,5000.00,TRY'].map((row) => `${row},,fulfilled\n`);
    const { out } = await run(`${FINE}${rows.join('')}large,1500.00,EUR,50,fulfilled\n`, '--grace', '0s');
    expect(out).toMatch(/✗ TRY 5,000\.00 and €1,525\.00 are given\s+and\s+not\s+paid\./);
    expect(out).toMatch(
      /Stop, or wait: given, and not paid yet \(2 orders, TRY 5,000\.00,\s+€25\.00\)\n {2}The invoice is open/,
    );
    expect(out).toMatch(/failed +€1,500\.00 +failed/);
    expect(out).toMatch(/large +1,\d{3}\.\d{6} +50\.000000/);
  });

  it('has an order once, under the strongest advice, and both sums in the headline', async () => {
    const { run, sandbox } = await service();
    const id = '3f2a9c1e-7b54-4d8e-9a10-6c2f5e8b7d41';
    for (const [external_id, amount] of [
      ['part', '17'],
      [id, '25'],
      [`${id}--1`, '25'],
    ] as const) {
      sandbox.create({ external_id, amount: '25.00', currency: 'EUR' });
      await sandbox.pay(external_id, { amount });
    }
    sandbox.create({ external_id: 'gone', amount: '25.00', currency: 'EUR' });
    await sandbox.expire('gone');
    const rows = `part,25.00,EUR,1,open\ngone,25.00,EUR,,fulfilled\n${id},25.00,EUR,,open\n`;
    const { out } = await run(FINE + rows, '--grace', '0s', '--shop', 'Northwind Books');
    expect(out).toMatch(/^ {4}Northwind Books · orders\.csv, 6 orders/);
    expect(out).toMatch(/✗ €67\.00 is paid and not given\. €25\.00 is given and not paid\.\n/);
    for (const name of ['part', 'gone', id]) expect(out.split(`\n  ${name}`), name).toHaveLength(2);
    expect(out).toMatch(/\(1 order, €50\.00\)\n.*paid\s+twice.*\(1 order, €25\.00\).*\(1\s+order, €17\.00\)/s);
    expect(out).toMatch(/part +€25\.00 +€17\.00 +€8\.00 .*another\s+credit\s+booked/);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('reads parts, what went back, and the renewals of an order from a file', async () => {
    const { run, sandbox } = await service({ seedData: { invoices: [] } });
    for (const [external_id, amount] of [
      ['7', '17'],
      ['7-rest', '8'],
      ['8', '25'],
      ['9--1', '25'],
    ] as const) {
      sandbox.create({ external_id, amount, currency: 'EUR' });
      await sandbox.pay(external_id);
    }
    const header = 'external_id,order,part,amount,currency,state,refunded_amount\n';
    const rows = (yes: string) =>
      `${header}7,,${yes},17.00,EUR,fulfilled,\n7-rest,7,${yes},8.00,EUR,fulfilled,\n8,,,15,EUR,fulfilled,10.00\n9,,,25,EUR,paid,\n`;
    for (const yes of ['true', 'T', '1']) {
      const { code, out } = await run(rows(yes), '--grace', '0s');
      expect([code, out]).toEqual([0, expect.stringContaining('4 orders: 4 matched')]);
    }
    const unsaid = await run(rows(''), '--grace', '0s');
    expect([unsaid.code, unsaid.out]).toEqual([
      2,
      expect.stringMatching(/7-rest +3 +part_not_said .*Write\s+"part":\s+true/s),
    ]);
    const wrong = await run(rows('maybe'), '--grace', '0s');
    expect(wrong.out).toMatch(/"part"\s+must\s+be\s+true\s+or\s+false,\s+not\s+"maybe"/);
  });

  it('names ids that a spreadsheet or a CHAR column changed in one line, with code 1 and nothing else', async () => {
    const { run, sandbox } = await service({ seedData: { invoices: [] } });
    for (const external_id of ['00012345', '20261128000012345', 'o-1', 'plain-1']) {
      sandbox.create({ external_id, amount: '25.00', currency: 'EUR' });
      await sandbox.pay(external_id);
    }
    const rows = ['12345', '20261128000012300', '"o-1   "', 'plain-1'].map((id) => `${id},25.00,EUR,,fulfilled\n`);
    const { code, out } = await run(HEADER + rows.join(''), '--grace', '0s');
    expect(code).toBe(1);
    expect(out).toMatch(
      /\n {2}\? 3 could not be compared\.\n {4}4 orders: 1 matched, 3 not compared\n.* 0 paid or pending/,
    );
    const [, folded = ''] = out.split('\n\n  3 ids were changed by a spreadsheet or a CHAR column\n');
    expect(folded).toMatch(/as text.*\n {4}"12345" \(line 2\), "20261128000012300" \(line 3\), "o-1 " \(line 4\)\n$/s);
  });

  it('reads from standard input, with a byte-order mark, capitals and spaces', async () => {
    const { env } = await service();
    const input =
      '\ufeffExternal_ID,Amount,Currency,State\r\nfine,25.00,EUR,Fulfilled\r\nfine-too, 25 ,EUR,paid\r\n"=cmd|calc",25,EUR,paid\r\n';
    const { code, out, err } = await cli(['reconcile', '--orders', '-'], { env, input });
    expect([code, err, out]).toEqual([0, '', expect.stringContaining('3 matched')]);
  });

  it('compares a period and a grace', async () => {
    const { run } = await service();
    const { out } = await run(HEADER, '--since', '2d', '--json');
    expect(JSON.parse(out)).toMatchObject({ kind: 'summary', invoices: 3, findings: 0 });
    const young = await run(FINE.replaceAll('fulfilled', 'open'), '--grace', '60d', '--json');
    expect(JSON.parse(young.out)).toMatchObject({ matched: 1, withinGrace: 2, findings: 0 });
    expect(young.code).toBe(0);
  });

  it('reads JSON lines', async () => {
    const { run } = await service();
    const order = { external_id: 'fine', amount: '25.00', currency: 'EUR', state: 'fulfilled' };
    const lines = ['fine', 'fine-too', '=cmd|calc'].map((external_id) => JSON.stringify({ ...order, external_id }));
    const { code, out } = await run(`${lines.join('\n')}\n\n`);
    expect([code, out]).toEqual([0, expect.stringContaining('3 orders: 3 matched')]);
    const torn = await run(`${lines.join('\n')}\n{"a"\n5\n{"external_id":"x","amount":5}\n`);
    expect(torn.code).toBe(2);
    expect(torn.out).toMatch(/\n {9}4 .*not a.*JSON object.*\n {9}5 .*x +6 {5}order_malformed/s);
  });

  it('names a state and an amount that it does not know', async () => {
    const { run } = await service();
    const { code, out } = await run(
      `${HEADER}fine,25.00,EUR,,Shipped\n"=cmd|calc","1.234,50",EUR,,paid\nfine-too,25,EUR,,paid\n`,
    );
    expect(code).toBe(2);
    expect(out).toMatch(/not\s+"shipped"/);
    expect(out).toContain('"amount" must be a decimal string');
    expect(out).toContain('3 orders: 1 matched, 2 not compared\n    3 invoices, 0 paid or pending without an order');
  });

  it.each(['1.04E+15', '1.04e+15', '"1,04E+15"'])('names the id %s in the line of changed ids', async (id) => {
    const { run, sandbox } = await service();
    sandbox.create({ external_id: '1040000000000001', amount: '25.00', currency: 'EUR' });
    await sandbox.pay('1040000000000001');
    const rows = `${id},25.00,EUR,,open\n${FINE.slice(HEADER.length)}`;
    const { code, out } = await run(HEADER + rows, '--grace', '0s');
    expect([code, out]).toEqual([1, expect.stringMatching(/\n {2}\? 1 could not be compared\./)]);
    const [, folded = ''] = out.split('\n\n  1 id was changed by a spreadsheet or a CHAR column\n');
    expect(folded).toContain(`"${id.replaceAll('"', '')}" (line 2)\n`);
    expect(out).not.toMatch(/order_malformed|Find the order|Create/);
  });

  it('is no green where nothing was compared', async () => {
    const { run, sandbox } = await service({ now: Date.now(), seedData: { invoices: [] } });
    const none = await run(HEADER);
    expect([none.code, none.out]).toEqual([
      2,
      expect.stringContaining('\n  ? The file of orders has no order: nothing was compared.\n'),
    ]);
    sandbox.create({ external_id: 'new', amount: '25.00', currency: 'EUR' });
    await sandbox.pay('new');
    const { code, out } = await run(`${HEADER}new,25.00,EUR,,open\n`);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('\n  ? 0 orders match, and 1 is too recent to compare.\n'),
    ]);
  });

  it('counts the lines of a file with mixed line ends', async () => {
    const { run } = await service({ seedData: { invoices: [] } });
    const rows = ['a', 'b', 'c'].map((id) => `${id},25.00,EUR,,`);
    for (const text of [
      `${HEADER}${rows.join('\r\n')}\r\n`,
      `${HEADER.replace('\n', '\r\n')}${rows.join('\n')}\n`,
      `${HEADER}${rows.join('\n')}`,
      `${HEADER}${rows.join('\n')}`.replaceAll('\n', '\r'),
    ]) {
      const { out } = await run(text);
      expect(out, JSON.stringify(text)).toMatch(/\n {2}a +2 [\s\S]*\n {2}b +3 [\s\S]*\n {2}c +4 /);
    }
    const blank = await run(`${HEADER}\r\n${rows[0]}\r\n\r\n"two\r\nlines",,,,\n${rows[1]}\n`);
    expect(blank.out).toMatch(/\n {2}a +3 [\s\S]*\n {2}two lines +5 [\s\S]*\n {2}b +7 /);
  });

  it('names the row whose other id a spreadsheet has changed', async () => {
    const { run } = await service({ seedData: { invoices: [] } });
    const { code, out } = await run('external_id,order,amount,currency,state\n7-rest,1.04E+15,8,EUR,open\n');
    expect([code, out]).toEqual([1, expect.stringMatching(/CHAR column\n[\s\S]*"7-rest" \(line 2\)\n$/)]);
  });

  it('reads JSON lines with a byte-order mark, and refuses another encoding', async () => {
    const { run, sandbox } = await service({ seedData: { invoices: [] } });
    sandbox.create({ external_id: 'bestellung-ä', amount: '25.00', currency: 'EUR' });
    await sandbox.pay('bestellung-ä');
    const line = '{"external_id":"bestellung-ä","amount":"25.00","currency":"EUR","state":"paid"}\n';
    const { code, out } = await run(`\ufeff${line}`, '--grace', '0s');
    expect([code, out]).toEqual([0, expect.stringContaining('✓ 1 order matches.')]);
    const latin = await run(Buffer.from(line, 'latin1'), '--grace', '0s');
    expect(latin).toMatchObject({ code: 2, out: '', err: expect.stringContaining('the file is not UTF-8') });
    const cut = await run(`\ufeff${line}`.replace('ä', '\\ufffd'), '--grace', '0s'); // written so, and no sign of it
    expect(cut.out).toContain('1 order');
  });

  it('prints no control character and no line break of a file', async () => {
    const { run } = await service();
    const id = 'a\u001b[2J\u009bm\nb\u2028c';
    for (const flags of [[], ['--json']]) {
      const { out } = await run(`${HEADER}"${id}",25.00,EUR,,open\n${FINE.slice(HEADER.length)}`, ...flags);
      const line = out.split('\n').find((each) => /order_without_invoice|m b/.test(each));
      expect(line).toContain('b');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028]/);
    }
  });

  it.each([
    ['an empty file', ''],
    ['a JSON array', '[{"external_id":"fine"}]'],
    ['another encoding', Buffer.from(`${HEADER}größe,25.00,EUR,,open\n`, 'latin1')],
    ['a header without a column', 'id,amount\n1,2\n'],
    ['a column twice', 'external_id,amount,amount,currency,state\n'],
    ['semicolons', 'external_id;amount;currency;state\n', 'not separated by commas'],
    [
      'semicolons and quotes',
      'external_id;amount;currency;state\r\n"a;b";25,00;EUR;paid\r\n',
      'not separated by commas',
    ],
    ['the hint of a spreadsheet', 'sep=,\nexternal_id,amount,currency,state\n', 'remove it'],
    ['UTF-16 without a mark', Buffer.from(`${HEADER}a,25.00,EUR,,open\n`, 'utf16le'), 'is UTF-16'],
    ['UTF-16', Buffer.from(`\ufeff${HEADER}a,25.00,EUR,,open\n`, 'utf16le'), 'is UTF-16'],
    ['a workbook', 'PK\u0003\u0004\u0014\u0000', 'is a workbook'],
    ['a quote that is not closed', `${HEADER}"fine,25.00`],
  ])('is code 2 for %s', async (_name, text, says = '') => {
    const { run } = await service();
    const told = await run(text);
    expect(told.err).toContain(says);
    expect(told).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/^error: .+\n(?: {7}.+\n)* {2}try: npx merchant-inv/),
    });
  });
});
