import { describe, expect, it } from 'vitest';
import { CsvError, readCsv } from '../../../src/cli/reconcile/csv-reader.ts';
import { csvLine } from '../../../src/cli/reconcile/report.ts';
import fc from '../../support/fast-check.ts';
import { scaled } from '../../support/scaled.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string | Uint8Array, size = 7) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const records: (readonly [number, ...(readonly string[])])[] = [];
  for await (const { fields, line, problem } of readCsv(inPieces(bytes, size))) {
    records.push([line, ...fields, ...(problem === null ? [] : [`! ${problem}`])]);
  }
  return records;
}

describe('a CSV file', () => {
  it.each<[string, string, (readonly [number, ...string[]])[]]>([
    [
      'is separated by commas',
      'a,b\n1,2\n',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'is separated by semicolons',
      'a;b\n1,5;2\n',
      [
        [1, 'a', 'b'],
        [2, '1,5', '2'],
      ],
    ],
    [
      'is separated by tabs',
      'a\tb\n1\t2,5;\n',
      [
        [1, 'a', 'b'],
        [2, '1', '2,5;'],
      ],
    ],
    [
      'names its separator',
      'sep=|\r\na|b\r\n1|2',
      [
        [2, 'a', 'b'],
        [3, '1', '2'],
      ],
    ],
    [
      'begins with a byte order mark',
      '\ufeffa,b\n1,2',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'ends without a line break',
      'a\n1',
      [
        [1, 'a'],
        [2, '1'],
      ],
    ],
    [
      'has lines of Windows',
      'a,b\r\n1,2\r\n',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'has lines of an old Mac',
      'a,b\r1,2\r',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'has empty lines',
      'a,b\n\n\n1,2\n\n',
      [
        [1, 'a', 'b'],
        [4, '1', '2'],
      ],
    ],
    [
      'has empty fields',
      'a,b,c\n,,\n1,,',
      [
        [1, 'a', 'b', 'c'],
        [2, '', '', ''],
        [3, '1', '', ''],
      ],
    ],
    [
      'has quoted separators',
      'a,b\n"1,2","3;4"',
      [
        [1, 'a', 'b'],
        [2, '1,2', '3;4'],
      ],
    ],
    [
      'has quoted quotes',
      'a\n"say ""yes"""',
      [
        [1, 'a'],
        [2, 'say "yes"'],
      ],
    ],
    [
      'has an empty quoted field',
      'a,b\n"",""',
      [
        [1, 'a', 'b'],
        [2, '', ''],
      ],
    ],
    [
      'has one empty quoted field',
      'a\n""\n2',
      [
        [1, 'a'],
        [2, ''],
        [3, '2'],
      ],
    ],
    [
      'has quoted line breaks',
      'a,b\n"1\n2\r\n3",x\ny,z',
      [
        [1, 'a', 'b'],
        [2, '1\n2\r\n3', 'x'],
        [5, 'y', 'z'],
      ],
    ],
    [
      'has a quoted line break in its header',
      '"a\nb";c\n1;2',
      [
        [1, 'a\nb', 'c'],
        [3, '1', '2'],
      ],
    ],
    [
      'has a separator of another kind in quotes',
      '"a;;;;",b\n1,2',
      [
        [1, 'a;;;;', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'has inches',
      'a,b\n12" disc,2',
      [
        [1, 'a', 'b'],
        [2, '12" disc', '2'],
      ],
    ],
    [
      'has text behind a quote',
      'a,b\n"1"x,2\n3,4',
      [
        [1, 'a', 'b'],
        [2, '1x', '2', '! has text behind a closing quote'],
        [3, '3', '4'],
      ],
    ],
    ['is empty', '', []],
    ['holds a byte order mark alone', '\ufeff', []],
  ])('%s', async (_name, text, records) => {
    for (const size of [1, 2, 7, 1_000]) expect(await read(text, size)).toEqual(records);
  });

  it.each(['utf16le', 'swapped'] as const)('of a spreadsheet in %s is read', async (form) => {
    const bytes = Buffer.from('\ufeffid\tname\r\n1\tMüller €\r\n', 'utf16le');
    if (form === 'swapped') bytes.swap16();
    for (const size of [1, 3, 100])
      expect(await read(bytes, size)).toEqual([
        [1, 'id', 'name'],
        [2, '1', 'Müller €'],
      ]);
  });

  it('in another encoding is refused: its ids would be others', async () => {
    await expect(read(Buffer.from('id\nM\xfcller', 'latin1'))).rejects.toThrow('save the file as UTF-8');
  });

  it('with a quote that never closes is refused, and names the line', async () => {
    await expect(read('a,b\n1,2\n"3,4\n5,6\n')).rejects.toThrow(/begins in line 3 does not end/);
    const endless = `a\n"${'x'.repeat(200_000)}`;
    await expect(read(endless, 1_000)).rejects.toThrow(CsvError);
  });

  it('that was written is read back, whatever its cells hold', async () => {
    const cell = fc.string({ unit: fc.constantFrom(...'ab,;\t"\r\n=é€ ') });
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 9 }), async (table, size) => {
        const written = ['kind,id\r\n', ...table.map((cells) => csvLine(cells))].join('');
        const [, ...records] = await read(written, size);
        const safe = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
        expect(records.map(([, ...fields]) => fields)).toEqual(table.map((cells) => cells.map(safe)));
      }),
      { numRuns: scaled(500) },
    );
  });
});
