import { Decimal as DecimalJs } from 'decimal.js';
import { beforeAll, expect, test, vi } from 'vitest';

// Schemas are built at the first use of their operation, because a process uses few of the operations.

const built: string[] = [];

vi.mock('zod/mini', async (original) => {
  const real: Record<string, unknown> = await original();
  const counted = Object.entries(real).map(([name, value]) => {
    if (typeof value !== 'function' || !/^[a-z_]/.test(name)) return [name, value];
    const build = (...given: unknown[]): unknown => {
      built.push(name);
      return value(...given);
    };
    return [name, build];
  });
  return Object.fromEntries(counted);
});

beforeAll(() => void vi.resetModules()); // a worker may run several files

test('the table of endpoints builds no schema before an endpoint is used', async () => {
  await import('../../src/contract/values/codecs.ts');
  const shared = built.splice(0); // the codecs of single values
  const { endpoints } = await import('../../src/contract/endpoints.ts');
  const resources = ['invoices', 'payment-methods', 'rates', 'withdrawals', 'webhooks'];
  for (const name of resources) await import(`../../src/resources/${name}.ts`);
  expect(built).toEqual([]);
  expect(shared.length).toBeGreaterThan(0); // building is counted

  endpoints['rates.list'].data([{ price: '1' }]);
  expect(built).toContain('looseObject');
});

test('an endpoint builds its schema once', async () => {
  const { endpoints } = await import('../../src/contract/endpoints.ts');
  const { data } = endpoints['invoices.list'];
  data(null);
  built.length = 0;
  data(null);
  data.structure?.();
  data.structure?.();
  expect(built).toEqual([]);
});

test('the Decimal of the package has no setting that a host made before it was loaded', async () => {
  vi.resetModules();
  const { modulo } = DecimalJs;
  DecimalJs.set({ modulo: DecimalJs.EUCLID });
  try {
    const { Decimal } = await import('../../src/contract/values/decimal.ts');
    expect(new Decimal(-5).mod(3).toFixed()).toBe('-2'); // as decimal.js does by default. Euclid's rule gives 1
  } finally {
    DecimalJs.set({ modulo });
  }
});
