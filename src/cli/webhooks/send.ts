import { shellWord } from '../../sandbox/page/copies.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { EXIT, type ExitCode, fileBytes, type Io, misuse } from '../io.ts';
import { excerpt, jsonLine, styleOf } from '../report.ts';
import {
  deliver,
  EVENT_KINDS,
  type EventKind,
  isAcknowledged,
  parsePaid,
  readSender,
  redacted,
  runningSandbox,
  sampleEvent,
  sampleHeaders,
  throwIfUnreachable,
} from './delivery.ts';

const EXAMPLE = exampleOf(COMMANDS['webhooks send']);
/** The event names of the command line and of the service. */
const NAMES: Readonly<Record<string, EventKind>> = {
  ...Object.fromEntries(EVENT_KINDS.map((kind) => [kind, kind])),
  'invoice.paid': 'paid',
  'invoice.canceled': 'canceled',
};

/** `webhooks send EVENT URL`: sends one signed delivery. */
export async function webhooksSend(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = readArguments(COMMANDS['webhooks send'], args, 'webhooks send');
  const [name = '', address] = positionals;
  const kind = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (kind === undefined) {
    throw misuse(
      name === ''
        ? 'webhooks send needs an event and an address'
        : `there is no event ${JSON.stringify(name)}, only ${Object.keys(NAMES).join(', ')}`,
      EXAMPLE,
    );
  }
  const sender = readSender(address, values, io.env, EXAMPLE);
  const { url, dialect, timeout, externalId } = sender;
  const [secret = ''] = sender.secrets;
  const paid = parsePaid(kind, values.paid, sender.order.amount, EXAMPLE);
  if (values.from !== undefined) refuseBesideFrom(values);
  const order = { ...sender.order, paid, externalId: externalId ?? `sent-${crypto.randomUUID().slice(0, 8)}` };
  const isNew = externalId === null && values.from === undefined && !values['dry-run'];
  const create = isNew ? await runningSandbox(sender.sandbox) : null;
  const sample = await sampleEvent(
    kind,
    create === null ? order : { ...order, uuid: await create(kind, order) },
    dialect,
  );
  const given = values.from === undefined ? null : String(fileBytes(values.from, `${EXAMPLE} --from body.json`));
  const event = given === null ? sample : { ...sample, body: given };
  const headers = await sampleHeaders(event, secret, dialect, Date.now());

  if (values['dry-run']) {
    const { host, pathname, search } = new URL(url);
    // With the length, `webhooks verify` can remove a line break that a shell or an editor adds at the end.
    const length = String(Buffer.byteLength(event.body));
    const lines = Object.entries({ Host: host, 'Content-Length': length, ...headers }).map(
      ([header, value]) => `${header}: ${value}`,
    );
    const text = [`POST ${pathname}${search} HTTP/1.1`, ...lines, '', event.body].join('\n');
    io.out(values.json ? jsonLine({ url, headers, body: event.body }) : `${text}\n`);
    return EXIT.fine;
  }

  const reply = await deliver(url, { method: 'POST', headers, body: event.body }, timeout);
  throwIfUnreachable(url, reply, `send ${name}`);
  const ok = isAcknowledged(reply);
  const text = redacted(reply.text, [secret]);
  if (values.json) {
    io.out(
      jsonLine({ ok, url, event: event.eventType, id: headers['X-Webhook-Id'], body: event.body, ...reply, text }),
    );
  } else {
    const style = styleOf(io);
    const answer = reply.status === null ? `no answer within ${values.timeout}` : `${reply.status} in ${reply.ms} ms`;
    io.out(
      `  → ${event.eventType}  ${excerpt(event.body, 400)}\n  ← ${(ok ? style.good : style.bad)(answer)}  ${excerpt(text)}\n`,
    );
    if (!ok) io.out(`  signed with ${sender.source}\n  try: npx merchant-invoicing webhooks check ${shellWord(url)}\n`);
  }
  return ok ? EXIT.fine : EXIT.finding;
}

/** The bytes of a file are sent as they are, so a flag of the order would have no effect. */
function refuseBesideFrom(values: Readonly<Record<string, unknown>>): void {
  const { amount, currency } = COMMANDS['webhooks send'].flags;
  const defaults: Readonly<Record<string, unknown>> = { amount: amount.default, currency: currency.default };
  const names = ['external-id', 'amount', 'currency', 'paid'].filter((name) => values[name] !== defaults[name]);
  if (names.length === 0) return;
  const flags = names.map((name) => `--${name}`).join(', ');
  throw misuse(`--from sends the bytes of its file, so it takes no ${flags}`, `${EXAMPLE} --from body.json`);
}
