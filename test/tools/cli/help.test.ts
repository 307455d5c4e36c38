import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../src/errors/version.ts';
import { COMMANDS } from '../../../src/tools/cli/commands.ts';
import { cli } from './command-line.ts';

const NAMES = ['', 'webhooks', ...Object.keys(COMMANDS).map((name) => name.replace('action', 'pay'))];
const flagsOf = (help: string) => [...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, flag]) => flag);

describe('the help', () => {
  it.each(NAMES)(
    'of "%s" fits one screen, starts with an example, and shows the rare flags behind --help all',
    async (name) => {
      const words = name.split(' ').filter(Boolean);
      const { code, out, err } = await cli([...words, '--help']);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/^Example\n {2}.*npx merchant-invoicing /);
      const lines = out.split('\n');
      expect(lines.length).toBeLessThanOrEqual(28);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      expect((await cli([...words, '-h'])).out).toBe(out);
      expect((await cli(['help', ...words])).out).toBe(out);
      for (const flag of ['--help=yes', '--json=yes']) expect((await cli([...words, flag])).code).toBe(2);

      const all = (await cli([...words, '--help', 'all'])).out;
      if (!out.includes('--help all')) return expect(all).toBe(out);
      expect(all.split('\n').length).toBeLessThanOrEqual(34);
      expect(all).not.toContain('--help all');
      const [usual, every] = [flagsOf(out).filter((flag) => flag !== '--help'), flagsOf(all)];
      expect(every.length).toBeGreaterThan(usual.length);
      expect(every).toEqual(expect.arrayContaining(usual));
    },
  );

  it('keeps each command apart from what it does', async () => {
    const { out } = await cli([]);
    expect(out).toBe((await cli(['--help'])).out);
    expect(out).not.toMatch(/IDENT[a-z]/);
    expect(out).toMatch(/^ {2}sandbox fail\|cancel\|expire IDENT {2,}ends it unpaid$/m);
  });

  it('has a version beside it', async () => {
    expect(await cli(['--version'])).toEqual({ code: 0, out: `${VERSION}\n`, err: '' });
  });
});

it('misuse is JSON for scripts', async () => {
  const { code, out, err } = await cli(['sandbox', 'pay', '--json']);
  expect([code, err]).toEqual([2, '']);
  expect(JSON.parse(out)).toEqual({
    ok: false,
    error: { message: 'pay needs an order', fix: 'npx merchant-invoicing sandbox pay order-1042' },
  });
});

it('misuse shows no control character of what was typed', async () => {
  expect((await cli(['\u001b[31mred'])).err).not.toContain('\u001b');
});

it.each([
  [true, { isTerminal: true }],
  [false, {}],
  [false, { isTerminal: true, env: { NO_COLOR: '1' } }],
  [false, { isTerminal: true, env: { TERM: 'dumb' } }],
])('there is colour (%j) for terminals, and not with NO_COLOR or a dumb one: %j', async (isColored, setting) => {
  expect((await cli(['doctor'], setting)).out.includes('\u001b[')).toBe(isColored);
});
