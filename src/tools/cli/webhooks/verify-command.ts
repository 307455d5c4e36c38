import { instantFrom } from '../../../contract/values/scalars.ts';
import { WebhookVerificationError } from '../../../errors/classes.ts';
import type { WebhookReason } from '../../../errors/codes.ts';
import { printable } from '../../../errors/printable.ts';
import { utf8 } from '../../../webhooks/crypto.ts';
import { reasonText } from '../../../webhooks/reasons.ts';
import { readHeaders } from '../../../webhooks/verify/headers.ts';
import { verifyWebhook } from '../../../webhooks/verify/verify.ts';
import { fingerprintOf, whyMismatch } from '../../../webhooks/verify/why.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { EXIT, type ExitCode, type Io, misuse } from '../io.ts';
import { jsonLine, styleOf, wrapped } from '../terminal.ts';
import { readSecrets } from './delivery.ts';

const EXAMPLE = exampleOf(COMMANDS['webhooks verify']);

interface RawRequest {
  /** Name to values in their order, with names as written. */
  readonly headers: Readonly<Record<string, string[]>>;
  readonly body: Uint8Array;
  /** A note about a change of the body, or null. */
  readonly remark: string | null;
}

/** `webhooks verify`: verifies a request as the receiver of the package does, and explains a refusal. */
export async function webhooksVerify(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments(COMMANDS['webhooks verify'], args, 'webhooks verify');
  const { secrets: given, source } = readSecrets(values.secret, io.env, 'any form');
  const secrets = given.map(utf8); // as bytes, which may have any form: a wrong one is found, not refused
  const { headers, body, remark } = await readRequest(io);
  const style = styleOf(io);
  const now = values.at === undefined ? undefined : parseInstant(values.at);
  try {
    const event = await verifyWebhook(body, headers, secrets, {
      sandbox: true,
      now,
      orderIdMember: values['order-id-member'],
    });
    if (values.json) {
      io.out(jsonLine({ ok: true, remark, event }));
      return EXIT.fine;
    }
    const name = event.type === 'unknown' && event.event_name !== null ? `  named ${event.event_name}` : '';
    const facts = [
      `event      ${event.type}  ${event.status ?? ''}${name}`,
      `order      ${event.external_id ?? 'none'}  (invoice ${event.invoice_uuid ?? 'none'})`,
      `signed at  ${event.signed_at?.toISOString()}`,
      `secret     ${source}${secrets.length > 1 ? `, number ${(event.secretIndex ?? 0) + 1}` : ''}`,
      ...(remark === null ? [] : [`note       ${remark}`]),
    ];
    io.out(`  ${style.good('✓ genuine')}\n${facts.map((fact) => `  ${printable(fact)}\n`).join('')}`);
    return EXIT.fine;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const { reason } = error;
    const mistake = reason === 'signature_mismatch' ? await whyMismatch(body, readHeaders(headers), secrets) : null;
    const message =
      mistake === null ? error.message : reasonText(reason, { cause: mistake.text, remedy: mistake.remedy });
    const fingerprints = await Promise.all(secrets.map(fingerprintOf));
    if (values.json) io.out(jsonLine({ ok: false, reason, cause: mistake?.id ?? null, message, remark, fingerprints }));
    else {
      io.out(`  ${style.bad('✗ refused')}  ${reason}\n${wrapped(printable(message), 4)}\n`);
      io.out(`    secret: ${source}, fingerprint ${fingerprints.join(' and ')}\n`);
      const flag = FLAGS[reason];
      if (flag !== undefined) io.out(`  try: ${EXAMPLE} ${flag}\n`);
    }
    return EXIT.finding;
  }
}

/** The flag of this command that may help. */
const FLAGS: Partial<Record<WebhookReason, string>> = {
  timestamp_too_old: '--at TIME-OF-ARRIVAL',
  timestamp_too_new: '--at TIME-OF-ARRIVAL',
  malformed_payload: '--order-id-member NAME',
};

function parseInstant(text: string): number {
  const at = /^\d{10}(?:\d{3})?$/.test(text) ? Number(text.padEnd(13, '0')) : instantFrom(text);
  if (at !== null) return at;
  const problem = `--at takes a time such as 2026-01-31T12:00:00Z or Unix seconds, not ${JSON.stringify(text)}`;
  throw misuse(problem, `${EXAMPLE} --at 2026-01-31T12:00:00Z`);
}

async function readRequest(io: Io): Promise<RawRequest> {
  // At a terminal the command would wait for input and print nothing.
  if (io.isInputTerminal) throw misuse('webhooks verify reads a request from standard input', EXAMPLE);
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.input()) chunks.push(chunk);
  const request = splitRequest(Buffer.concat(chunks));
  if (request !== null) return request;
  throw misuse('standard input holds no request: it needs header lines, an empty line and the body', EXAMPLE);
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/;

/**
 * Splits headers and body of a raw HTTP request. Null if the bytes are something else. Lines may end with LF or CRLF.
 */
function splitRequest(bytes: Uint8Array): RawRequest | null {
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
  const start = border.index + border[0].length;
  // An editor or a shell adds a line break after the body, which Content-Length shows.
  const name = Object.keys(headers).find((each) => each.toLowerCase() === 'content-length') ?? '';
  const end = start + Number(headers[name]?.[0] ?? Number.NaN);
  const isLonger = end >= start && /^\r?\n$/.test(text.slice(end));
  const remark = isLonger ? 'a line break after the end of the body was left out' : null;
  return { headers, body: bytes.subarray(start, isLonger ? end : undefined), remark };
}
