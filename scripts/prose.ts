// `npm run prose [-- src/webhooks docs/cli.md]`: spelling, expressions that are hard to understand, and the length
// of sentences. `--count` shows how many findings each folder and each rule has.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { type Finding, findingsOf } from './prose/findings.ts';
import { countOne } from './runs.ts';

const PAGES = ['README.md', 'AGENTS.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'docs/**/*.md'];
const SOURCES = ['src/**/*.ts', 'examples/**/*.{ts,md}', 'scripts/**/*.{ts,mjs}', 'matrix/{*,engine/*,cells/*}.ts'];
/** The service's words, and the table of expressions itself. */
const QUOTED = ['docs/service-interface.md', 'scripts/prose/expressions.ts'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true }, count: { type: 'boolean', default: false } },
});
const only = [...(values.only ?? []), ...positionals].map((path) => path.replace(/^\.\/|\/+$/g, ''));
const isAsked = (file: string) =>
  only.length === 0 || only.some((path) => file === path || file.startsWith(`${path}/`));
const filesOf = (globs: readonly string[]) =>
  globSync(globs)
    .map((file) => file.replaceAll(sep, '/'))
    .filter(isAsked)
    .sort();

const files = filesOf([...PAGES, ...SOURCES]);
if (files.length === 0) throw new Error(`no prose in ${only.join(', ')}`);
const findings = files
  .filter((file) => !QUOTED.includes(file))
  .flatMap((file) => findingsOf(file, readFileSync(file, 'utf8')));

if (values.count) {
  printCounts(
    'folder',
    findings.map(({ file, rule }) => `${dirname(file)}: ${rule}`),
  );
  printCounts(
    'rule',
    findings.map(({ rule, instead }) => (rule === 'expression' ? `say: ${instead}` : rule)),
  );
} else for (const finding of findings) console.log(lineOf(finding));
console.log(`${findings.length} findings in ${files.length} files`);

const isSpelt = passes('cspell', ['--no-progress', '--no-summary', ...files]);
if (findings.length > 0 || !isSpelt) process.exitCode = 1;

function lineOf({ file, line, rule, found, instead }: Finding): string {
  return `${file}:${line} ${rule}: "${found}" – ${instead}`;
}

function printCounts(head: string, names: readonly string[]): void {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) countOne(counts, name);
  console.log(`by ${head}`);
  for (const [name, count] of Object.entries(counts)) console.log(`${String(count).padStart(6)} ${name}`);
}

/** Runs a program of a development dependency, as npm and npx put it on the path. */
function passes(program: string, words: readonly string[]): boolean {
  const { status, error } = spawnSync(program, words, { stdio: 'inherit' });
  if (error !== undefined) throw error;
  return status === 0;
}
