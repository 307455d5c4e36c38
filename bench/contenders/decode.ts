// A page from its text to Decimal and Date, JSON.parse included. The sources are read, because `dist` has no such function.
import { pageText, readPage } from '../answers/by-hand.ts';
import type { Contenders, Task } from '../harness/contender.ts';

const SIZES = [1, 10, 100, 1_000] as const;

async function byContract(count: number): Promise<Task> {
  const { listInvoices } = await import('../../src/contract/invoices.ts');
  const text = pageText(count);
  return () => {
    const read = listInvoices.data(JSON.parse(text));
    if (!read.ok) throw new Error('the page is not as the interface says');
    return read.value;
  };
}

function byHand(count: number): Task {
  const text = pageText(count);
  return () => readPage(JSON.parse(text));
}

async function bySchema(name: 'readFull' | 'readCompiled' | 'readLean'): Promise<Task> {
  const schemas = await import('./schemas.ts');
  const text = pageText(100);
  return () => schemas[name](JSON.parse(text));
}

export const contenders: Contenders = {
  ...Object.fromEntries(SIZES.map((size) => [`merchant-invoicing, ${size}`, () => byContract(size)])),
  ...Object.fromEntries(SIZES.map((size) => [`by hand, ${size}`, () => byHand(size)])),
  zod: () => bySchema('readFull'),
  'compiled zod': () => bySchema('readCompiled'),
  'lean compiled zod': () => bySchema('readLean'),
};
