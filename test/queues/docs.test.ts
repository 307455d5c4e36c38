import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('docs/queues.md shows the examples, to the letter', () => {
  const [, ...blocks] = [...read('docs/queues.md').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code); // without the first lines
  expect(blocks).toEqual([read('examples/queues/pg-boss.ts'), read('examples/queues/bullmq.ts')]);
});

it.each(['pg-boss', 'bullmq'])('docs/queues.md names the version of %s that the tests use', (name) => {
  const { devDependencies } = JSON.parse(read('package.json'));
  expect(read('docs/queues.md')).toContain(`npm install ${name}@${devDependencies[name]} `);
});
