// The code blocks of a Markdown page. docs/testing.md describes the words behind the language.

/** A block of code as it stands on a page. */
export interface Block {
  readonly page: string;
  /** The line of its first line of code. */
  readonly line: number;
  readonly language: string;
  /** What stands behind the language, such as `server`. */
  readonly words: readonly string[];
  readonly code: string;
  /** The declarations that the reader's program has around it. */
  readonly around: string;
}

const LANGUAGES = [
  'ts',
  'js',
  'sh',
  'console',
  'text',
  'sql',
  'json',
  'yaml',
  'diff',
  'html',
  'prisma',
  'http',
  'toml',
];
const CODE_WORDS = ['fragment', 'continues', 'server', 'browser', 'postgres', 'redis'];
/** The words that a language may have behind it. test/cli/session.test.ts replays a `text session`. */
const WORDS: Readonly<Record<string, readonly string[]>> = { ts: CODE_WORDS, js: CODE_WORDS, text: ['session'] };

/** @throws Error for a block that no check would know. */
export function blocksOf(page: string, text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  let everywhere = '';
  let before = '';
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line.startsWith('<!--')) {
      const end = lines.findIndex((each, at) => at >= index && each.includes('-->'));
      const comment = lines.slice(index, end + 1).join('\n');
      index = end;
      const [, every, around = ''] = /^<!-- around( every fragment)?:\s+([\s\S]*?)\s*-->/.exec(comment) ?? [];
      if (every === undefined) before = around;
      else everywhere = around;
      continue;
    }
    const [, indent = '', fence = '', info = ''] = /^( *)(`{3,}) ?(.*)$/.exec(line) ?? [];
    if (fence === '') {
      if (line.trim() !== '') before = '';
      continue;
    }
    const end = lines.findIndex((each, at) => at > index && each.trim() === fence);
    const [language = '', ...words] = info.trim().split(/\s+/);
    refuseUnknown(`${page}:${index + 1}`, language, words);
    const code = lines.slice(index + 1, end).map((each) => each.slice(indent.length));
    blocks.push({
      page,
      line: index + 2,
      language,
      words,
      code: code.join('\n'),
      around: `${everywhere}\n${before}`.trim(),
    });
    index = end;
    before = '';
  }
  return blocks;
}

function refuseUnknown(at: string, language: string, words: readonly string[]): void {
  if (!LANGUAGES.includes(language)) throw new Error(`${at}: a block of ${language || 'no language'}`);
  const unknown = words.find((word) => WORDS[language]?.includes(word) !== true);
  if (unknown !== undefined) throw new Error(`${at}: ${language} ${unknown}`);
}

/** Files that a page gives to its blocks: `<!-- file orders.csv: … -->`. */
export function filesOf(text: string): Map<string, string> {
  const found = text.matchAll(/^<!-- file ([\w.-]+):\s+([\s\S]*?)\s*-->/gm);
  return new Map([...found].map(([, name = '', content = '']) => [name, content]));
}
