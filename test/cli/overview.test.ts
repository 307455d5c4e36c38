import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { cli } from './command-line.ts';

const COMMANDS = [
  [],
  ['sandbox'],
  ['sandbox', 'pay'],
  ['webhooks'],
  ['webhooks', 'check'],
  ['webhooks', 'send'],
  ['webhooks', 'verify'],
  ['doctor'],
];

describe('the help', () => {
  it.each(COMMANDS.map((words) => [words.join(' ') || '(none)', words] as const))(
    'of %s fits one screen and starts with an example',
    async (_, words) => {
      const { code, out, err } = await cli([...words, '--help']);
      expect([code, err]).toEqual([0, '']);
      const lines = out.split('\n');
      expect(lines.length).toBeLessThanOrEqual(28);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(out).toMatch(/^Example\n {2}.*npx merchant-invoicing /);
    },
  );

  it.each([['sandbox'], ['webhooks', 'check'], ['reconcile']])(
    'of %s shows the rare flags behind --help all',
    async (...words) => {
      const short = (await cli([...words, '--help'])).out;
      const { code, out } = await cli([...words, '--help', 'all']);
      expect([code, out.split('\n').length <= 34]).toEqual([0, true]);
      const flagsOf = (text: string) => [...text.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, flag]) => flag);
      expect(flagsOf(out)).toEqual(expect.arrayContaining(flagsOf(short).filter((flag) => flag !== '--help')));
      expect(short).toContain(`--help all`);
      expect(out).not.toContain('--help all');
      expect(flagsOf(out).length).toBeGreaterThan(flagsOf(short).length);
    },
  );

  it('keeps each command apart from what it does', async () => {
    const { out } = await cli(['--help']);
    expect(out).not.toMatch(/IDENT[a-z]/);
    expect(out).toMatch(/^ {2}sandbox pay\|fail\|cancel\|expire IDENT {2,}end it$/m);
  });

  it('is what no command, help and -h say', async () => {
    const { out } = await cli(['--help']);
    for (const args of [[], ['help'], ['-h']]) expect(await cli(args)).toEqual({ code: 0, out, err: '' });
    expect((await cli(['help', 'doctor'])).out).toBe((await cli(['doctor', '--help'])).out);
  });

  it('has a version beside it', async () => {
    expect(await cli(['--version'])).toEqual({ code: 0, out: `${VERSION}\n`, err: '' });
  });
});

describe('misuse', () => {
  it('is JSON for scripts', async () => {
    const { code, out, err } = await cli(['sandbox', 'pay', '--json']);
    expect([code, err]).toEqual([2, '']);
    expect(JSON.parse(out)).toEqual({
      ok: false,
      error: { message: 'pay needs an order', fix: 'npx merchant-invoicing sandbox pay order-1042' },
    });
  });

  it('shows no control character of what was typed', async () => {
    const { err } = await cli(['\u001b[31mred']);
    expect(err).not.toContain('\u001b');
  });
});

describe('colour', () => {
  const run = (setting: { isTerminal?: boolean; env?: Record<string, string> }) => cli(['doctor'], setting);
  it('is for terminals, and not with NO_COLOR or a dumb one', async () => {
    expect((await run({ isTerminal: true })).out).toContain('\u001b[');
    expect((await run({})).out).not.toContain('\u001b');
    expect((await run({ isTerminal: true, env: { NO_COLOR: '1' } })).out).not.toContain('\u001b');
    expect((await run({ isTerminal: true, env: { TERM: 'dumb' } })).out).not.toContain('\u001b');
  });
});
