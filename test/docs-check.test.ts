import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEntries } from '../scripts/build/entries.ts';
import { gapsIn } from '../scripts/docs-check/rules.ts';
import { compileSources, type Sources } from '../scripts/docs-check/surface.ts';

const ROOT = join(import.meta.dirname, '..');
mkdirSync(join(ROOT, 'coverage'), { recursive: true });
const folder = mkdtempSync(join(ROOT, 'coverage', 'docs-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ERROR = `/**
 * Any failure.
 * @example
 * if (error instanceof MerchantError) console.error(error);
 */
export class MerchantError extends Error {}
`;

const FUNCTION = `/**
 * Doubles a number.
 * @throws MerchantError for anything else.
 * @example
 * double(2);
 */
export function double(value: number): number {
  if (Number.isNaN(value)) throw new MerchantError('no number');
  return value * 2;
}
`;

const CLIENT = `/** Charges. */
export interface Invoices {
  /**
   * Creates one.
   * @throws MerchantError (\`SDK_CONNECTION\`) without a network.
   * @example
   * await merchant.invoices.create({ amount: '25.00' });
   */
  create(params: CreateParams): Promise<void>;
}
/** The parameters of a charge. */
export interface CreateParams {
  /** At most 2 decimals. */
  readonly amount: string;
}
/**
 * The client.
 * @example
 * const merchant = new MerchantClient();
 */
export class MerchantClient {
  /** Charges. */
  readonly invoices: Invoices = { create: () => send() };
}
async function send(): Promise<void> {
  throw new MerchantError('offline');
}
`;

const whole = ERROR + FUNCTION + CLIENT;

/** The parameters of a charge, with an example of their own. */
const shown = whole.replace(
  '/** The parameters of a charge. */',
  "/**\n * The parameters of a charge.\n * @example\n * const params: CreateParams = { amount: '25.00' };\n */",
);

/** Each row takes one thing away from the whole, or adds one symbol that lacks it. */
const PLANTED: readonly [what: string, source: string, gap: string][] = [
  ['a function without a summary', whole.replace(' * Doubles a number.\n', ''), 'double: summary'],
  ['a function without an example', whole.replace(' * @example\n * double(2);\n', ''), 'double: @example'],
  [
    'a function that throws and does not say so',
    whole.replace(/ \* @throws MerchantError for.*\n/, ''),
    'double: @throws',
  ],
  ['an error without an example', whole.replace(/ \* @example\n \* if \(error.*\n/, ''), 'MerchantError: @example'],
  [
    'a member of the client without a summary',
    whole.replace('  /** Charges. */\n  readonly', '  readonly'),
    'MerchantClient.invoices: summary',
  ],
  [
    'a method of the client without an example',
    shown.replace(/ {3}\* @example\n.*\n/, ''),
    'Invoices.create: @example',
  ],
  [
    'a method of the client that only fails inside',
    whole.replace(/ {3}\* @throws.*\n/, ''),
    'Invoices.create: @throws',
  ],
  [
    'an error without its code',
    whole.replace('@throws MerchantError for', '@throws RangeError for'),
    'double: code in "@throws RangeError"',
  ],
  [
    'a code that does not exist',
    whole.replace('SDK_CONNECTION', 'SDK_CONECTION'),
    'Invoices.create: SDK_CONECTION, which is not a code',
  ],
  [
    'options that no example shows',
    whole.replace("create({ amount: '25.00' })", 'create(params)'),
    'CreateParams: @example',
  ],
  ['an option without a summary', whole.replace('  /** At most 2 decimals. */\n', ''), 'CreateParams.amount: summary'],
  [
    'data that may be null, without a word about it',
    `${whole}/** A row. */\nexport interface Row {\n  readonly name: string;\n  readonly paid: Date | null;\n}\n`,
    'Row.paid: summary',
  ],
  [
    'a number without its unit',
    `${whole}/** A row. */\nexport interface Row {\n  readonly name: string;\n  readonly age: number;\n}\n`,
    'Row.age: summary',
  ],
  [
    'a method that no example calls',
    `${whole}/** A row. */\nexport interface Row {\n  /** Removes it. */\n  remove(): void;\n}\n`,
    'Row.remove: @example',
  ],
  ['a union of words without a summary', `${whole}export type Word = 'a' | 'b';\n`, 'Word: summary'],
];

const ACCEPTED: readonly [what: string, source: string][] = [
  [
    'a function that catches its failure',
    `${whole}/**\n * Tries.\n * @example\n * tried();\n */\nexport function tried(): void {\n  try {\n    double(NaN);\n  } catch {}\n}\n`,
  ],
  [
    'a function that says it never throws',
    whole.replace(' * @throws MerchantError for anything else.\n', ' * It never throws.\n'),
  ],
  ['a default value in place of a summary', whole.replace('/** At most 2 decimals. */', "/** @defaultValue '0.00' */")],
  [
    'text and Booleans that speak for themselves',
    `${whole}/** A row. */\nexport interface Row {\n  readonly name: string;\n  readonly paid: boolean;\n}\n`,
  ],
  [
    'the part of an object of another package',
    `${whole}/** The part of a response that is used. */\nexport interface Response {\n  status: number;\n  end(): void;\n}\n`,
  ],
  ['what is internal', `${whole}/** @internal */\nexport function secret(): void {}\n`],
];

const sources = [whole, ...PLANTED.map(([, source]) => source), ...ACCEPTED.map(([, source]) => source)];
const files = new Map(sources.map((source, index) => [source, join(folder, `package-${index}.ts`)]));
let compiled: Sources;
beforeAll(() => {
  for (const [source, file] of files) writeFileSync(file, source);
  compiled = compileSources(`${folder}/`, [...files.values()]);
});

/** What the check says about a package of this one file, as `line name: what is missing`. */
function gapsOf(source: string): string[] {
  const entries = [files.get(source) ?? ''];
  return gapsIn({ ...compiled, entries }).map(({ line, name, missing }) => `${line} ${name}: ${missing}`);
}

it('the check says nothing about documentation that is whole', () => {
  expect(gapsOf(whole)).toEqual([]);
});

describe('the check names', () => {
  it.each(PLANTED)('%s', (_, source, gap) => {
    expect(source).not.toBe(whole);
    expect(gapsOf(source)).toEqual([expect.stringMatching(new RegExp(`^\\d+ ${gap.replace(/[.()]/g, '\\$&')}$`))]);
  });

  it('the line of the symbol', () => {
    const [gap = ''] = gapsOf(PLANTED[1]?.[1] ?? '');
    const line =
      ERROR.split('\n').length + FUNCTION.split('\n').findIndex((text) => text.includes('export function')) - 2;
    expect(gap).toBe(`${line} double: @example`);
  });
});

describe('the check accepts', () => {
  it.each(ACCEPTED)('%s', (_, source) => {
    expect(source).not.toBe(whole);
    expect(gapsOf(source)).toEqual([]);
  });
});

it('finds nothing in this package', () => {
  const entries = readEntries().map(({ source }) => join(ROOT, 'src', `${source}.ts`));
  expect(gapsIn(compileSources(join(ROOT, 'src/'), entries))).toEqual([]);
});
