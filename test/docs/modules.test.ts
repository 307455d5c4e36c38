import { describe, expect, it } from 'vitest';
import { blocksOf, filesOf } from './blocks.ts';
import { isPrinted, modulesOf, withoutCode } from './modules.ts';
import { transcriptsOf } from './transcripts.ts';

const never = () => false;

describe('the blocks of a page', () => {
  it('have a line, words and surroundings, also in a list', () => {
    const text = `<!-- around every fragment: declare const a: 1; -->

1. First:

   <!-- no surroundings -->
   \`\`\`ts fragment
   a;
     b;
   \`\`\`

<!-- around: declare const b: 2; -->

\`\`\`ts fragment
c;
\`\`\`
`;
    expect(blocksOf('p.md', text)).toMatchObject([
      { line: 7, words: ['fragment'], code: 'a;\n  b;', around: 'declare const a: 1;' },
      { line: 14, words: ['fragment'], code: 'c;', around: 'declare const a: 1;\ndeclare const b: 2;' },
    ]);
  });

  it.each([
    ['```typescript\n```', 'p.md:1: a block of typescript'],
    ['```\n```', 'p.md:1: a block of no language'],
    ['```ts sever\n```', 'p.md:1: ts sever'],
    ['```sh server\n```', 'p.md:1: sh server'],
    ['```ts session\n```', 'p.md:1: ts session'],
    ['```text server\n```', 'p.md:1: text server'],
  ])('are refused when no check knows them: %j', (text, message) => {
    expect(() => blocksOf('p.md', text)).toThrow(message);
  });

  it('continue the one before, and need one', () => {
    const text = '```ts\nf(); // → 1\n```\n\n```ts continues server\ng(); // → 2\n```\n';
    expect(modulesOf('p.md', text)).toMatchObject([
      { code: 'f(); // → 1\ng(); // → 2', kind: 'server', prints: ['1', '2'] },
    ]);
    expect(() => modulesOf('p.md', '```ts continues\ng();\n```\n')).toThrow('continues nothing');
  });

  it('are files, tests, servers and fragments', () => {
    const kinds = [
      'ts\n// shop/a.ts\n',
      "ts\n// a.test.ts\nimport { it } from 'vitest';\n",
      'js browser redis\n',
      'ts fragment\n',
    ];
    const text = kinds.map((each) => `\`\`\`${each}\`\`\`\n`).join('');
    expect(modulesOf('p.md', text)).toMatchObject([
      { file: 'shop/a.ts', kind: 'run', engines: [] },
      { file: 'a.test.ts', kind: 'vitest' },
      { file: 'line-9.mjs', kind: 'browser', engines: ['redis'] },
      { kind: 'fragment' },
    ]);
  });

  it('can have files beside them', () => {
    expect([...filesOf('<!-- file a.json:\n{ "a": 1 }\n-->\n')]).toEqual([['a.json', '{ "a": 1 }']]);
  });
});

describe('what a page shows', () => {
  it.each([
    [['a', 'b'], 'a\nb\n', true],
    [[], '', true],
    [['a'], 'a', true],
    [['http://…/pay/…'], 'http://127.0.0.1:4010/pay/1\n', true],
    [['…', 'b'], 'x\ny\nb\n', true],
    [['a (b)'], 'a (b)\n', true],
    [['a', 'b'], 'b\na\n', false],
    [['a'], 'a\nb\n', false],
    [['a', 'b'], 'a\n', false],
    [[], 'a\n', false],
    [['a.c'], 'abc\n', false],
    [['…c'], 'a\nc\n', false],
  ])('%j is printed by %j: %s', (lines, output, is) => {
    expect(isPrinted(lines, output)).toBe(is);
  });

  it('may be a transcript', () => {
    const text = '```console\n$ a\none\ntwo\n$ b\n```\n';
    expect(transcriptsOf('p.md', text)[0]?.steps).toEqual([
      { command: 'a', prints: ['one', 'two'] },
      { command: 'b', prints: [] },
    ]);
    expect(() => transcriptsOf('p.md', '```console\none\n```\n')).toThrow('output without a command');
  });
});

it('a page without code that runs is noticed', () => {
  const pages = new Map([
    ['text.md', 'Text.'],
    ['commands.md', '```sh\nls\n```'],
    ['fragment.md', '```ts fragment\na;\n```'],
    ['code.md', '```ts\na;\n```'],
    ['transcript.md', '```console\n$ ls\n```'],
    ['example.md', '```ts fragment\nexample\n```'],
  ]);
  expect(withoutCode(pages, (code) => code === 'example')).toEqual(['text.md', 'commands.md', 'fragment.md']);
  expect(withoutCode(new Map(), never)).toEqual([]);
});
