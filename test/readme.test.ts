import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from './docs/blocks.ts';
import { isPrinted, modulesOf } from './docs/modules.ts';
import { type Consumer, installNode, installPacked, ownNode } from './support/consumer.ts';
import { freePort } from './support/free-port.ts';

// What the README promises as a whole. test/docs runs its code, as that of every page.

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');
const [first] = modulesOf('README.md', readme);
if (first === undefined) throw new Error('the README has no code');
const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

describe('the README', () => {
  it('is short, and shows a payment after at most fifty words', () => {
    expect(wordsOf(readme)).toBeLessThan(900);
    const [, before = ''] = /^# .*\n([\s\S]*?)```js/.exec(readme) ?? [];
    expect(wordsOf(before.replace(/```\w*/g, ''))).toBeLessThanOrEqual(50);
  });

  it('has the commands that these tests and the gate run, and no others', () => {
    const shell = blocksOf('README.md', readme).filter(({ language }) => language === 'sh');
    expect(shell.map(({ code }) => code)).toEqual([
      'npm install merchant-invoicing',
      'npx merchant-invoicing sandbox',
      'npm ci && npm start',
      'npm ci && npm test',
    ]);
    expect(read('.ci/run')).toContain('\nnpm ci && npm test\n');
  });
});

describe("the README's first file, as pasted in an empty folder", () => {
  let newcomer: Consumer;
  beforeAll(() => {
    newcomer = installPacked({ fresh: true });
  });
  afterAll(() => newcomer?.remove());

  it('has the name that the README gives it', () => {
    expect(readme).toContain('Save this as `first.mjs`, and run `node first.mjs`');
  });

  it.each(['20.20', '22', '24'])('takes a payment on Node %s', async (version) => {
    const own = [{ path: process.execPath, major: Number(process.versions.node.split('.')[0]) }, ownNode()];
    const found = own.find((node) => node?.major === Number(version.split('.')[0]));
    const node = found ?? installNode(version);
    if (node === null) return; // installNode prints the reason
    const ran = await newcomer.run('first.mjs', first.code, {
      node: node.path,
      env: { PORT: String(await freePort()) },
    });
    if ('remove' in node) node.remove();
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(isPrinted(first.prints, ran.stdout), ran.stdout).toBe(true);
  });
});
