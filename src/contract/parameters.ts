import { kindOf } from './json.ts';
import { type Codec, optionalScalar, scalar } from './values/codecs.ts';
import { Decimal } from './values/decimal.ts';
import { codePoints, type DecimalLike, decimalText, isLoopback, Problem } from './values/scalars.ts';

/**
 * Money that the caller gives: a plain decimal string such as `"25.00"`, or a Decimal of any copy of decimal.js. A
 * number is refused, because it cannot hold every amount exactly, and a bigint, because `2500n` could mean 2500.00 or,
 * in cents, 25.00.
 */
export type DecimalInput = string | Decimal | DecimalLike;

/** The codec of a text of `min` to `max` code points. */
export function limitedText(min: number, max: number): Codec<string> {
  return scalar((value) => readText(value, min, max));
}

function readText(value: unknown, min: number, max: number): string | Problem {
  if (typeof value !== 'string') return new Problem(`must be a string, not ${kindOf(value)}`);
  if (value === '' && min > 0) return new Problem('must not be empty');
  // A code point has one or two units of a string's length, so most texts need no count.
  if (value.length > max * 2 || (value.length > max && codePoints(value) > max)) {
    return new Problem(`must have at most ${max} characters`);
  }
  if (codePoints(value.slice(0, min * 2)) < min) return new Problem(`must have at least ${min} characters`);
  if (!value.isWellFormed()) return new Problem('must be valid Unicode: it holds half of a surrogate pair');
  return value;
}

/** The codec of a parameter that the interface does not require. Null and undefined are left out of the request. */
function optional<T>(inner: (value: unknown) => T | Problem): Codec<T | undefined> {
  return optionalScalar((value) => (value === undefined || value === null ? undefined : inner(value)));
}

/** The codec of a currency code. A blank in it is none of a currency: a list would be empty, and nothing would say why. */
export function currencyCode(min: number, max: number): Codec<string> {
  return scalar((value) => readCode(value, min, max));
}

export function optionalCurrencyCode(min: number, max: number): Codec<string | undefined> {
  return optional((value) => readCode(value, min, max));
}

function readCode(value: unknown, min: number, max: number): string | Problem {
  const text = readText(value, min, max);
  return typeof text === 'string' && /\s/.test(text) ? new Problem('must not have white space in it: trim it') : text;
}

export function optionalText(min: number, max: number): Codec<string | undefined> {
  return optional((value) => readText(value, min, max));
}

