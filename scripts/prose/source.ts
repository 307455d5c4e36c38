// The prose in a TypeScript file: its comments, and the text literals that are sentences. The compiler finds both.
import ts from 'typescript';
import { type Passage, passagesOf, whole } from './passages.ts';

/** Comments for tools. */
const DIRECTIVE = /^\s*(?:biome-ignore|@ts-|cspell:|v8 ignore|\/ <reference)/;
/** Three words in a row. */
const SENTENCE = /[a-z]{2,}[,:]? [a-z]+[,:]? [a-z]+/i;
/** SQL, Lua, CSS and JavaScript. */
const CODE =
  /\b(?:SELECT|INSERT|UPDATE|TABLE|TRANSACTION|ISOLATION|NULL)\b|redis\.call|[;{]\s*\n|\{[^{}]*:[^{}]*;|^\s*(?:import|const|return|var) /m;

/** The passages of a file, in the order of its lines. */
export function passagesOfSource(file: string, text: string): Passage[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineAt = (place: number) => source.getLineAndCharacterOfPosition(place).line + 1;
  const comments = new Map<number, ts.CommentRange>();
  const passages: Passage[] = [];

  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (children.length === 0) {
      const around = [ts.getLeadingCommentRanges(text, node.pos), ts.getTrailingCommentRanges(text, node.end)];
      for (const range of around.flatMap((ranges) => ranges ?? [])) comments.set(range.pos, range);
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const literal = literalText(node, source);
      if (SENTENCE.test(literal) && !CODE.test(literal))
        passages.push(...pieces(literal, (place) => lineAt(node.getStart(source) + 1 + place)));
    }
    for (const child of children) visit(child);
  };
  visit(source);

  const ordered = [...comments.values()].sort((a, b) => a.pos - b.pos);
  for (const range of together(ordered, text)) {
    const lines = text.slice(range.pos, range.end).split(/\r?\n/).map(withoutMarks);
    if (!DIRECTIVE.test(lines[0] ?? '')) passages.push(...passagesOf(lines, lineAt(range.pos)));
  }
  return passages;
}

/** The text between the quotes, as long as in the file. Each inserted value is one word. */
function literalText(node: ts.StringLiteralLike | ts.TemplateExpression, source: ts.SourceFile): string {
  const start = node.getStart(source);
  let text = node.getText(source);
  for (const { expression, literal } of ts.isTemplateExpression(node) ? node.templateSpans : []) {
    const [from, to] = [expression.pos - 2 - start, literal.getStart(source) + 1 - start];
    text = text.slice(0, from) + whole(text.slice(from, to).replace(/\n/g, ' ')) + text.slice(to);
  }
  return text.slice(1, -1).replace(/\\n/g, '  ').replace(/\\(.)/g, '$1$1');
}

/** A literal is cut at line ends, columns and tags of HTML, as a screen shows it. */
function pieces(literal: string, lineAt: (place: number) => number): Passage[] {
  const shown = literal.replace(/<[^<>]+>/g, (tag) => ' '.repeat(tag.length));
  return [...shown.matchAll(/\S+(?: \S+)*/g)].flatMap(({ 0: piece, index }) => passagesOf([piece], lineAt(index)));
}

/** Line comments that follow each other are one. */
function together(ranges: readonly ts.CommentRange[], text: string): { pos: number; end: number }[] {
  const merged: { pos: number; end: number; kind: ts.CommentKind }[] = [];
  for (const { pos, end, kind } of ranges) {
    const last = merged.at(-1);
    const adjacent = last !== undefined && /^\r?\n[ \t]*$/.test(text.slice(last.end, pos));
    if (adjacent && kind === ts.SyntaxKind.SingleLineCommentTrivia && last.kind === kind) last.end = end;
    else merged.push({ pos, end, kind });
  }
  return merged;
}

/** One line of a comment without what makes it a comment. */
function withoutMarks(line: string): string {
  return line.replace(/^\s*(?:\/\*\*?|\/\/|\*(?!\/)) ?/, '').replace(/\s*\*\/$/, '');
}
