// Finds hard expressions and hard sentences in the prose of one file.
import { EXPRESSIONS } from './expressions.ts';
import { type Passage, passagesOf } from './passages.ts';
import { MOST_WORDS, sentencesOf, wordsOf } from './sentences.ts';
import { passagesOfSource } from './source.ts';

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly rule: 'expression' | 'long' | 'semicolon';
  /** The words that were found. */
  readonly found: string;
  /** The remedy. */
  readonly instead: string;
}

/** @param file Its ending says how it is read: Markdown, or a source. */
export function findingsOf(file: string, text: string): Finding[] {
  const passages = file.endsWith('.md') ? passagesOf(text.split(/\r?\n/), 1) : passagesOfSource(file, text);
  return passages
    .flatMap((passage) => [...expressionsIn(passage), ...sentenceFindings(passage)])
    .map((finding) => ({ file, ...finding }))
    .sort((a, b) => a.line - b.line);
}

type Found = Omit<Finding, 'file'>;

/** The rows come in order, so a general one does not repeat what a closer one has found. */
function expressionsIn({ text, lineAt }: Passage): Found[] {
  const taken: { start: number; end: number }[] = [];
  return EXPRESSIONS.flatMap(({ pattern, say }) =>
    [...text.matchAll(new RegExp(pattern, 'giu'))].flatMap(({ 0: found, index: start }) => {
      const end = start + found.length;
      if (taken.some((other) => start < other.end && other.start < end)) return [];
      taken.push({ start, end });
      return [{ line: lineAt(start), rule: 'expression' as const, found: found.trim(), instead: say }];
    }),
  );
}

function sentenceFindings({ text, lineAt }: Passage): Found[] {
  return sentencesOf(text).flatMap((sentence): Found[] => {
    const words = wordsOf(sentence.text);
    const semicolon = sentence.text.indexOf(';');
    const at = (place: number) => lineAt(sentence.start + place);
    const first = `${sentence.text.split(/\s+/).slice(0, 6).join(' ')} …`;
    const near = sentence.text.slice(Math.max(0, semicolon - 20), semicolon + 20).trim();
    const long: Found = {
      line: at(0),
      rule: 'long',
      found: first,
      instead: `at most ${MOST_WORDS} words, not ${words}`,
    };
    const split: Found = { line: at(semicolon), rule: 'semicolon', found: near, instead: 'two sentences, or a comma' };
    return [...(words > MOST_WORDS ? [long] : []), ...(semicolon >= 0 ? [split] : [])];
  });
}
