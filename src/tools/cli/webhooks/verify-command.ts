import { instantFrom } from '../../../contract/values/scalars.ts';
import { WebhookVerificationError } from '../../../errors/classes.ts';
import type { WebhookReason } from '../../../errors/codes.ts';
import { printable } from '../../../errors/printable.ts';
import { utf8 } from '../../../webhooks/crypto.ts';
import type { InvoiceEvent } from '../../../webhooks/event/event-types.ts';
import { type Fact, reasonText } from '../../../webhooks/reasons.ts';
import { readHeaders, requiredHeaders } from '../../../webhooks/verify/headers.ts';
import { parseTimestamp } from '../../../webhooks/verify/signature.ts';
import { verifyWebhook } from '../../../webhooks/verify/verify.ts';
import { fingerprintOf, whyMismatch } from '../../../webhooks/verify/why.ts';
import { parseAbsent, readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { EXIT, type ExitCode, type Io, misuse } from '../io.ts';
import { jsonLine, styleOf, wrapped } from '../terminal.ts';
import { type BodyReading, type CapturedRequest, readCaptured } from './captured-request.ts';
import { readSecrets } from './delivery.ts';

const EXAMPLE = exampleOf(COMMANDS['webhooks verify']);

/** `webhooks verify`: verifies a request as the receiver of the package does, and explains a refusal. */
export async function webhooksVerify(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments(COMMANDS['webhooks verify'], args, 'webhooks verify');
  const { secrets: given, source } = readSecrets(values.secret, io.env, 'any form');
  const secrets = given.map(utf8); // as bytes, which may have any form: a wrong one is found, not refused
  const request = await readRequest(io);
  const style = styleOf(io);
  const now = values.at === undefined ? undefined : parseInstant(values.at);
  const options = {
    sandbox: true,
    now,
    orderIdMember: values['order-id-member'],
    adjustedMember: values['adjusted-member'],
    adjustedAbsent: parseAbsent(values['adjusted-absent'], EXAMPLE),
  };
  const { reading, event, error } = await verifySent(request, (body) =>
    verifyWebhook(body, request.headers, secrets, options),
  );
  const { body, remark } = reading;
  if (event !== null) {
    if (values.json) {
      io.out(jsonLine({ ok: true, remark, event }));
      return EXIT.fine;
    }
    const name = event.type === 'unknown' && event.event_name !== null ? `  named ${event.event_name}` : '';
    const facts = [
      ['event', `${event.type}  ${event.status ?? ''}${name}`],
      ['order', `${event.external_id ?? 'none'}  (invoice ${event.invoice_uuid ?? 'none'})`],
      ['signed at', `${event.signed_at?.toISOString()}`],
      ['secret', `${source}${secrets.length > 1 ? `, number ${(event.secretIndex ?? 0) + 1}` : ''}`],
      ...(remark === null ? [] : [['note', remark] as const]),
    ] as const;
    const lines = facts.map(([fact, text]) => `${wrapped(printable(text), 13, `  ${fact.padEnd(11)}`)}\n`);
    io.out(`  ${style.good('✓ genuine')}\n${lines.join('')}`);
    return EXIT.fine;
  }
  const { reason } = error;
  const mistake =
    reason === 'signature_mismatch' ? await whyMismatch(body, readHeaders(request.headers), secrets) : null;
  const fact = mistake === null ? agedFact(reason, request, now) : { cause: mistake.text, remedy: mistake.remedy };
  const message = fact === null ? error.message : reasonText(reason, fact);
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

type Verified =
  | { readonly reading: BodyReading; readonly event: InvoiceEvent; readonly error: null }
  | { readonly reading: BodyReading; readonly event: null; readonly error: WebhookVerificationError };

/**
 * Verifies the reading of the body that was sent: the one whose signature matches. Where none does, the one that is as
 * long as Content-Length says is explained, otherwise the first.
 */
async function verifySent(
  { headers, readings }: CapturedRequest,
  verify: (body: Uint8Array) => Promise<InvoiceEvent>,
): Promise<Verified> {
  const mismatches: Verified[] = [];
  for (const reading of readings) {
    try {
      return { reading, event: await verify(reading.body), error: null };
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      if (error.reason !== 'signature_mismatch') return { reading, event: null, error };
      mismatches.push({ reading, event: null, error });
    }
  }
  const [, length] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-length') ?? [];
  const fitting = mismatches.find(({ reading }) => String(reading.body.length) === length?.[0]);
  return fitting ?? (mismatches[0] as Verified); // a request has a reading at least
}

/** What is said of an age: a captured delivery is always old, and the clock of a receiver says nothing of it. */
function agedFact(reason: WebhookReason, { headers }: CapturedRequest, at = Date.now()): Fact | null {
  if (reason !== 'timestamp_too_old' && reason !== 'timestamp_too_new') return null;
  const stamp = parseTimestamp(requiredHeaders(readHeaders(headers)).timestamp).toISOString();
  return {
    cause: `The signature matches. The timestamp is ${stamp}, and the delivery is judged at ${new Date(at).toISOString()}.`,
    remedy:
      'Give the time at which it arrived. If the receiver refused it then, compare its clock with that of the sender.',
  };
}

/** The flag of this command that may help. */
const FLAGS: Partial<Record<WebhookReason, string>> = {
  timestamp_too_old: '--at TIME-OF-ARRIVAL',
  timestamp_too_new: '--at TIME-OF-ARRIVAL',
  malformed_payload: '--help all   # the flags for a member with another name',
};

function parseInstant(text: string): number {
  const at = /^\d{10}(?:\d{3})?$/.test(text) ? Number(text.padEnd(13, '0')) : instantFrom(text);
  if (at !== null) return at;
  const problem = `--at takes a time such as 2026-01-31T12:00:00Z or Unix seconds, not ${JSON.stringify(text)}`;
  throw misuse(problem, `${EXAMPLE} --at 2026-01-31T12:00:00Z`);
}

async function readRequest(io: Io): Promise<CapturedRequest> {
  // At a terminal the command would wait for input and print nothing.
  if (io.isInputTerminal) throw misuse('webhooks verify reads a request from standard input', EXAMPLE);
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.input()) chunks.push(chunk);
  const request = readCaptured(Buffer.concat(chunks));
  if (request !== null) return request;
  throw misuse('standard input holds no request: it needs header lines, an empty line and the body', EXAMPLE);
}
