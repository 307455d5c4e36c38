import { WebhookVerificationError } from '../../errors/classes.ts';
import { printable } from '../../printable.ts';
import { diagnoseMismatch } from '../../webhooks/diagnose.ts';
import { verifyWebhook } from '../../webhooks/verify/verify.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { EXIT, type ExitCode, fileBytes, type Io, misuse } from '../io.ts';
import { jsonLine, styleOf } from '../report.ts';
import { readSecrets } from './delivery.ts';
import { type RawRequest, readHeaders, readRawRequest } from './raw-request.ts';

const EXAMPLE = exampleOf(COMMANDS['webhooks verify']);

/** `webhooks verify`: verifies a request as the receiver of the package does, and explains a refusal. */
export async function webhooksVerify(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments(COMMANDS['webhooks verify'], args, 'webhooks verify');
  const { secrets: list, source } = readSecrets(values.secret, io.env);
  const { headers, body, remark } = await readRequest(values, io);
  const style = styleOf(io);
  const now = values.at === undefined ? undefined : parseInstant(values.at);
  try {
    const event = await verifyWebhook(body, headers, list, {
      now,
      orderIdMember: values['order-id-member'],
    });
    if (values.json) {
      io.out(jsonLine({ ok: true, remark, event }));
      return EXIT.fine;
    }
    const facts = [
      `event      ${event.type}  ${event.status}${event.type === 'unknown' && event.event_name !== null ? `  named ${event.event_name}` : ''}`,
      `order      ${event.external_id}  (invoice ${event.invoice_uuid})`,
      `signed at  ${event.signed_at?.toISOString()}`,
      `secret     ${source}${list.length > 1 ? `, number ${(event.secretIndex ?? 0) + 1}` : ''}`,
      ...(remark === null ? [] : [`note       ${remark}`]),
    ];
    io.out(`  ${style.good('genuine')}\n${facts.map((fact) => `  ${printable(fact)}\n`).join('')}`);
    return EXIT.fine;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const { reason } = error;
    const cause = reason === 'signature_mismatch' ? await diagnoseMismatch(body, headers, list) : null;
    const message = cause === null ? error.message : `The signature does not match: ${cause}`;
    if (values.json) io.out(jsonLine({ ok: false, reason, message, remark }));
    else
      io.out(
        `  ${style.bad('refused')}  ${reason}\n  ${printable(message)}\n  secret: ${source}\n  try: ${fixFor(reason)}\n`,
      );
    return EXIT.finding;
  }
}

function fixFor(reason: string): string {
  if (reason === 'timestamp_too_old' || reason === 'timestamp_too_new') return `${EXAMPLE} --at TIME-OF-ARRIVAL`;
  if (reason === 'malformed_payload') return `${EXAMPLE} --order-id-member NAME   # if the order id has another name`;
  if (reason === 'signature_mismatch') return `${EXAMPLE} --secret THE-SECRET-OF-THE-DASHBOARD`;
  return 'npx merchant-invoicing webhooks send paid http://127.0.0.1:3000/webhook --dry-run   # prints a genuine request';
}

async function readRequest(
  values: { readonly body?: string | undefined; readonly header: readonly string[] },
  io: Io,
): Promise<RawRequest> {
  if (values.body === undefined) {
    // At a terminal the command would wait for input without a word.
    if (io.keyboard !== null) throw misuse('webhooks verify reads a request from standard input', EXAMPLE);
    const request = readRawRequest(await io.readInput());
    if (request !== null) return request;
    throw misuse(
      'standard input holds no request: it needs header lines, an empty line and the body, and no more than 1,000 headers',
      EXAMPLE,
    );
  }
  const fix =
    "npx merchant-invoicing webhooks verify --body body.json -H 'X-Webhook-Signature: …' -H 'X-Webhook-Timestamp: …' -H 'X-Webhook-Id: …'";
  const headers = readHeaders(values.header);
  if (headers === null) throw misuse("--header takes 'Name: value'", fix);
  return { headers, body: fileBytes(values.body, fix), remark: null };
}

function parseInstant(text: string): number {
  const at = /^\d{10}$/.test(text) ? Number(text) * 1000 : /^\d{13}$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isNaN(at)) return at;
  throw misuse(
    `--at takes a time such as 2026-01-31T12:00:00Z or Unix seconds, not ${JSON.stringify(text)}`,
    `${EXAMPLE} --at 2026-01-31T12:00:00Z`,
  );
}
