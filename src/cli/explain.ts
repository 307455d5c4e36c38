import { existsSync, readFileSync } from 'node:fs';
import { readArguments } from './arguments.ts';
import { COMMANDS } from './commands.ts';
import { EXIT, type ExitCode, type Io, misuse } from './io.ts';
import { styleOf } from './report.ts';

const FIX = 'npx merchant-invoicing explain';

/** One code, as docs/errors.md describes it. */
interface Explanation {
  readonly code: string;
  /** The error class, or a description of it. */
  readonly class: string;
  readonly cause: string;
  readonly remedy: string;
  readonly example: string;
}

/** Prints the cause, the remedy and an example of an error code, from the docs in the package. */
export async function explain(args: readonly string[], io: Io): Promise<ExitCode> {
  const { positionals, values } = readArguments(COMMANDS.explain, args, 'explain');
  const all = readExplanations();
  const [given] = positionals;
  if (given === undefined) {
    if (values.json) io.out(`${JSON.stringify(all)}\n`);
    else for (const { code, cause } of all) io.out(`${code}\n  ${cause}\n`);
    return EXIT.fine;
  }
  const found = explanationOf(given, all);
  io.out(values.json ? `${JSON.stringify(found)}\n` : toText(found, io));
  return EXIT.fine;
}

/** @throws CliError for a text that cannot be a code, and for an unknown code of the package. */
function explanationOf(given: string, all: readonly Explanation[]): Explanation {
  const code = given.trim().toUpperCase();
  const inDocs = /^SDK_HTTP_\d+$/.test(code) ? 'SDK_HTTP_STATUS' : code;
  const found = all.find((each) => each.code === inDocs || each.code === `SDK_WEBHOOK_${code}`);
  if (found !== undefined) return inDocs === code ? found : { ...found, code };
  if (code.startsWith('SDK_')) throw misuse(`this version has no code ${JSON.stringify(given)}`, FIX);
  if (!/^\w[\w.:-]{0,127}$/.test(code)) throw misuse(`${JSON.stringify(given)} is not an error code`, FIX);
  return {
    code: given.trim(),
    class: 'the class of the status',
    cause: 'The service refused the request. The code is from the service, and its interface does not describe it.',
    remedy: "Read the message of the error. Match the code with hasCode(error, 'CODE').",
    example: `if (hasCode(error, '${given.trim()}')) console.log(error.message);`,
  };
}

function readExplanations(): Explanation[] {
  const places = ['../docs/errors.md', '../../docs/errors.md'].map((path) => new URL(path, import.meta.url));
  const page = places.find((place) => existsSync(place)); // next to dist/, or two folders above the source
  if (page === undefined)
    throw misuse('the package is incomplete: docs/errors.md is missing', 'npm install merchant-invoicing');
  const sections = readFileSync(page, 'utf8').split(/^#{2,3} /m);
  return sections.flatMap((section) => {
    const parts = /^([A-Z_]+)\n\n(.+?)\. (.+?)\n\n\*\*Remedy\.\*\* (.+?)\n\n```ts[^\n]*\n(.+?)\n```/s.exec(section);
    if (parts === null) return [];
    const [, code = '', name = '', cause = '', remedy = '', example = ''] = parts;
    return [{ code, class: plain(name), cause: plain(cause), remedy: plain(remedy), example }];
  });
}

/** Markdown as plain text on one line. A link to another page names its file, which is in the package. */
function plain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\(([\w-]+\.md)[^)]*\)/g, '$1 (docs/$2)')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .replace(/\s+/g, ' ');
}

function toText({ code, class: name, cause, remedy, example }: Explanation, io: Io): string {
  const style = styleOf(io);
  const lines = example.split('\n').map((line) => `  ${line}`);
  return `${[`${style.strong(code)}  ${style.soft(name)}`, '', wrapped(cause), '', style.soft('Remedy'), wrapped(remedy), '', style.soft('Example'), ...lines].join('\n')}\n`;
}

/** Breaks a text into indented lines of at most 78 characters. */
function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    const line = `${lines[last]} ${word}`;
    if (line.length > 77) lines.push(` ${word}`);
    else lines[last] = line;
  }
  return lines.map((line) => ` ${line}`).join('\n');
}
