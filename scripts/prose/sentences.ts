// Sentences of a passage, and their words.
import { MASK } from './passages.ts';

/** Words in a sentence, at most. */
export const MOST_WORDS = 25;

/** A dot behind these ends no sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|incl|resp|a\.k\.a)\.$/i;
const END = new RegExp(`[.!?…]+["”’')\\]]*\\s+(?=["“‘'(\\[]*[\\p{Lu}\\d${MASK}])`, 'gu');

export interface Sentence {
  readonly text: string;
  /** Its place in the passage. */
  readonly start: number;
}

/** A sentence begins with a capital letter, a digit or code. */
export function sentencesOf(passage: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  for (const { 0: end, index } of passage.matchAll(END)) {
    if (ABBREVIATION.test(passage.slice(start, index + 1))) continue;
    sentences.push({ text: passage.slice(start, index + end.length), start });
    start = index + end.length;
  }
  return [...sentences, { text: passage.slice(start), start }].map(trimmed).filter(({ text }) => text !== '');
}

/** Code, a URL and a hyphenated word count as one word each. Punctuation does not count. */
export function wordsOf(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => new RegExp(`[\\p{L}\\p{N}${MASK}]`, 'u').test(word)).length;
}

function trimmed({ text, start }: Sentence): Sentence {
  return { text: text.trim(), start: start + text.length - text.trimStart().length };
}
