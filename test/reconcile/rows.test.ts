import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigurationError } from '../../src/errors/classes.ts';
import { type ReconcileOrder, reconcile } from '../../src/reconcile/index.ts';
import { found, invoice, NOW, order, serviceOf } from './shop.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'rec-rows-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const ids = Array.from({ length: 400 }, (_, at) => `order-${at}`);
const { client } = serviceOf(ids.map((id) => invoice(id)));
const hostile = ['a\nb', 'é€𝄞', '"quoted"', 'x'.repeat(512), '__proto__', '\ud800', ' '];

describe('rows beyond the memory', () => {
  it('go to files, and the result is the same', async () => {
    const strange = serviceOf([...ids, ...hostile].map((id) => invoice(id)));
    const orders = [...ids, ...hostile].map((id, at) => order(id, at % 50 === 0 ? { state: 'open' } : {}));
    const parent = folder();
    let most = 0;
    const onProgress = (): void => {
      const [run] = readdirSync(parent);
      if (run !== undefined) most = Math.max(most, readdirSync(join(parent, run)).length);
    };
    const inMemory = await found({ merchant: strange.client, orders: [...orders].reverse() });
    const onDisk = await found({ merchant: strange.client, orders, maxInMemory: 10, folder: parent, onProgress });
    expect(inMemory.kinds).toHaveLength(9);
    expect(onDisk.kinds.sort()).toEqual(inMemory.kinds.sort());
    expect(onDisk.summary).toEqual(inMemory.summary);
    expect(most).toBeGreaterThan(50);
    expect(readdirSync(parent)).toEqual([]);
  });

  it.each(['break', 'an error of the orders', 'an error of the service', 'abort'] as const)(
    'leave no file behind after %s',
    async (how) => {
      const parent = folder();
      const stop = new AbortController();
      let seen = 0;
      async function* orders(): AsyncGenerator<ReconcileOrder> {
        for (const id of ids) {
          yield order(id, { state: 'open' });
          seen = Math.max(seen, readdirSync(parent).length);
          if (id === 'order-300' && how === 'an error of the orders') throw new Error('the database is down');
          if (id === 'order-300' && how === 'abort') stop.abort();
        }
      }
      const broken = {
        ...client,
        invoices: { ...client.invoices, list: async () => Promise.reject(new Error('reset')) },
      };
      const merchant = how === 'an error of the service' ? broken : client;
      const run = reconcile({
        merchant,
        orders: orders(),
        now: NOW,
        maxInMemory: 10,
        folder: parent,
        signal: stop.signal,
      });
      const read = async (): Promise<void> => {
        for await (const _ of run) if (how === 'break') break;
      };
      if (how === 'break') await read();
      else await expect(read()).rejects.toThrow();
      expect(seen).toBe(1);
      expect(readdirSync(parent)).toEqual([]);
      if (how === 'break') expect(await run.summary()).toMatchObject({ complete: false, findings: 1 });
      else await expect(run.summary()).rejects.toThrow();
    },
  );

  it('need a folder that can be written', async () => {
    const orders = ids.map((id) => order(id));
    const run = found({ merchant: client, orders, maxInMemory: 10, folder: '/no/such/folder' });
    await expect(run).rejects.toThrow(ConfigurationError);
    await expect(run).rejects.toThrow(/cannot write to the folder of the option folder \(ENOENT\)/);
  });

  it('are refused where a runtime has no files, and not before', async () => {
    vi.stubGlobal('process', { ...process, getBuiltinModule: undefined });
    onTestFinished(() => void vi.unstubAllGlobals());
    const orders = ids.map((id) => order(id));
    expect((await found({ merchant: client, orders })).kinds).toEqual([]);
    const run = found({ merchant: client, orders, maxInMemory: 799 });
    await expect(run).rejects.toThrow(ConfigurationError);
    await expect(run).rejects.toThrow(/this runtime has no files/);
    expect(existsSync('/no/such/folder')).toBe(false);
  });

  it('that all have one id do not fill the memory with copies', async () => {
    const orders = Array.from({ length: 5_000 }, () => order('order-1'));
    const { entries, summary } = await found({
      merchant: client,
      orders,
      maxInMemory: 10,
      folder: folder(),
      lookup: (asked) => asked.filter((id) => id !== 'order-1').map((id) => order(id)),
    });
    expect(entries.filter(({ kind }) => kind === 'duplicate_order')).toEqual([]); // by now there is none
    expect(summary).toMatchObject({ orders: 5_000, findings: 1 });
  });
});
