// Measures the built entries and compares them with sizes.json: `npm run sizes`. Fails if one has grown by more than 3 %,
// or loads a module at import that is not recorded. `npm run sizes -- --record` writes what is measured. A folder as
// last argument is measured in place of this one.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { problems, table } from './sizes/compare.ts';
import { measure, type Sizes } from './sizes/measure.ts';

const HERE = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const FILE = join(HERE, 'sizes.json');
const words = process.argv.slice(2);
const isRecording = words.includes('--record');
const root = resolve(words.find((word) => !word.startsWith('--')) ?? HERE);

const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Sizes;
const measured = await measure(root);
console.log(table(recorded, measured));
if (isRecording) writeFileSync(FILE, `${JSON.stringify(measured, null, 2)}\n`);
else {
  const found = problems(recorded, measured);
  for (const line of found) console.error(line);
  if (found.length > 0) {
    console.error('If the change is intended, run npm run sizes -- --record, and say why in the commit.');
    process.exitCode = 1;
  }
}
