// The blocks of a page as modules of one project, each with what it is expected to print.
import { type Block, blocksOf } from './blocks.ts';

export interface DocModule {
  readonly page: string;
  readonly line: number;
  /** The name of its file, below the folder of its page. */
  readonly file: string;
  readonly code: string;
  readonly around: string;
  /**
   * `run`: ends by itself. `server`: receives the webhook of a payment. `browser`: the same, and the payment is made on
   * the page whose address it prints. `vitest`: a test file. `fragment`: is only type-checked.
   */
  readonly kind: 'run' | 'server' | 'browser' | 'vitest' | 'fragment';
  readonly engines: readonly ('postgres' | 'redis')[];
  /** What it prints. A line `…` stands for any lines. */
  readonly prints: readonly string[];
}

/** The modules of a page, without the blocks that are files of `examples`, which have tests. */
export function modulesOf(page: string, text: string, isExample: (code: string) => boolean = () => false): DocModule[] {
  const modules: DocModule[] = [];
  for (const block of blocksOf(page, text)) {
    if (!['ts', 'js'].includes(block.language) || isExample(block.code)) continue;
    const previous = modules.at(-1);
    if (!block.words.includes('continues')) modules.push(moduleOf(block));
    else if (previous === undefined) throw new Error(`${page}:${block.line}: continues nothing`);
    else modules.splice(-1, 1, continued(previous, block));
  }
  return modules;
}

/** The pages that show no code that runs: no module, no example and no transcript. */
export function withoutCode(pages: ReadonlyMap<string, string>, isExample: (code: string) => boolean): string[] {
  return [...pages].flatMap(([page, text]) => {
    const isRun = modulesOf(page, text).some(({ kind }) => kind !== 'fragment');
    const isShown = blocksOf(page, text).some(({ language, code }) => language === 'console' || isExample(code));
    return isRun || isShown ? [] : [page];
  });
}

function moduleOf({ page, line, language, words, code, around }: Block): DocModule {
  const extension = language === 'ts' ? 'ts' : 'mjs';
  const file = /^\/\/ ([\w./-]+\.(?:[cm]?[jt]s))(?:\n|$)/.exec(code)?.[1] ?? `line-${line}.${extension}`;
  const isFragment = words.includes('fragment');
  const isTest = /from 'vitest'/.test(code) && file.includes('.test.');
  return {
    page,
    line,
    file,
    code,
    around,
    kind: isFragment ? 'fragment' : isTest ? 'vitest' : (waiting(words) ?? 'run'),
    engines: (['postgres', 'redis'] as const).filter((engine) => words.includes(engine)),
    prints: printedBy(code),
  };
}

function continued(previous: DocModule, { words, code }: Block): DocModule {
  const joined = `${previous.code}\n${code}`;
  const kind = waiting(words) ?? previous.kind;
  return { ...previous, kind, code: joined, prints: printedBy(joined) };
}

function waiting(words: readonly string[]): 'server' | 'browser' | undefined {
  return (['server', 'browser'] as const).find((word) => words.includes(word));
}

function printedBy(code: string): string[] {
  return [...code.matchAll(/\/\/ → ?(.*)$/gm)].map(([, text = '']) => text);
}

/** Whether a program has printed these lines. `…` stands for anything in its line, and alone for any lines. */
export function isPrinted(lines: readonly string[], output: string): boolean {
  const parts = lines.map((line) => {
    const text = line.trimEnd();
    return text === '…' ? '(?:.*\n)*?' : `${text.split('…').map(escaped).join('.*')} *\n`;
  });
  const ended = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  return new RegExp(`^${parts.join('')}$`).test(ended);
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
