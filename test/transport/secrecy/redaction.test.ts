import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Redactor } from '../../../src/transport/secrecy/redact.ts';
import fc from '../../support/fast-check.ts';
import { scaled } from '../../support/scaled.ts';

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
    ['¿', '%C2%BF'],
    ['अ', '%E0%A4%85'],
    ['€', '%E2%82%AC'],
    ['\u{10ffff}', '&#x10ffff;'],
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
    ['of seven, at the end of a word', 'abcdefg', 'xabcdefg', 'xabcdefg'],
    ['of seven, at the beginning of a word', 'abcdefg', 'abcdefgx', 'abcdefgx'],
    ['of seven, with a digit', 'abcdef1', 'xabcdef1y', `x${HIDDEN}y`],
  ])('%s', (_name, secret, text, shown) => {
    expect(new Redactor([secret]).text(text)).toBe(shown);
  });
});

describe('a key in any spelling', () => {
  // Letters, digits and every sign that somebody escapes.
  const key = 'sk/4f+"9<&>\'%=Qz\\n7';
  let redactor: Redactor;
  beforeEach(() => {
    redactor = new Redactor([key]);
  });
  const json = (text: string, depth: number): string => (depth === 0 ? text : JSON.stringify(json(text, depth - 1)));
  const slashes = (text: string) => text.replaceAll('/', '\\/');
  const units = (text: string) =>
    [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const html = (text: string) =>
    text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  test.each<[string, string]>([
    ['as it is', key],
    ['in capital letters', key.toUpperCase()],
    ['in JSON', json(key, 1)],
    ['in JSON in JSON', json(key, 2)],
    ['in JSON, four deep', json(key, 4)],
    ['in JSON with escaped slashes', slashes(json(key, 1))],
    ['in an address', encodeURIComponent(key)],
    ['in an address, in small letters', encodeURIComponent(key).toLowerCase()],
    ['in an address in an address', encodeURIComponent(encodeURIComponent(key))],
    ['in an address, each letter', [...key].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')],
    ['in a page', html(key)],
    ['in a page in a page', html(html(key))],
    ['in a page, decimal', [...key].map((c) => `&#${c.charCodeAt(0)};`).join('')],
    ['in a page, hexadecimal', [...key].map((c) => `&#X0${c.charCodeAt(0).toString(16)};`).join('')],
    ['in JSON, each letter', units(key)],
    ['in JSON in JSON, each letter', json(units(key), 1)],
    ['in JavaScript, each letter', [...key].map((c) => `\\x${c.charCodeAt(0).toString(16)}`).join('')],
    ['in JSON in an address', encodeURIComponent(json(key, 1))],
    ['in an address in JSON in a page', html(json(encodeURIComponent(key), 1))],
    ['half of it escaped', key.slice(0, 5) + units(key.slice(5))],
    ['in base64', base64(key)],
    ['in base64, behind one letter', base64(`u${key}`)],
    ['in base64, behind two letters', base64(`me${key}`)],
    ['in base64, as a user has it', base64(`me:${key}`)],
    ['in base64, before others', base64(`${key}:and more`)],
    ['in base64url', Buffer.from(key).toString('base64url')],
    ['in base64 in an address', encodeURIComponent(base64(key))],
    ['in base64 in JSON', slashes(json(base64(`é${key}`), 1))],
  ])('%s', (_name, spelled) => {
    for (const [before, after] of [
      ['', ''],
      ['no such key: ', ', sorry'],
      ['{"key":"', '","i":1}'],
    ] as const) {
      const shown = redactor.text(`${before}${spelled}${after}`);
      expect(shown.startsWith(before) && shown.endsWith(after)).toBe(true);
      expect(shown).toContain(HIDDEN);
      expect(shown.length).toBeLessThan(before.length + after.length + HIDDEN.length + 40); // quotes, ends of base64
    }
  });

  test('is not found in what only looks like it', () => {
    for (const text of ['sk/4f+', base64('sk/4f'), units(key).slice(0, -6), key.replace('Qz', 'Qy'), html('<b>&')]) {
      expect(redactor.text(text)).toBe(text);
    }
  });

  test.each([
    'key%4/first',
    'key%4:first',
    'key%3`first',
    'key%3gfirst',
    'key%3first',
    'key\\u003first',
    'key&#x6fg;first',
  ])('is not found in %j, whose escape has a sign that is no digit', (text) => {
    expect(new Redactor(['key?first', 'keyJfirst', 'key/first', 'key@first']).text(text)).toBe(text);
  });

  test('is found whatever it is, and wherever it stands', () => {
    const escapes = [(text: string) => text, (text: string) => JSON.stringify(text), encodeURIComponent, html, units];
    const inner = fc.constantFrom<(text: string) => string>(...escapes, base64);
    const outer = fc.constantFrom<(text: string) => string>(...escapes);
    // A key is what a header can carry; the interface shows no form.
    const secret = fc.stringMatching(/^[\x21-\x7e]{8,64}$/);
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), inner, outer, (value, before, after, write, wrap) => {
        const spelled = wrap(write(value));
        const shown = new Redactor([value]).text(before + spelled + after);
        expect(shown).not.toContain(spelled);
        expect(shown).toContain(HIDDEN);
      }),
      { numRuns: scaled(300) },
    );
  });

  test.each([
    // JSON in an address, and a page in an address, written out. Read once more, each secret is another text.
    ['%5C\\\\\\u0041', '%255C%5C%5C%5C%5C%5C%5Cu0041'],
    ['k\\\\%5C\\u0041', 'k%5C%5C%5C%5C%255C%5C%5Cu0041'],
    ['\\%5C%5C\\"', '%5C%255C%255C%5C%26quot%3B'],
    // In JSON, with a back slash at its end that escapes nothing.
    ['key+no-1\\', 'key\\u002bno-1\\'],
  ])('%j, which itself looks escaped, is found in %j', (secret, text) => {
    expect(new Redactor([secret]).text(text)).toBe(HIDDEN);
  });

  test.each([
    ['0Zkey-no-1', '%0Akey-no-1', 'an escape that begins otherwise'],
    ['Akey-no-1', '&#x110041;key-no-1', 'a number that is no character'],
  ])('%j is not found in %j, behind %s', (secret, text) => {
    expect(new Redactor([secret]).text(text)).toBe(text);
  });

  test.each(['', 'u', 'me', 'you'])('in both kinds of base64 is found whole behind %j', (before) => {
    const odd = 'k>>>???>>??1'; // in base64 with both signs, wherever it begins
    for (const form of ['base64', 'base64url'] as const) {
      const spelled = Buffer.from(`${before}${odd}:and more`).toString(form);
      if (form === 'base64') expect(spelled).toMatch(/\+.*\/|\/.*\+/);
      const shown = new Redactor([odd]).text(`key ${spelled}.`);
      expect(shown).toMatch(/^key \S{0,5}\[redacted\]/);
      expect(shown).not.toMatch(/[-+_/]/);
      expect(shown.endsWith(`${spelled.slice(-8)}.`)).toBe(true);
    }
  });

  test.each([
    ['%00!!', `%${HIDDEN}`],
    ['%00!', '%00!'],
  ])('is hidden from its fourth character on where a text breaks off: %j', (text, shown) => {
    expect(new Redactor(['00!!!!!+']).beginning(text, 100, true)).toBe(shown);
  });

  test.each<[string, string, string, string]>([
    ['a per cent sign', '00!!!!!+', '%00!!!!!%2B', `%${HIDDEN}`],
    ['the beginning of a percent escape', '0!!!!!!+', '%40!!!!!!%2B', `%4${HIDDEN}`],
    ['bytes of a letter', '3key-no+1', '%c3%a3key-no%2B1', `%c3%a${HIDDEN}`],
    ['a byte that begins no letter', '¿key-no-1', '%80%BFkey-no-1', `%80${HIDDEN}`],
    ['a byte that is in no letter', '¯key-no-1', '%F8%80%80%AFkey-no-1', `%F8%80%80${HIDDEN}`],
    ['the first byte of a letter, before another sign', 'Akey-no-1', '%C3%41key-no-1', `%C3${HIDDEN}`],
    ['the first byte of a letter, before none', '-A9key-no', '%C3-A9key-no', `%C3${HIDDEN}`],
    ['a back slash', 'nab"cdefg', '\\nab\\"cdefg', `\\${HIDDEN}`],
    ['a back slash and u', '0041"xyz!', '\\u0041\\"xyz!', `\\u${HIDDEN}`],
    ['an ampersand', 'lt;ab"cde', '&lt;ab&quot;cde', `&${HIDDEN}`],
    ['half an entity', '3;ab"cdef', '&#43;ab&quot;cdef', `&#4${HIDDEN}`],
    ['half an escape, escaped twice', '00!!!!!+', '%00!!!!!%252B', `%${HIDDEN}`],
    ['half an escape, in two ways', 'dBfy-7[S', '%4\\u0064\\u0042\\u0066\\u0079-7%5BS', `%4${HIDDEN}`],
    ['others, and twice', '00!!!!!+', '%00!!!!!%2B%00%00!!!!!%2B', `%${HIDDEN}%00%${HIDDEN}`],
  ])('is found behind %s, which begins an escape of its first characters', (_name, secret, text, shown) => {
    expect(new Redactor([secret]).text(text)).toBe(shown);
  });

  test('nothing else is changed', () => {
    const any = fc.stringMatching(/^[ -~\u00e9\u0130\ud83d\udd11\\%&;#u0-9]{0,80}$/u);
    fc.assert(
      fc.property(any, (text) => {
        expect(new Redactor(['key/that-is-in-no-text']).text(text)).toBe(text);
      }),
    );
  });

  test('its place is kept behind letters that change their length', () => {
    expect(redactor.text(`İ😀é\\u0130%C4%B0${key}!`)).toBe(`İ😀é\\u0130%C4%B0${HIDDEN}!`);
    expect(redactor.text(`İ😀%F0%9F%98%80${encodeURIComponent(key)}!`)).toBe(`İ😀%F0%9F%98%80${HIDDEN}!`);
  });
});

describe('the cost of hiding', () => {
  // Quadratic, any of these would take minutes; a pattern made from data could take for ever.
  const long = `b${'a'.repeat(1_022)}/`;
  const size = scaled(10 * 1024 * 1024);

  test.each([
    ['ordinary text', 'The service says no. '],
    ['back slashes', '\\'],
    ['per cent signs', '%'],
    ['letters of addresses', '%2541'],
    ['ampersands', '&'],
    ['signs of pages', '&#x2b;'],
    ['numbers without end', '&#00000000000'],
    ['escaped letters', '\\u005c'],
    ['what a key begins with', 'b'],
    ['nearly the key', `b${'a'.repeat(1_022)}`],
    ['the end of a key', 'a'],
    ['base64', 'YmFhYWFhYWFh'],
    ['escapes that a key begins in', '%41'],
    ['escapes that a key begins in and goes on behind', '%41AAAAAAAA'],
    // The mutation run gives a test 8 seconds, which its measurement of coverage uses up here.
  ])('10 MiB of %s are looked through once', { timeout: 60_000 }, (_name, piece) => {
    const text = piece.repeat(Math.ceil(size / piece.length));
    const redactor = new Redactor([long, `41${'A'.repeat(1_021)}/`, 'sk_live_4f+9', 'whsec_5Tg8/kQ"p1']);
    expect(redactor.text(text)).toBe(text);
    expect(redactor.beginning(text, 2_000, true)).toHaveLength(2_000);
  });

  test('10 MiB of keys too', () => {
    const count = Math.ceil(size / 16);
    const text = 'sk%5Flive_4f+9'.repeat(count);
    expect(new Redactor(['sk_live_4f+9']).text(text)).toBe(HIDDEN.repeat(count));
    const overlapped = '%00!!!!!%2B'.repeat(count);
    expect(new Redactor(['00!!!!!+']).text(overlapped)).toBe(`%${HIDDEN}`.repeat(count));
  });

  test.each(['\\', '(((((', '[', '*'.repeat(40), '(a+)+$', '\\u', '%', '&#;', '^$', '$&$1'])(
    'a secret of %j is a text, not a pattern',
    (odd) => {
      const secret = odd.repeat(30);
      expect(new Redactor([secret]).text(`<${secret}>`)).toBe(`<${HIDDEN}>`);
      expect(new Redactor([`k-7Hq2-${odd}`]).text(`k-7Hq2-${odd}`)).toBe(HIDDEN);
    },
  );
});

describe('the beginning of a text', () => {
  let redactor: Redactor;
  beforeEach(() => {
    redactor = new Redactor([KEY]);
  });

  test('that is short ends with what only looks like a key, unless the text broke off', () => {
    expect(redactor.beginning('the key is sk_live', 100)).toBe('the key is sk_live');
    expect(redactor.beginning('the key is sk_live', 100, true)).toBe(`the key is ${HIDDEN}`);
  });

  test('is all that is looked at', () => {
    const text = '\\'.repeat(200_000);
    const look = vi.spyOn(String.prototype, 'charCodeAt');
    try {
      expect(redactor.beginning(text, 100)).toHaveLength(100);
      expect(look.mock.calls.length).toBeLessThan(20_000);
    } finally {
      look.mockRestore();
    }
  });

  test('is cut, never within a key', () => {
    expect(redactor.beginning(`${'x'.repeat(15)}${KEY}`, 20)).toBe(`${'x'.repeat(15)}[reda`);
    expect(redactor.beginning(`${'x'.repeat(20)}${KEY}`, 20)).toBe('x'.repeat(20));
    const escaped = [...KEY].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
    expect(redactor.beginning(`${'x'.repeat(15)}${escaped}${'y'.repeat(9_000)}`, 20)).toBe(`${'x'.repeat(15)}[reda`);
  });

  test('shows no half of a key where only a part of a long text was looked at', () => {
    for (let length = 0; length < 400; length += 1) {
      const text = `${KEY.repeat(20)}${'x'.repeat(length)}${KEY}${'y'.repeat(9_000)}`;
      const shown = redactor.beginning(text, 100);
      expect(shown).not.toMatch(/sk_l|live/);
    }
    // Keys that are hidden take less room than they took: what was cut off is near.
    const escaped = [...KEY].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
    for (let length = 0; length < 100; length += 1) {
      const text = `${escaped.repeat(4)}${'x'.repeat(length)}${KEY}${'y'.repeat(9_000)}`;
      expect(redactor.beginning(text, 100)).not.toMatch(/sk_l|live/);
    }
  });
});

describe('a redactor with other secrets', () => {
  test('hides them and those of the first, but not the keys that a function gave to it', () => {
    const first = new Redactor(['fixed-1']);
    first.add('rotated-1');
    const other = first.with(['fixed-2']);
    expect(other.text('fixed-1 fixed-2 rotated-1')).toBe(`${HIDDEN} ${HIDDEN} rotated-1`);
    expect(first.text('fixed-1 fixed-2 rotated-1')).toBe(`${HIDDEN} fixed-2 ${HIDDEN}`);
  });
});

describe('keys that a function gives', () => {
  test('are remembered, the empty one is not', () => {
    const redactor = new Redactor([]);
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

describe('a text that broke off', () => {
  let redactor: Redactor;
  beforeEach(() => {
    redactor = new Redactor([KEY]);
  });
  const broken = (hides: Redactor, text: string) => hides.beginning(text, text.length + HIDDEN.length, true);

  test.each([
    [`the key is ${KEY}`, `the key is ${HIDDEN}`],
    ['the key is sk_live', `the key is ${HIDDEN}`],
    ['the key is SK_LIVE', `the key is ${HIDDEN}`],
    ['the key is sk_l', `the key is ${HIDDEN}`],
    ['the key is sk_', 'the key is sk_'],
    ['the key is sk_live_4f\\u00', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f\\', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f\\\\', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f%2', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f%2B', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f%', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f&', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f&#', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f&#4', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f&#x', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f&#x00', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f&#0000000043', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f&quo', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f\\x2', `the key is ${HIDDEN}`],
    ['%2C the key is sk_l', `%2C the key is ${HIDDEN}`],
    ['the key is sk_live_4f%%', 'the key is sk_live_4f%%'],
    ['the key is sk_live_4f%2C', 'the key is sk_live_4f%2C'],
    ['the key is sk_live_4f&amp', `the key is ${HIDDEN}`],
    ['the key is sk_live_4f&quote', 'the key is sk_live_4f&quote'],
    ['the key is sk_live_4f&#43;', `the key is ${HIDDEN}`],
    ['the key is sk%5Flive%5F', `the key is ${HIDDEN}`],
    ['the key is \\\\u0073\\\\u006b\\\\u005f\\\\u006c', `the key is ${HIDDEN}`],
    [`the key is ${btoa(KEY).slice(0, 9)}`, `the key is ${HIDDEN}`],
    ['nothing', 'nothing'],
  ])('%j is shown as %j', (text, shown) => {
    expect(broken(redactor, text)).toBe(shown);
  });

  test('also behind half an escape', () => {
    const percent = new Redactor(['0+key/123']);
    expect(broken(percent, '%00%2Bkey%2')).toBe(`%0${HIDDEN}`);
    expect(broken(percent, '%00%2B')).toBe('%00%2B');
    expect(broken(new Redactor(['nab"cdefg']), 'a line\\n')).toBe('a line\\n');
  });

  test('in JSON and in JSON in JSON', () => {
    const quoted = new Redactor(['a"bcdef-9']);
    expect(broken(quoted, '{"k":"a\\"b')).toBe('{"k":"a\\"b'); // three letters are too short to tell
    expect(broken(quoted, '{"k":"a\\"bcd')).toBe(`{"k":"${HIDDEN}`);
    expect(broken(quoted, '"{\\"k\\":\\"a\\\\\\"bcd')).toBe(`"{\\"k\\":\\"${HIDDEN}`);
  });
});
