import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/io.ts';
import { createSandbox, MAGIC_OUTCOMES } from '../../src/sandbox/index.ts';
import { DELIVERY_FAULTS, REQUEST_FAULTS } from '../../src/sandbox/state/faults.ts';
import { firstLine, type Running, start } from './command-line.ts';

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
const sandboxPage = page('sandbox');
const cliPage = page('cli');

describe('docs/sandbox.md', () => {
  it('names every fault', () => {
    for (const fault of [...REQUEST_FAULTS, ...DELIVERY_FAULTS]) expect(sandboxPage).toContain(`\`${fault}\``);
  });
});

describe('docs/cli.md', () => {
  it('lists the exit codes', () => {
    const listed = [...cliPage.matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code));
    expect(listed).toEqual(Object.values(EXIT));
  });
});

describe('the curl session', () => {
  let run: Running;
  beforeAll(async () => {
    run = start(['sandbox', '--port', '0', '--json']);
    await run.until('baseUrl');
  });
  afterAll(async () => {
    run.interrupt();
    await run.ended;
  });

  it('does what it says', async () => {
    const [, session = ''] = /```sh\n([\s\S]*?)```/.exec(sandboxPage) ?? [];
    const script = session
      .replace('http://127.0.0.1:4010', firstLine(run.out()).baseUrl)
      .replaceAll(/^curl/gm, 'echo; curl');
    const out = await new Promise<string>((resolve, reject) => {
      execFile('bash', ['-euo', 'pipefail', '-c', script], (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}${stderr}`)),
      );
    });
    const [methods, created, moved, paid, again, second, underpaid, ...rest] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rest).toEqual([]);
    expect(methods.data).toHaveLength(9);
    expect(created).toMatchObject({ success: true, data: { external_id: 'pay-1', status: 'pending' } });
    expect(moved).toMatchObject({ ok: true });
    expect(paid.data).toMatchObject({ status: 'success', settled_amount_usdt: '26.861298' });
    expect(again).toMatchObject({
      success: false,
      error: { code: 'INVOICE_ALREADY_EXISTS', details: { status: 'success' } },
    });
    expect(second.data).toMatchObject({ external_id: 'order-1', status: 'pending' });
    expect(underpaid.result).toMatchObject({ status: 'success', is_adjusted: true });
  });
});

describe('magic outcomes', () => {
  const order = (external_id: string) => ({
    method: 'POST',
    headers: { 'X-Api-Key': 'sk_sandbox' },
    body: JSON.stringify({ external_id, customer_id: 'c', amount: '25.00', currency: 'EUR' }),
  });
  const create = (sandbox: ReturnType<typeof createSandbox>, id: string) =>
    sandbox.fetch(`${sandbox.url}/api/v1/external/invoices`, order(id));

  it.each([
    ['pay-1', 'success', '25.00', false],
    ['underpay-1', 'success', '12.50', true],
    ['overpay-1', 'success', '37.50', true],
    ['fail-1', 'fail', undefined, false],
    ['cancel-1', 'canceled', undefined, false],
    ['expire-1', 'expired', undefined, false],
  ])('%s ends as %s after a second', async (id, status, paid, adjusted) => {
    const sandbox = createSandbox({ magicOutcomes: true });
    await create(sandbox, id);
    await sandbox.advance(999);
    expect(sandbox.invoice(id).status).toBe('pending');
    await sandbox.advance(1);
    const { adjustment, ...invoice } = sandbox.invoice(id);
    expect(invoice).toMatchObject({ status, is_adjusted: adjusted });
    if (adjusted) expect(adjustment?.actual_amount_fiat).toBe(paid);
  });

  it('adjust- is paid, and corrected a minute later', async () => {
    const sandbox = createSandbox({ magicOutcomes: true });
    await create(sandbox, 'adjust-1');
    await sandbox.advance('1s');
    expect(sandbox.invoice('adjust-1')).toMatchObject({ status: 'success', is_adjusted: false });
    await sandbox.advance('1m');
    expect(sandbox.invoice('adjust-1')).toMatchObject({
      is_adjusted: true,
      adjustment: { actual_amount_fiat: '12.50' },
    });
  });

  it('are off unless asked for, leave other ids alone, and give way to what happened first', async () => {
    const off = createSandbox();
    await create(off, 'pay-1');
    await off.advance('1m');
    expect(off.invoice('pay-1').status).toBe('pending');
    const on = createSandbox({ magicOutcomes: true });
    await create(on, 'repay-1');
    await create(on, 'pay-2');
    await on.cancel('pay-2');
    await on.advance('1m');
    expect([on.invoice('repay-1').status, on.invoice('pay-2').status]).toEqual(['pending', 'canceled']);
  });

  it('say why they cannot', async () => {
    const sandbox = createSandbox({ magicOutcomes: true, methods: [] });
    expect((await create(sandbox, 'pay-1')).status).toBe(422); // no method, no currency
    const small = createSandbox({ magicOutcomes: true, dialect: { unpayableAmount: 'accepted' } });
    await small.fetch(`${small.url}/api/v1/external/invoices`, {
      ...order('x'),
      body: JSON.stringify({ external_id: 'pay-small', customer_id: 'c', amount: '1.00', currency: 'EUR' }),
    });
    await small.advance('1s');
    expect(small.invoice('pay-small').status).toBe('pending');
    expect(JSON.stringify(small.events())).toContain(
      'pay-small does not end as its name asks: No method takes 1.00 EUR',
    );
  });

  it('each word is its own: none begins another', () => {
    const words = MAGIC_OUTCOMES.map(({ prefix }) => prefix);
    for (const word of words) expect(words.filter((other) => other.startsWith(word))).toEqual([word]);
  });
});
