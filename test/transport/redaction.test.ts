import { describe, expect, test } from 'vitest';
import { Redactor } from '../../src/transport/redact.ts';

const KEY = 'sk_live_4f+9';
const HIDDEN = '[redacted]';

describe('a key', () => {
  test.each([
    ['alone', KEY, HIDDEN],
    ['in a sentence', `no such key ${KEY}, sorry`, `no such key ${HIDDEN}, sorry`],
    ['glued to others', `x${KEY}y`, `x${HIDDEN}y`],
    ['in another case', KEY.toUpperCase(), HIDDEN],
    ['twice', `${KEY}${KEY}`, HIDDEN + HIDDEN],
    ['in an address', 'sk_live_4f%2B9', HIDDEN],
    ['in a page', 'sk_live_4f&#43;9', HIDDEN],
    ['in a page, in hex', 'sk_live_4f&#x2b;9', HIDDEN],
    ['in a page, with zeros', 'sk_live_4f&#0043;9 sk_live_4f&#x002B;9', `${HIDDEN} ${HIDDEN}`],
    ['escaped', 'sk_live_4f\\u002b9', HIDDEN],
    ['escaped twice', 'sk_live_4f\\\\u002b9', HIDDEN],
    ['behind a slash', 'sk_live_4f\\+9', HIDDEN],
    ['with one letter off', 'sk_live_4f-9', 'sk_live_4f-9'],
    ['without its end', 'sk_live_4f', 'sk_live_4f'],
  ])('%s', (_name, text, shown) => {
    expect(new Redactor([KEY]).text(text)).toBe(shown);
  });

  test.each([
    ['<', '&lt;'],
    ['>', '&gt;'],
    ['&', '&amp;'],
    ['"', '&quot;'],
    ["'", '&apos;'],
    ['"', '\\"'],
    ['ж', '%D0%B6'],
    ['😀', '\\ud83d\\ude00'],
    ['😀', '%F0%9F%98%80'],
    ['.', '.'],
  ])('with %s as %s', (sign, spelled) => {
    const redactor = new Redactor([`ab${sign}cd`]);
    expect(redactor.text(`(ab${spelled}cd)`)).toBe(`(${HIDDEN})`);
    expect(redactor.text(`(ab${sign}cd)`)).toBe(`(${HIDDEN})`);
    expect(redactor.text('(abxcd)')).toBe('(abxcd)');
  });

  test('with half of a surrogate pair, which no address can hold', () => {
    expect(new Redactor(['a\ud83db']).text('xa\ud83dby')).toBe(`x${HIDDEN}y`);
  });

  test('a shorter one leaves nothing of a longer one behind', () => {
    for (const secrets of [
      ['key-1', 'key-12'],
      ['key-12', 'key-1'],
    ]) {
      expect(new Redactor(secrets).text('key-12 key-1')).toBe(`${HIDDEN} ${HIDDEN}`);
    }
  });

  test.each([
    ['of eight letters is no word', 'abcdefgh', 'xabcdefghy', `x${HIDDEN}y`],
    ['of seven is one', 'abcdefg', 'xabcdefgy', 'xabcdefgy'],
    ['of seven, alone', 'abcdefg', '"abcdefg"', `"${HIDDEN}"`],
    ['of seven, with a digit', 'abcdef1', 'xabcdef1y', `x${HIDDEN}y`],
  ])('%s', (_name, secret, text, shown) => {
    expect(new Redactor([secret]).text(text)).toBe(shown);
  });
});

describe('what one request carried', () => {
  const client = new Redactor([KEY]);

  test('is hidden besides, in its call only', () => {
    const call = client.hiding(['Two tickets']);
    expect(call.text(`Two tickets for ${KEY}`)).toBe(`${HIDDEN} for ${HIDDEN}`);
    expect(client.text('Two tickets')).toBe('Two tickets');
    expect(call.ofClient).toBe(client);
    expect(client.ofClient).toBe(client);
    expect(client.hiding([])).toBe(client);
  });

  test('as a word is hidden whole only: it may begin the name of a member', () => {
    const call = client.hiding(['customer', 'reference_text']);
    expect(call.text('customer, customers, my_customer, customer7')).toBe(
      `${HIDDEN}, customers, my_customer, customer7`,
    );
    expect(call.text('reference_text reference_texts')).toBe(`${HIDDEN} reference_texts`);
  });
});

describe('keys that a function gives', () => {
  test('are remembered, the empty one is not', () => {
    const redactor = new Redactor();
    redactor.add('');
    expect(redactor.text('abc')).toBe('abc');
    redactor.add('key-1');
    expect(redactor.text('key-1 key-2')).toBe(`${HIDDEN} key-2`);
    redactor.add('key-2');
    expect(redactor.text('key-1 key-2')).toBe(`${HIDDEN} ${HIDDEN}`);
  });

  test('the last 32 of them', () => {
    const redactor = new Redactor(['fixed-1']);
    for (let number = 0; number < 33; number += 1) redactor.add(`rotated-${number}.`);
    redactor.add('rotated-32.');
    expect(redactor.text('rotated-0. rotated-1. rotated-32. fixed-1')).toBe(`rotated-0. ${HIDDEN} ${HIDDEN} ${HIDDEN}`);
  });
});

describe('data', () => {
  const redactor = new Redactor([KEY]);

  test('is copied with every text and name redacted', () => {
    const data = { [KEY]: 1, list: [KEY, { deep: `is ${KEY}` }], none: null, flag: true, number: 7 };
    const copy = redactor.data(data) as Record<string, unknown>;
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

  test('keeps a member called __proto__ a member', () => {
    const copy = redactor.data(JSON.parse('{"__proto__":{"isAdmin":true}}')) as object;
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Object.keys(copy)).toEqual(['__proto__']);
  });

  test.each([
    ['objects', (value: unknown) => ({ in: value }), (value: unknown) => (value as { in: unknown }).in],
    ['lists', (value: unknown) => [value], (value: unknown) => (value as unknown[])[0]],
  ])('is cut at 24 levels of %s', (_name, wrap, open) => {
    let nested: unknown = { bottom: 1 };
    for (let level = 0; level < 24; level += 1) nested = wrap(nested);
    let copy = redactor.data(nested);
    for (let level = 0; level < 24; level += 1) copy = open(copy);
    expect(copy).toBe('[nested too deeply]');
    let whole = redactor.data(open(nested));
    for (let level = 0; level < 23; level += 1) whole = open(whole);
    expect(whole).toEqual({ bottom: 1 });
  });
});

describe('a text that broke off', () => {
  const redactor = new Redactor([KEY]).hiding(['Two tickets']);

  test.each([
    [`the key is ${KEY}`, `the key is ${HIDDEN}`],
    ['the key is sk_live', `the key is ${HIDDEN}`],
    ['for Two tick', `for ${HIDDEN}`],
    ['for Two', 'for Two'],
    ['for nothing', 'for nothing'],
  ])('%j is shown as %j', (text, shown) => {
    expect(redactor.brokenText(text)).toBe(shown);
  });
});
