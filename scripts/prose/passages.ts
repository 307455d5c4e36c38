// Splits text into passages: a paragraph, a list item, a cell of a table, a heading, a tag of a docstring.
// Code is masked character by character, so that each place in a passage still belongs to a line of the file.

/** Text that is read without its surroundings. */
export interface Passage {
  readonly text: string;
  /** The line of the file, from 1, for a place in `text`. */
  lineAt(place: number): number;
}

/** Replaces each character of code, of a URL and of an inserted value, which then count as one word. */
export const MASK = '□';

const FENCE = /^\s*(`{3,}|~{3,})/;
const TAG = /^\s*@(\w+)/;
/** The name behind these tags is code. */
const NAMING_TAG = /^(\s*)(@(?:param|typeParam|throws|default|defaultValue)\s+\S+|@\w+)/;
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;
const ROW = /^\s*\|.*\|\s*$/;

/** @param lines Text lines without comment marks. @param first The number of the first one in the file. */
export function passagesOf(lines: readonly string[], first: number): Passage[] {
  const passages: Passage[] = [];
  let open: { text: string; line: number }[] = [];
  const close = () => {
    if (open.some(({ text }) => /\w/.test(text))) passages.push(joined(open));
    open = [];
  };
  const alone = (text: string, line: number) => {
    close();
    open = [{ text, line }];
    close();
  };
  for (const [index, source] of withoutBlocks(lines).entries()) {
    const line = first + index;
    if (source.trim() === '') close();
    else if (ROW.test(source)) for (const cell of masked(source).split('|')) alone(cell, line);
    else if (/^\s*#+\s/.test(source)) alone(source.replace(/^\s*#+/, blank), line);
    else {
      if (ITEM.test(source) || TAG.test(source)) close();
      open.push({ text: source.replace(ITEM, blank).replace(NAMING_TAG, blank).replace(/^\s*>/, blank), line });
    }
  }
  close();
  return passages;
}

/** The lines with fenced code, examples, HTML comments and front matter emptied. */
function withoutBlocks(lines: readonly string[]): string[] {
  let until: RegExp | null = null;
  return lines.map((line, index) => {
    if (until !== null) {
      const ends = until.test(line);
      if (ends) until = null;
      return ends && TAG.test(line) ? line : '';
    }
    const fence = FENCE.exec(line)?.[1];
    if (fence !== undefined) until = new RegExp(`^\\s*${fence}\\s*$`);
    else if (/^\s*@example\b/.test(line)) until = TAG;
    else if (/^\s*<!--(?!.*-->)/.test(line)) until = /-->/;
    else if (index === 0 && line === '---') until = /^---$/;
    return until === null ? line : '';
  });
}

function joined(parts: readonly { text: string; line: number }[]): Passage {
  const text = masked(parts.map((part) => part.text).join(' '));
  return {
    text,
    lineAt(place) {
      let end = 0;
      for (const part of parts) {
        end += part.text.length + 1;
        if (place < end) return part.line;
      }
      return parts.at(-1)?.line ?? 0;
    },
  };
}

/** The text with code, links, tags and URLs replaced by as many other characters. */
function masked(text: string): string {
  return text
    .replace(/<!--.*?-->/g, blank)
    .replace(/(`+)(?!`).*?[^`]\1(?!`)/g, whole)
    .replace(/\{@\w+ [^}]*\}/g, whole)
    .replace(/\]\([^)]*\)/g, blank)
    .replace(/<?\bhttps?:\/\/[^\s<>)]*[^\s<>).,:;!?]>?/g, whole)
    .replace(/<\/?[a-z][^<>]*>/gi, blank)
    .replace(/&\w+;/g, blank)
    .replace(/\*+|[[\]!](?=\[)|\[/g, blank);
}

function blank(part: string): string {
  return ' '.repeat(part.length);
}

/** As one word. */
export function whole(part: string): string {
  return MASK.repeat(part.length);
}
