import { readFileSync } from 'node:fs';
import { WebhookVerificationError } from '../../errors/classes.ts';
import { printable } from '../../printable.ts';
import { verifyWebhook } from '../../webhooks/verify/verify.ts';
import { readArguments } from '../arguments.ts';
import { EXIT, type ExitCode, type Io, misuse } from '../io.ts';
import { styleOf } from '../style.ts';
import { secretsOf } from './flags.ts';
import { headersFrom, type RawRequest, readRawRequest } from './raw-request.ts';

const EXAMPLE = 'merchant-invoicing webhooks verify < request.txt';

/** `webhooks verify`: what the package's own receiver says of a request, and why. */
export async function webhooksVerify(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = readArguments(
    args,
    {
      secret: { type: 'string', multiple: true },
      body: { type: 'string' },
      header: { type: 'string', multiple: true, short: 'H' },
      at: { type: 'string' },
      'order-id-member': { type: 'string' },
      'paid-event': { type: 'string', multiple: true },
      'canceled-event': { type: 'string', multiple: true },
    },
    'webhooks verify',
  );
  const [extra] = positionals;
  if (extra !== undefined)
    throw misuse(
      `webhooks verify reads standard input, not ${JSON.stringify(extra)}`,
      `merchant-invoicing webhooks verify < ${extra}`,
    );
  const { list, source } = secretsOf(values.secret, io.env);
  const { headers, body, remark } = await requestOf(values, io);
  const style = styleOf(io);
  const now = values.at === undefined ? undefined : instantOf(values.at);
  try {
    const event = await verifyWebhook(body, headers, list, {
      now,
      orderIdMember: values['order-id-member'],
      eventNames: { paid: values['paid-event'], canceled: values['canceled-event'] },
    });
    if (values.json) {
      io.out(`${JSON.stringify({ ok: true, remark, event })}\n`);
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
    const { reason, message } = error;
    if (values.json) io.out(`${JSON.stringify({ ok: false, reason, message, remark })}\n`);
    else
      io.out(
        `  ${style.bad('refused')}  ${reason}\n  ${printable(message)}\n  secret: ${source}\n  try: ${mendFor(reason)}\n`,
      );
    return EXIT.finding;
  }
}

function mendFor(reason: string): string {
  if (reason === 'timestamp_too_old' || reason === 'timestamp_too_new') return `${EXAMPLE} --at TIME-OF-ARRIVAL`;
  if (reason === 'malformed_payload')
    return `${EXAMPLE} --order-id-member NAME   # where the order id has another name`;
  if (reason === 'signature_mismatch') return `${EXAMPLE} --secret THE-SECRET-OF-THE-DASHBOARD`;
  return 'merchant-invoicing webhooks send paid http://127.0.0.1:3000/webhook --dry-run   # what a good one looks like';
}

async function requestOf(
  values: { readonly body?: string | undefined; readonly header?: readonly string[] | undefined },
  io: Io,
): Promise<RawRequest> {
  if (values.body === undefined) {
    // At a terminal nothing would come, and nothing would say so.
    if (io.keyboard !== null) throw misuse('webhooks verify reads a request from standard input', EXAMPLE);
    const request = readRawRequest(await io.readInput());
    if (request !== null) return request;
    throw misuse('standard input holds no request: header lines, an empty line and the body are wanted', EXAMPLE);
  }
  const mend =
    "merchant-invoicing webhooks verify --body body.json -H 'X-Webhook-Signature: …' -H 'X-Webhook-Timestamp: …' -H 'X-Webhook-Id: …'";
  const headers = headersFrom(values.header ?? []);
  if (headers === null) throw misuse("--header takes 'Name: value'", mend);
  try {
    return { headers, body: readFileSync(values.body), remark: null };
  } catch {
    throw misuse(`cannot read ${values.body}`, mend);
  }
}

function instantOf(text: string): number {
  const at = /^\d{10}$/.test(text) ? Number(text) * 1000 : /^\d{13}$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isNaN(at)) return at;
  throw misuse(
    `--at takes a time such as 2026-01-31T12:00:00Z or Unix seconds, not ${JSON.stringify(text)}`,
    `${EXAMPLE} --at 2026-01-31T12:00:00Z`,
  );
}
