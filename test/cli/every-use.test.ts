import { describe, expect, it } from 'vitest';
import { COMMANDS, COMMON_FLAGS, type CommandTable } from '../../src/cli/commands.ts';
import { cli } from './command-line.ts';
import { ACTION_USES } from './uses/action-uses.ts';
import { DOCTOR_USES, RECONCILE_USES } from './uses/other-uses.ts';
import { SANDBOX_USES } from './uses/sandbox-uses.ts';
import { type Both, gives, newPlace, type Use, type Uses, valued, type Words } from './uses/use.ts';
import { CHECK_USES, SEND_USES, VERIFY_USES } from './uses/webhook-uses.ts';

/** The uses of some command. */
interface AnyUses {
  readonly flags: Readonly<Record<string, Both>>;
  readonly terms: Readonly<Record<string, Both>>;
}

const USES: { readonly [Command in keyof typeof COMMANDS]: Uses<Command> } = {
  sandbox: SANDBOX_USES,
  'sandbox action': ACTION_USES,
  'webhooks check': CHECK_USES,
  'webhooks send': SEND_USES,
  'webhooks verify': VERIFY_USES,
  reconcile: RECONCILE_USES,
  doctor: DOCTOR_USES,
};

interface Case {
  readonly name: string;
  readonly use: Use;
}

const CASES: readonly Case[] = Object.entries<AnyUses>(USES).flatMap(([command, { terms, flags }]) => {
  const both = (name: string, { good, bad }: Both): Case[] => [
    { name: `${command} ${name}, as it should be`, use: good },
    { name: `${command} ${name}, wrong`, use: bad },
  ];
  return [
    ...Object.entries(terms).flatMap(([name, uses]) => both(name, uses)),
    ...Object.entries(flags).flatMap(([name, uses]) => both(`--${name}`, uses)),
  ];
});

/** A whole use of each command, which `--json` turns into JSON. `sandbox` is in its own table. */
const WHOLE: { readonly [Command in Exclude<keyof typeof COMMANDS, 'sandbox'>]: Words } = {
  'sandbox action': ({ url }) => ['sandbox', 'status', '--url', url],
  'webhooks check': ({ receiver }) => ['webhooks', 'check', receiver],
  'webhooks send': ({ receiver }) => ['webhooks', 'send', 'paid', receiver],
  'webhooks verify': ['webhooks', 'verify'],
  reconcile: ({ file }) => ['reconcile', '--orders', file('o.csv', 'external_id,amount,currency,state\n')],
  doctor: ['doctor'],
};

describe('every flag and every word of the help', () => {
  it.each(CASES)('$name', async ({ use }) => use(await newPlace()));

  it('has both uses', () => {
    const listed = Object.entries<CommandTable>(COMMANDS).map(([name, { terms = {}, flags }]) => [
      name,
      Object.keys(terms),
      Object.keys(flags),
    ]);
    const tried = Object.entries<AnyUses>(USES).map(([name, { terms, flags }]) => [
      name,
      Object.keys(terms),
      Object.keys(flags),
    ]);
    expect(tried).toEqual(listed);
    expect(Object.keys(COMMON_FLAGS)).toEqual(['json', 'help']);
  });
});

describe('the flags of every command', () => {
  const names = Object.keys(COMMANDS).map((name) => [name, name === 'sandbox action' ? 'sandbox pay' : name] as const);

  it.each(names)('%s: --help prints the help, and takes no value', async (_, command) => {
    const words = command.split(' ');
    await gives([...words, '--help'], /^Example\n {2}/)(await newPlace());
    await gives([...words, '-h'], /^Example\n {2}/)(await newPlace());
    await valued(words, 'json')(await newPlace());
    expect((await cli([...words, '--help=yes'])).code).toBe(2);
  });

  it.each(Object.entries(WHOLE))('%s: --json prints JSON alone', async (_, words) => {
    const place = await newPlace();
    const request = await cli(['webhooks', 'send', 'paid', 'http://127.0.0.1:1/w', '--dry-run']);
    const args = typeof words === 'function' ? await words(place) : words;
    const { code, out, err } = await cli([...args, '--json'], { env: place.env, input: request.out });
    expect([code, err]).toEqual([0, '']);
    const texts = out.includes('\n{') && !out.startsWith('{\n') ? out.trimEnd().split('\n') : [out];
    for (const text of texts) expect(() => JSON.parse(text)).not.toThrow();
  });
});
