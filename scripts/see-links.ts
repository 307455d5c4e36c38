// `node scripts/see-links.ts`: after sources have moved, gives the links of their comments into docs/ the right depth.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

for (const found of globSync('src/**/*.ts', { cwd: ROOT })) {
  const path = found.replaceAll('\\', '/');
  const text = readFileSync(join(ROOT, path), 'utf8');
  const linked = text.replace(/\]\((?:\.\.\/)+docs\//g, () => `](${posix.relative(posix.dirname(path), 'docs')}/`);
  if (linked === text) continue;
  writeFileSync(join(ROOT, path), linked);
  console.log(path);
}
