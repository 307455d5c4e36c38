/** A request read from a file. */
export interface RawRequest {
  /** Name to values in their order, with names as written. */
  readonly headers: Readonly<Record<string, string[]>>;
  readonly body: Uint8Array;
  /** A note about a change of the body, or null. */
  readonly remark: string | null;
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/;
/** No request of the service comes near. More are not read. */
const HEADERS_MAX = 1_000;

/** Splits headers and body of a raw HTTP request. Null if the bytes are something else. Lines may end with LF or CRLF. */
export function readRawRequest(bytes: Uint8Array): RawRequest | null {
  const text = Buffer.from(bytes).toString('latin1'); // one character per byte, so positions are byte positions
  const border = /\r?\n\r?\n/.exec(text);
  if (border === null) return null;
  const lines = text.slice(0, border.index).split(/\r?\n/);
  if (/^[A-Z]+ \S+/.test(lines[0] ?? '') && !HEADER.test(lines[0] ?? '')) lines.shift();
  const headers = readHeaders(lines);
  if (headers === null) return null;
  const body = bytes.subarray(border.index + border[0].length);
  return { headers, ...cutToLength(headers, body) };
}

/** `Name: value` lines as headers, or null if one is something else. */
export function readHeaders(lines: readonly string[]): Record<string, string[]> | null {
  if (lines.length > HEADERS_MAX) return null;
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined) return null;
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [value.trim()]);
    else values.push(value.trim());
  }
  return Object.fromEntries(headers); // own members, also for a header named `constructor`
}

/** Removes a line break after the body that an editor or a shell added, where Content-Length shows it. */
function cutToLength(
  headers: Readonly<Record<string, string[]>>,
  body: Uint8Array,
): Pick<RawRequest, 'body' | 'remark'> {
  const name = Object.keys(headers).find((each) => each.toLowerCase() === 'content-length');
  const length = Number(headers[name ?? '']?.[0] ?? Number.NaN);
  const rest = Number.isInteger(length) && length >= 0 ? Buffer.from(body.subarray(length)).toString('latin1') : '';
  if (!/^\r?\n$/.test(rest)) return { body, remark: null };
  return { body: body.subarray(0, length), remark: 'a line break after the end of the body was left out' };
}
