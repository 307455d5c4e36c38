import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLinesOf, faultOf } from './command-lines.ts';
import { REPOSITORY, readPages } from './pages.ts';

/** The scripts of each package.json that is next to a page, or above it. */
function scriptsOf(page: string): string[] {
  const folder = dirname(page);
  const manifest = join(REPOSITORY, folder, 'package.json');
  const { scripts = {} } = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : {};
  return [...Object.keys(scripts), ...(folder === '.' ? [] : scriptsOf(folder))];
}

/** The record of what was. */
const HISTORY = 'CHANGELOG.md';

it('the commands of all Markdown files agree with the help and with package.json', () => {
  const lines = [...readPages()]
    .filter(([page]) => page !== HISTORY)
    .flatMap(([page, text]) => commandLinesOf(text).map((command) => ({ page, ...command })));
  expect(lines.length).toBeGreaterThan(80);
  const faults = lines.map(({ page, line, text }) => {
    const fault = faultOf(text, scriptsOf(page));
    return fault === null ? null : `${page}:${line} ${text}: ${fault}`;
  });
  expect(faults.filter((fault) => fault !== null)).toEqual([]);
});

describe('the check of commands', () => {
  const faultsOf = (text: string) => commandLinesOf(text).map((command) => faultOf(command.text, ['test', 'bench']));

  it('finds commands in blocks and in the text, with their lines', () => {
    const page =
      'Use `npx merchant-invoicing doctor`.\n\n```sh\nexport A=1\nA=2 npx merchant-invoicing probe\n$ npm run bench -- x\n```\n';
    expect(commandLinesOf(page)).toEqual([
      { line: 5, text: 'npx merchant-invoicing probe' },
      { line: 6, text: 'npm run bench -- x' },
      { line: 1, text: 'npx merchant-invoicing doctor' },
    ]);
    expect(
      commandLinesOf('```ts\nconst text = "npx merchant-invoicing none";\n```\nnpx merchant-invoicing none'),
    ).toEqual([]);
  });

  it.each([
    '`npx merchant-invoicing`',
    '`npx merchant-invoicing sandbox --port 0 --seed 7 # a comment`',
    '`npx merchant-invoicing sandbox pay|fail IDENT`',
    '`npx merchant-invoicing sandbox underpay order-1 17.00 --url http://127.0.0.1:4010`',
    '`npx merchant-invoicing webhooks verify --header "X-Webhook-Id: 1" --body file < request.txt`',
    '`npx merchant-invoicing reconcile --orders orders.csv --json | jq .kind`',
    '`npm run -s bench -- --full`',
  ])('accepts %s', (text) => {
    expect(faultsOf(text)).toEqual([null]);
  });

  it.each([
    ['`npx merchant-invoicing sandbox --prot 0`', "Unknown option '--prot'"],
    ['`npx merchant-invoicing sandbocks`', 'there is no command sandbocks'],
    ['`npx merchant-invoicing webhooks chek URL`', 'there is no command webhooks chek'],
    ['`npx merchant-invoicing sandbox pya order-1`', 'sandbox has no action pya'],
    ['`npx merchant-invoicing explain ONE TWO`', 'does not take "TWO"'],
    ['`npx merchant-invoicing webhooks send URL`', 'needs 2 words'],
    ['`npx merchant-invoicing probe --pace`', 'argument missing'],
    ['`npm run bnech`', 'there is no script bnech'],
  ])('notices %s', (text, fault) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(fault)]);
  });
});
