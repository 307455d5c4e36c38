import { dialectFrom } from '../../sandbox/dialects.ts';
import { parseDuration } from '../../sandbox/option-checks.ts';
import { shellWord } from '../../sandbox/page/copies.ts';
import { parseAddress, parseDialect, readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { EXIT, type ExitCode, fileBytes, type Io, misuse } from '../io.ts';
import { excerpt, jsonLine, styleOf } from '../report.ts';
import { deliver, isAcknowledged, throwIfUnreachable } from './deliver.ts';
import { parseOrder, parsePaid } from './order-flags.ts';
import { runningSandbox } from './order-source.ts';
import { EVENT_KINDS, type EventKind, type SampleEvent, sampleEvent, sampleHeaders } from './sample-event.ts';
import { readSecrets, redacted } from './secrets.ts';

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
  const url = parseAddress(address, 'the address of the receiver', EXAMPLE);
  const dialect = dialectFrom(parseDialect(values.dialect));
  const { list, source } = readSecrets(values.secret, io.env);
  const [secret = ''] = list;
  const timeout = parseDuration(values.timeout, '--timeout');
  const { externalId, ...order } = parseOrder(values, EXAMPLE);
  const paid = parsePaid(kind, values.paid, order.amount, EXAMPLE);
  if (values.from !== undefined) refuseBesideFrom(values);
  const named = { ...order, paid, externalId: externalId ?? `sent-${crypto.randomUUID().slice(0, 8)}` };
  const isNew = externalId === null && values.from === undefined && !values['dry-run'];
  const create = isNew ? await runningSandbox(parseAddress(values.sandbox, '--sandbox', EXAMPLE)) : null;
  const uuid = create === null ? order.uuid : await create(kind, named);
  const sample = await sampleEvent(kind, { ...named, uuid }, dialect);
  const event: SampleEvent =
    values.from === undefined
      ? sample
      : { ...sample, body: String(fileBytes(values.from, `${EXAMPLE} --from body.json`)) };
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
    if (!ok) io.out(`  signed with ${source}\n  try: npx merchant-invoicing webhooks check ${shellWord(url)}\n`);
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
