import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { axe, sideways, withChromium } from '../browser/visit.ts';
import { installPacked } from '../support/consumer.ts';

// The shop of examples/shop as a merchant copies it: into a folder of its own, over the packed package.

const ROOT = join(import.meta.dirname, '../..');
const project = installPacked();
afterAll(() => project.remove());
const SHOP = join(project.folder, 'shop');
cpSync(join(ROOT, 'examples/shop'), SHOP, { recursive: true, filter: (path) => !path.endsWith('node_modules') });

/** A process in the folder of the shop, without the variables of this one. */
function spawned(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, args, { cwd: SHOP, env: { PATH: process.env['PATH'] ?? '', ...env } });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    said.out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    said.err += String(chunk);
  });
  return { child, said };
}

describe('examples/shop', () => {
  it('passes its own tests', async () => {
    const { child, said } = spawned(['--test', '--test-reporter=tap', 'test/*.test.ts']);
    const [code] = await once(child, 'close');
    expect([code, said.err], said.out).toEqual([0, '']);
    expect(said.out).toMatch(/^# fail 0$/m);
  });

  it('compiles', () => {
    const path = join(SHOP, 'tsconfig.json');
    const { config } = ts.readConfigFile(path, ts.sys.readFile);
    const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, SHOP);
    const program = ts.createProgram(fileNames, { ...options, typeRoots: [join(ROOT, 'node_modules/@types')] });
    const findings = ts
      .getPreEmitDiagnostics(program)
      .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
    expect([fileNames.length > 10, findings]).toEqual([true, []]);
  });

  it('names the variables that are missing for the live service', async () => {
    const { child, said } = spawned(['src/main.ts'], { MERCHANT_BASE_URL: 'https://pay.example.com' });
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(said.err).toContain('also set MERCHANT_API_KEY, MERCHANT_WEBHOOK_SECRET, PUBLIC_URL');
  });
});

/** Starts the shop with its sandbox. It ends with the test, by the signal of a deployment. */
async function started(): Promise<{ shop: string; sandbox: string; ended: () => Promise<unknown> }> {
  const { child, said } = spawned(['src/main.ts'], { PORT: '0' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the shop ended with ${code}: ${said.err}`)));
    child.stdout.on('data', () => {
      if (/sandbox {2}http/.test(said.out)) resolve();
    });
  });
  const [, shop = '', sandbox = ''] = /shop +(\S+)\nsandbox +(\S+)/.exec(said.out) ?? [];
  return {
    shop,
    sandbox,
    ended: async () => {
      const close = once(child, 'close');
      child.kill('SIGTERM');
      return [(await close)[0], said.err];
    },
  };
}

const inChromium = withChromium();

describe('examples/shop in a browser', () => {
  const phone = { viewport: { width: 360, height: 740 }, javaScriptEnabled: false };
  for (const [name, options] of [
    ['on a desktop', {}],
    ['on a phone without script', phone],
  ] as const) {
    inChromium(`leads from the cart to the paid order ${name}`, async (visit) => {
      const { shop, sandbox, ended } = await started();
      const { page, outside, trouble } = await visit([shop, sandbox], options);
      const address = String.raw`1 \"Harbour\" <Street>`;
      const isFine = async () => {
        expect(await sideways(page)).toBe(0);
        if (name === 'on a desktop') expect(await axe(page)).toEqual([]); // axe needs script
      };

      await page.goto(shop);
      await isFine();
      await page.getByLabel('Green tea, 100 g').fill('2');
      await page.getByRole('button', { name: 'To the checkout' }).click();
      await isFine();
      await page.getByLabel('Name').fill('Ada');
      await page.getByLabel('Address').fill(address);
      await page.getByRole('button', { name: 'Pay 25.00 EUR' }).dblclick();
      await expect.poll(() => page.url()).toContain(sandbox); // the second click may abort the first navigation
      await page.locator('button[value=pay]').click();
      await expect.poll(() => page.locator('.total').last().textContent()).toMatch(/Paid by Card\s*€25\.50/);
      await page.locator(`a[href^="${shop}/orders/"]`).first().click();
      await page.getByText('Paid. We will send your parcel.').waitFor();
      await isFine();
      expect(await page.getByText(address).count()).toBe(1);

      await page.goBack();
      await page.goBack();
      await page.goto(`${sandbox}/payments`);
      expect(await page.locator('main a.payment').count()).toBe(1);
      expect([outside, trouble]).toEqual([[], []]);
      expect(await ended()).toEqual([0, '']);
    });
  }
});