/** The codec of a whole number in a range, written as query text. */
export function optionalInteger(min: number, max: number): Codec<string | undefined> {
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
  const problem = new Problem(`must be a whole number ${range}`);
  return optional((value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max ? String(value) : problem,
  );
}

/** The codec of one of the words that the interface lists. `plain` gives the form in which a word is compared. */
export function optionalWord(
  words: readonly string[],
  plain: (word: string) => string = (word) => word,
): Codec<string | undefined> {
  const problem = new Problem(`must be one of ${words.join(', ')}`);
  return optional((value) => (typeof value === 'string' && words.includes(plain(value)) ? value : problem));
}

/**
 * A numeric column of a database may write more than two decimals. Zeros after the second one are accepted and not
 * sent. A single one is not, because `20.000` is how some languages group 20000.
 */
const AMOUNT_TEXT = /^(?<sent>\d{1,30}(?:\.\d{1,2})?)(?:(?<=\.\d\d)00+)?$/;
const THREE_DECIMALS = /^\d{1,30}\.\d\d0$/;
const AMOUNT_MAX = 60;
const AMOUNT_RULE = 'must be a decimal string greater than 0 with at most 2 decimals, such as "25.00"';

/** An amount to charge as the text that is sent. A string keeps its digits. */
function amountText(value: unknown): string | Problem {
  if (typeof value === 'number') {
    return new Problem(
      `must not be a JavaScript number (${value}), which cannot hold every amount exactly: write it as text, amount: "25.00"`,
    );
  }
  if (typeof value === 'bigint') {
    return new Problem(
      'must not be a bigint, which could mean whole units or cents: write it as text, amount: "25.00"',
    );
  }
  if (typeof value === 'string' && THREE_DECIMALS.test(value)) {
    return new Problem(`must have at most 2 decimals, because some languages write thousands as "${value}"`);
  }
  const text = typeof value === 'string' ? value : decimalText(value);
  const given = text === null ? kindOf(value) : shownValue(text);
  const sent = text === null || text.length > AMOUNT_MAX ? undefined : AMOUNT_TEXT.exec(text)?.groups?.['sent'];
  return sent !== undefined && new Decimal(sent).gt(0) ? sent : new Problem(`${AMOUNT_RULE}, not ${given}`);
}

const SHOWN_MAX = 40;

/** A refused value for a message: whole, so that a key in it is found and hidden, or only its length. */
function shownValue(text: string): string {
  return text.length > SHOWN_MAX ? `a text of ${text.length} characters` : `"${text}"`;
}

export function amount(): Codec<string> {
  return scalar(amountText);
}

const URL_MAX = 512;
// URL parsing accepts spaces, control characters, backslashes, and missing or extra slashes. The service may not.
const URL_TEXT = /^https?:\/\/(?<authority>[^/?#\s\\\p{Cc}]+)(?:[/?#][^\s\\\p{Cc}]*)?$/iu;

/**
 * The codec of an address that the service calls or sends the customer to. Whether plain http is accepted depends
 * on the client: the endpoint names the members as its `addresses`.
 */
export function optionalUrl(): Codec<string | undefined> {
  return optional(readUrl);
}

const NOT_HTTPS = new Problem('must be an https:// address');
const NO_PLACEHOLDER = new Problem(
  'has a placeholder in brackets, which nothing fills in: write the id of the order there',
);

function readUrl(value: unknown): string | Problem {
  const text = readText(value, 1, URL_MAX);
  if (text instanceof Problem) return text;
  const missing = MISSING_IN_ADDRESS.exec(text)?.[1];
  if (missing !== undefined) return new Problem(`has the word ${missing} in it, where a value was missing`);
  if (/[{}<>]/.test(text)) return NO_PLACEHOLDER;
  const host = URL_TEXT.exec(text)?.groups?.['authority'];
  if (host?.includes('@'))
    return new Problem('must not contain a user name or password, because logs and customers see it');
  return host === undefined || !URL.canParse(text) ? NOT_HTTPS : text;
}

/** The problem of an address that would be called in clear text, or null. Loopback hosts are accepted. */
export function clearTextProblem(address: string): string | null {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || isLoopback(hostname)
    ? null
    : `${NOT_HTTPS.message}. On a private network, give the client allowHttp: true`;
}

/** What a program writes for a value that is not there, and a template that was not filled in. */
const MISSING = /(?:^|[^A-Za-z\d])(?:undefined|null|NaN|Invalid Date)$|\[object \w+\]|\$\{[^}]*\}/;
/** A host, or a segment of a path, that is such a word. In a query it does no harm, and is seen in working shops. */
const MISSING_IN_ADDRESS = /^[^?]*?(?:^|\/)(undefined|null|NaN)(?=[/:?#]|$)/;

/** True for a text that a program made of a value that was not there. */
export function isMadeOfMissing(text: string): boolean {
  return MISSING.test(text);
}

/**
 * The codec of the merchant's order id. Outer white space and other forms than NFC are refused: a service that
 * stores the text in another form would not find the invoice again.
 */
export function externalId(max: number): Codec<string> {
  return scalar((value) => {
    const text = readText(value, 1, max);
    if (text instanceof Problem) return text;
    if (text.trim() !== text) return new Problem('must not begin or end with white space: trim it');
    // Two orders with such an id would share an invoice.
    if (isMadeOfMissing(text)) return new Problem(`is made of a missing value: ${shownValue(text)}`);
    return text.normalize('NFC') === text
      ? text
      : new Problem("must be in the Unicode form NFC: give external_id.normalize('NFC')");
  });
}

const IDENT_MAX = 128;

/**
 * The codec of a path parameter. `.` and `..` are refused, because URL parsing would remove them from the path.
 */
export function ident(): Codec<string> {
  return scalar(readIdent);
}

/** A sentence about an ident that many servers refuse, or an empty text. For a request that was refused. */
export function identHint({ ident: given = '' }: { readonly ident?: string | undefined }): string {
  return given.includes('/') ? 'The id has a slash, which many servers refuse in a path: pass the uuid.' : '';
}

function readIdent(value: unknown): string | Problem {
  const text = readText(value, 1, IDENT_MAX);
  return text === '.' || text === '..'
    ? new Problem('must not be "." or "..", which a URL cannot carry as a path segment')
    : text;
}
