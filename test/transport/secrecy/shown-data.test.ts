import { describe, expect, test } from 'vitest';
import { Redactor } from '../../../src/transport/secrecy/redact.ts';
import { shownData } from '../../../src/transport/secrecy/shown-data.ts';

const KEY = 'sk_live_4f+9';
const HIDDEN = '[redacted]';

describe('data of an answer', () => {
  const redactor = new Redactor([KEY]);
  const copyOf = (value: unknown) => shownData(value, (text, max) => redactor.beginning(text, max));

  test('is copied with every text and name redacted', () => {
    const data = { [KEY]: 1, list: [KEY, { deep: `is ${KEY}` }], none: null, flag: true, number: 7 };
    const copy = copyOf(data).data as Record<string, unknown>;
    expect(copy).toEqual({
      [HIDDEN]: 1,
      list: [HIDDEN, { deep: `is ${HIDDEN}` }],
      none: null,
      flag: true,
      number: 7,
    });
    expect(Object.getOwnPropertyDescriptor(copy, 'flag')).toMatchObject({ configurable: true, writable: true });
    expect(data.list[0]).toBe(KEY);
  });

  test('keeps what is not plain data as it is', () => {
    const data = { at: new Date(0), map: new Map([[KEY, 1]]) };
    const copy = copyOf(data).data as typeof data;
    expect(copy.at).toBe(data.at);
    expect(copy.map).toBe(data.map);
  });

  test('keeps a member called __proto__ a member', () => {
    const copy = copyOf(JSON.parse('{"__proto__":{"isAdmin":true}}')).data as object;
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Object.keys(copy)).toEqual(['__proto__']);
  });

  test('has no member that another package has put on every object', () => {
    Object.defineProperty(Object.prototype, 'polluted', { value: 'x', enumerable: true, configurable: true });
    const names = Object.keys(copyOf({ own: 1 }).data as object);
    Reflect.deleteProperty(Object.prototype, 'polluted');
    expect(names).toEqual(['own']);
  });

  test.each([
    ['objects', (value: unknown) => ({ in: value }), (value: unknown) => (value as { in: unknown }).in],
    ['lists', (value: unknown) => [value], (value: unknown) => (value as unknown[])[0]],
  ])('is cut at 24 levels of %s', (_name, wrap, open) => {
    let nested: unknown = { bottom: 1 };
    for (let level = 0; level < 24; level += 1) nested = wrap(nested);
    let copy = copyOf(nested).data;
    for (let level = 0; level < 24; level += 1) copy = open(copy);
    expect(copy).toBe('[nested too deeply]');
    let whole = copyOf(open(nested)).data;
    for (let level = 0; level < 23; level += 1) whole = open(whole);
    expect(whole).toEqual({ bottom: 1 });
  });

  test('is cut at 1,000 members and 24,000 characters, and says so', () => {
    const many = copyOf(Array.from({ length: 3_000 }, () => ({})));
    expect(many).toMatchObject({ data: { length: 1_000 }, isCut: true });
    const wide = copyOf(Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`m${index}`, index])));
    expect(Object.keys(wide.data as object)).toHaveLength(1_000);
    expect(wide.isCut).toBe(true);
    const texts = copyOf(Array.from({ length: 100 }, () => 'x'.repeat(5_000)));
    expect(JSON.stringify(texts.data).length).toBeLessThan(25_000);
    expect(texts.isCut).toBe(true);
    expect(copyOf(Array.from({ length: 1_000 }, () => 1)).isCut).toBe(false);
    expect(copyOf({ long: 'x'.repeat(9_000) })).toEqual({ data: { long: 'x'.repeat(1_000) }, isCut: false });
    expect(copyOf({ ['n'.repeat(9_000)]: 1 })).toEqual({ data: { ['n'.repeat(200)]: 1 }, isCut: false });
  });

  test.each([[null], [undefined], [7], [true], [[]], [{}]])('%j is itself', (value) => {
    expect(copyOf(value)).toEqual({ data: value, isCut: false });
  });
});
