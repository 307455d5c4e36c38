import { checkOptions, type Fail, kindOf } from '../checks.ts';

/** One point of a dialect file. */
export interface DialectPoint {
  /** The value of the service. Absent where it was hidden. */
  readonly value?: string | number | undefined;
  /** Why the value could not be seen: another point, or a word that `docs/going-live.md` explains. */
  readonly maskedBy?: string | undefined;
  /** How often it was seen. */
  readonly seen: number;
  /** The requests that showed it, as templates without any id. */
  readonly at: readonly string[];
}

/**
 * The content of `merchant-invoicing.dialect.json`: how one service fills in what the interface leaves open. The command
 * `merchant-invoicing probe` writes it. It holds words of this package and counts, and no value of the service.
 *
 * @example
 * const merchant = new MerchantClient({ dialect: './merchant-invoicing.dialect.json' });
 * @see [Going live](../../docs/going-live.md)
 */
export interface DialectFile {
  /** The version of the format. */
  readonly merchantInvoicingDialect: number;
  /** The version of the package that wrote it. */
  readonly package: string;
  readonly points: Readonly<Record<string, DialectPoint>>;
}

/** The parsed content of a dialect file, or its path where `node:fs` exists. */
export type DialectSource = DialectFile | string;

/** The format that this version reads and writes. */
export const DIALECT_FORMAT = 1;

const FILE_NAMES: ReadonlySet<string> = new Set(['merchantInvoicingDialect', 'package', 'points']);
const POINT_NAMES: ReadonlySet<string> = new Set(['value', 'maskedBy', 'seen', 'at']);

/** True for the content of a dialect file, whatever is wrong in it. */
export function isDialectFile(given: unknown): given is DialectFile {
  return typeof given === 'object' && given !== null && Object.hasOwn(given, 'merchantInvoicingDialect');
}

/**
 * Reads the content of a dialect file, or the file itself, and checks its form.
 *
 * @param fail Throws the error of the option. The message names what is wrong.
 */
export function readDialectFile(given: unknown, fail: Fail): DialectFile {
  const content = typeof given === 'string' ? parsedFile(given, fail) : given;
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    fail(`dialect must be the content of a dialect file, or its path, not ${kindOf(content)}`);
  }
  if (!isDialectFile(content)) {
    return fail(
      'dialect is not a dialect file: it has no merchantInvoicingDialect. `merchant-invoicing probe` writes one',
    );
  }
  const { merchantInvoicingDialect: format, package: version, points } = content;
  if (typeof format === 'number' && format > DIALECT_FORMAT) {
    fail(`dialect has the format ${format}, and this version reads ${DIALECT_FORMAT}: update merchant-invoicing`);
  }
  if (format !== DIALECT_FORMAT)
    fail(`dialect.merchantInvoicingDialect must be ${DIALECT_FORMAT}, not ${kindOf(format)}`);
  checkOptions('dialect', content, FILE_NAMES, fail);
  if (typeof version !== 'string') fail(`dialect.package must be the version of the package, not ${kindOf(version)}`);
  if (typeof points !== 'object' || points === null || Array.isArray(points)) {
    fail(`dialect.points must be an object, not ${kindOf(points)}`);
  }
  for (const [name, point] of Object.entries(points)) checkPoint(`dialect.points.${name.slice(0, 40)}`, point, fail);
  return content;
}

function checkPoint(name: string, point: DialectPoint, fail: Fail): void {
  checkOptions(name, point, POINT_NAMES, fail);
  const { value, maskedBy, seen, at } = point;
  if (value !== undefined && typeof value !== 'string' && typeof value !== 'number') {
    fail(`${name}.value must be text or a number, not ${kindOf(value)}`);
  }
  if (maskedBy !== undefined && typeof maskedBy !== 'string')
    fail(`${name}.maskedBy must be text, not ${kindOf(maskedBy)}`);
  if ((value === undefined) === (maskedBy === undefined)) fail(`${name} must have either value or maskedBy`);
  if (!Number.isSafeInteger(seen) || seen < 1) fail(`${name}.seen must be a whole number from 1`);
  if (!Array.isArray(at) || !at.every((each) => typeof each === 'string')) fail(`${name}.at must be a list of texts`);
}

function parsedFile(path: string, fail: Fail): unknown {
  const process = (globalThis as { readonly process?: Partial<NodeJS.Process> }).process; // workers have none
  const fs = process?.getBuiltinModule?.('node:fs');
  if (fs === undefined) {
    return fail('dialect is a path, and this runtime has no node:fs: import the file, and give its content');
  }
  let text: string;
  try {
    text = fs.readFileSync(path, 'utf8');
  } catch {
    return fail(`dialect: the file ${JSON.stringify(path.slice(0, 200))} cannot be read`);
  }
  try {
    return JSON.parse(text);
  } catch {
    return fail(`dialect: the file ${JSON.stringify(path.slice(0, 200))} is not JSON`);
  }
}

/** The values of a file by point. Points that were hidden are left out. */
export function valuesOf({ points }: DialectFile): Readonly<Record<string, string | number>> {
  const values = Object.entries(points).flatMap(([name, { value }]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(values);
}
