import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { playSession, SHOP, withoutTimes } from '../../scripts/session/session.ts';

const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');

it('the first session of a newcomer is as docs/sandbox.md prints it: node scripts/session.ts writes it', async () => {
  const [, printed = ''] = /```text session\n([\s\S]*?)```/.exec(page) ?? [];
  const { lines } = await playSession();
  expect(withoutTimes(lines)).toEqual(withoutTimes(printed.trimEnd().split('\n')));
});

it('the docs show the server of the shop', () => {
  expect(page).toContain(`\`\`\`js fragment\n${SHOP}\`\`\``);
});

it('the times of the session are below three minutes', () => {
  const times = [...page.matchAll(/ {3}# at (\d+) s$/gm)].map(([, seconds]) => Number(seconds));
  expect(times.length).toBeGreaterThan(5);
  expect(Math.max(...times)).toBeLessThan(180);
});
