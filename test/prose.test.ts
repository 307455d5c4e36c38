import { describe, expect, it } from 'vitest';
import { EXPRESSIONS } from '../scripts/prose/expressions.ts';
import { findingsOf } from '../scripts/prose/findings.ts';
import { sentencesOf, wordsOf } from '../scripts/prose/sentences.ts';

/** A text of 26 words, and one of 25. */
const LONG = `The package ${'very '.repeat(22)}slowly waits.`;
const FITS = LONG.replace('very ', '');

const inMarkdown = (...lines: string[]) => shown('page.md', lines);
const inSource = (...lines: string[]) => shown('code.ts', lines);
const shown = (file: string, lines: string[]) =>
  findingsOf(file, lines.join('\n')).map(({ line, rule, found }) =>
    `${line} ${rule} ${rule === 'long' ? '' : found}`.trim(),
  );

describe('the table of expressions', () => {
  it.each(EXPRESSIONS.map((expression) => [expression.not, expression] as const))(
    'finds %j',
    (_, { pattern, not, but }) => {
      expect(not).toMatch(new RegExp(pattern, 'iu'));
      expect(inMarkdown(not)).not.toEqual([]);
      expect(inMarkdown(but)).toEqual([]);
    },
  );
});

describe('a Markdown page', () => {
  it('is read with the lines of its paragraphs', () => {
    expect(inMarkdown('# A page', '', 'The first line says nothing,', 'and the second one mends it.')).toEqual([
      '4 expression mends',
    ]);
  });

  it('has an expression found across a line break', () => {
    expect(inMarkdown('The error names the way', 'out.')).toHaveLength(1);
  });

  it('keeps code, addresses and comments out', () => {
    const code = [
      '```ts',
      'mend();',
      '```',
      '',
      '`mend` and ``a `mend` b``, see [this](mend.md) and https://mend.test/mend;mend.',
    ];
    expect(
      inMarkdown('---', 'title: mend', '---', ...code, '<!-- mend', 'mend -->', '<a id="mend;"></a> &nbsp;'),
    ).toEqual([]);
  });

  it('has items, cells, headings and link texts read one by one', () => {
    const half = LONG.slice(0, 60);
    expect(
      inMarkdown(`# ${half}`, half, '', `- ${half}`, `- ${half}`, '', `| ${half} | ${half} |`, '|---|---|'),
    ).toEqual([]);
    expect(inMarkdown('- one', '- two [mend](x.md)', '', '| `a` | b |', '|---|---|', '| c | a; b |')).toEqual([
      '2 expression mend',
      '6 semicolon a; b',
    ]);
  });
});

describe('a source', () => {
  it('has its comments read, line comments as one text', () => {
    expect(inSource('// The error names the way', '// out.', 'const a = 1; // mend', '/* mend */')).toEqual([
      '1 expression way out',
      '3 expression mend',
      '4 expression mend',
    ]);
  });

  it('has its docstrings read, without examples, tags and names', () => {
    const doc = [
      '/**',
      ' * Mends it.',
      ' *',
      ' * @param mend {@link mend} is a mend',
      ' * @example',
      ' * mend();',
      ' * @returns a mend',
      ' */',
    ];
    expect(inSource(...doc, 'export {};')).toEqual(['2 expression Mends', '4 expression mend', '7 expression mend']);
  });

  it('has its messages read, inserted values as one word', () => {
    expect(inSource('const a = `the command $' + '{b.mend} that mends it`;', "const c = 'mend';")).toEqual([
      '1 expression mends',
    ]);
    expect(inSource('html`<p class="mend">one two three</p>', '<p>four five; six</p>`;')).toEqual([
      '2 semicolon four five; six',
    ]);
    expect(inSource('const a = `one $' + '{[', '1]} two', 'that mends all of \\`mend\\``;')).toEqual([
      '3 expression mends',
    ]);
  });

  it('keeps code out: names, short texts, regular expressions, directives and statements in texts', () => {
    const code = [
      "import mend from './mend.ts';",
      "mend('// mend', /mend it here \\/\\/ mend/);",
      '// biome-ignore lint/x: mend',
    ];
    const texts = [
      "const sql = 'SELECT mend FROM it WHERE NOT NULL';",
      'const css = `a { color: red; mend: it and it; }`;',
    ];
    expect(inSource(...code, ...texts)).toEqual([]);
  });
});

describe('a sentence', () => {
  it('has at most 25 words', () => {
    expect([wordsOf(LONG), wordsOf(FITS)]).toEqual([26, 25]);
    expect([inMarkdown(LONG), inMarkdown(FITS)]).toEqual([['1 long'], []]);
    expect(inSource(`/** ${LONG} */`, `const message = '${LONG}';`)).toEqual(['1 long', '2 long']);
  });

  it('counts code, an address and a hyphenated word as one word, and signs as none', () => {
    expect(inMarkdown(FITS.replace('slowly', '`a b c` – …'))).toEqual([]);
    expect(inMarkdown(FITS.replace('slowly', 'https://a.test/b?c=d'))).toEqual([]);
    expect(wordsOf('A well-known case (see § 3) – at last …')).toBe(7);
  });

  it('ends where another begins, and not behind an abbreviation', () => {
    expect(
      sentencesOf('It ends. “It begins.” 3 more! E.g. this, i.e. That etc. And 2.5.').map(({ text }) => text),
    ).toEqual(['It ends.', '“It begins.”', '3 more!', 'E.g. this, i.e. That etc. And 2.5.']);
  });

  it('has no semicolon', () => {
    expect(inMarkdown('It waits; it runs. It ends.')).toEqual(['1 semicolon It waits; it runs.']);
  });
});
