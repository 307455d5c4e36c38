// A request out of a file, as an editor, a shell or a log has kept it.

/** A raw HTTP request, with the ways in which its body can be read. */
export interface CapturedRequest {
  /** Name to values in their order, with names as written. */
  readonly headers: Readonly<Record<string, string[]>>;
  /** The likelier one first. Only a signature says which one was sent. */
  readonly readings: readonly BodyReading[];
}

/** The body of a captured request, in one reading. */
export interface BodyReading {
  readonly body: Uint8Array;
  /** What was done to the file, or null. */
  readonly remark: string | null;
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/;

/**
 * Splits headers and body of a raw HTTP request. Null if the bytes are something else. Lines may end with LF or CRLF,
 * and the file may be UTF-8 with or without a byte order mark, or UTF-16.
 */
export function readCaptured(file: Uint8Array): CapturedRequest | null {
  const { bytes, remark } = asUtf8(file);
  const text = Buffer.from(bytes).toString('latin1'); // one character per byte, so positions are byte positions
  const border = /\r?\n\r?\n/.exec(text);
  if (border === null) return null;
  const lines = text.slice(0, border.index).split(/\r?\n/);
  if (/^[A-Z]+ \S+/.test(lines[0] ?? '')) lines.shift();
  const found = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined) return null;
    const values = found.get(name) ?? [];
    values.push(value.trim());
    found.set(name, values);
  }
  const headers = Object.fromEntries(found); // own members, also for a header named `constructor`
  const readings = readingsOf(bytes.subarray(border.index + border[0].length)).map((reading) => ({
    body: reading.body,
    remark: [remark, reading.remark].filter((each) => each !== null).join(', ') || null,
  }));
  return { headers, readings };
}

/** The file as UTF-8 without a mark. PowerShell writes UTF-16, in which every second byte of a header's name is 0. */
function asUtf8(file: Uint8Array): { readonly bytes: Uint8Array; readonly remark: string | null } {
  const [first, second, third] = file;
  if (first === 0xef && second === 0xbb && third === 0xbf)
    return { bytes: file.subarray(3), remark: 'the byte order mark of the file was left out' };
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  if (!isLittle && !isBig) return { bytes: file, remark: null };
  const text = new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(file); // which drops a mark
  return { bytes: new TextEncoder().encode(text), remark: 'the file was read as UTF-16' };
}

/** The body without a line break that an editor or a shell has added, as it is, and without the escapes of a log. */
function readingsOf(body: Uint8Array): readonly BodyReading[] {
  const text = Buffer.from(body).toString('utf8');
  const plain = text.replace(/(?:\r?\n)+$/, '');
  const asItIs = { body, remark: null };
  const trimmed =
    plain === text ? [] : [{ body: body.subarray(0, body.length - (text.length - plain.length)), remark: LINE_BREAK }];
  const unescaped = ESCAPES.flatMap(([name, read]) => {
    const sent = read(plain.trim());
    return sent === null || sent === plain
      ? []
      : [{ body: Buffer.from(sent), remark: `the body was escaped ${name}, and was read back` }];
  });
  return [...trimmed, asItIs, ...unescaped];
}

const LINE_BREAK = 'the line break at the end of the file was left out';

/** How a log writes a body, and how it is read back. Null where the text cannot be of that form. */
const ESCAPES: readonly (readonly [name: string, read: (text: string) => string | null])[] = [
  ['as JSON text', (text) => jsonText(text) ?? jsonText(`"${text}"`)],
  ['as Python or JavaScript text', (text) => quotedText(text)],
  ['with \\x22, as nginx and Apache do', (text) => hexText(text)],
  ['with doubled quotes, as in CSV', (text) => /^"([\s\S]*)"$/.exec(text)?.[1]?.replaceAll('""', '"') ?? null],
  ['as HTML', (text) => (/&(?:quot|#34|#x22);/i.test(text) ? htmlText(text) : null)],
  ['as base64', (text) => (/^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64').toString('utf8') : null)],
  ['as in an address', (text) => (/^%7B/i.test(text) ? addressText(text) : null)],
];

function jsonText(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** `b'{"a": 1}'` or `'{"a": 1}'`: quotes, and a backslash before a quote and a backslash. */
function quotedText(quoted: string): string | null {
  const [, inner] = /^b?'([\s\S]*)'$/.exec(quoted) ?? [];
  if (inner === undefined) return null;
  const text = inner.replace(/\\(['\\])/g, '$1');
  return hexText(text) ?? text;
}

/** Bytes as `\xHH`, those of a letter outside of ASCII too. */
function hexText(text: string): string | null {
  if (!/\\x[0-9a-f]{2}/i.test(text)) return null;
  const bytes = Buffer.from(text, 'utf8').toString('latin1'); // one character per byte
  const read = bytes.replace(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(read, 'latin1').toString('utf8');
}

function htmlText(text: string): string {
  const named: Readonly<Record<string, string>> = { quot: '"', '#34': '"', '#x22': '"', '#39': "'", lt: '<', gt: '>' };
  return text
    .replace(/&(quot|#34|#x22|#39|lt|gt);/gi, (_, name: string) => named[name.toLowerCase()] ?? '')
    .replaceAll('&amp;', '&'); // last, so that &amp;quot; stays &quot;
}

function addressText(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
