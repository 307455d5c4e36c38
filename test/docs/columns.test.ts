import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const COLUMNS = 80;
/** GitHub cuts code of a README behind this column. */
const README_COLUMNS = 76;
const FENCE = /^ *(`{3,})/;

/** The lines of code that are wider than the column that the site, GitHub and a terminal show. */
function wideLines(file: string, text: string, columns = COLUMNS): string[] {
  let fence = file.endsWith('.md') ? null : '';
  return text.split('\n').flatMap((line, index) => {
    const [, mark] = (file.endsWith('.md') && FENCE.exec(line)) || [];
    if (mark !== undefined && (fence === null || line.trim() === fence)) {
      fence = fence === null ? mark : null;
      return [];
    }
    // A formatter keeps the title of a test in the line of its call.
    const isTooWide = fence !== null && [...line].length > columns && !/^ *(?:test|it)\('/.test(line);
    return isTooWide ? [`${file}:${index + 1}: ${line}`] : [];
  });
}

it('printed code fits 80 columns', () => {
  const files = globSync(['docs/*.md', 'examples/**/*.{ts,css,md}'], { cwd: ROOT, exclude: ['**/node_modules/**'] });
  expect(files.length).toBeGreaterThan(80);
  expect(files.flatMap((file) => wideLines(file, readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});

it('code of the README fits 76 columns', () => {
  expect(wideLines('README.md', readFileSync(join(ROOT, 'README.md'), 'utf8'), README_COLUMNS)).toEqual([]);
});

const wide = 'x'.repeat(COLUMNS + 1);
it.each([
  ['a.md', `${wide}\n\`\`\`ts\n${wide.slice(1)}\n\`\`\`\n${wide}`, 0],
  ['a.md', `\`\`\`ts\n${wide}\n\`\`\`\n`, 1],
  ['a.md', `  \`\`\`\`ts\n\`\`\`\n${wide}\n  \`\`\`\`\n`, 1],
  ['a.ts', `${wide}\ntest('${wide}', () => {`, 1],
])('the check of columns reads %s %j', (file, text, count) => {
  expect(wideLines(file, text)).toHaveLength(count);
});
