// `npm run docs:check` lists the public symbols whose documentation lacks a summary, an example or an error, one line each.
// It prints nothing when the documentation is complete. scripts/docs-check/rules.ts says which symbol needs what.
import { join, relative } from 'node:path';
import { ROOT, readEntries } from './build/entries.ts';
import { gapsIn } from './docs-check/rules.ts';
import { compileSources } from './docs-check/surface.ts';

const entries = readEntries().map(({ source }) => join(ROOT, 'src', `${source}.ts`));
const gaps = gapsIn(compileSources(join(ROOT, 'src/'), entries));
for (const { path, line, name, missing } of gaps) {
  console.log(`${relative(ROOT, path)}:${line} ${name}: no ${missing}`);
}
if (gaps.length > 0) process.exitCode = 1;
