import { isLoopback } from '../../../contract/values/scalars.ts';
import { hiding } from '../../../errors/hide.ts';
import { sentenceOf } from '../../sandbox/delivery/diagnose.ts';
import { signedRequest } from '../../sandbox/delivery/webhook-request.ts';
import { shellWord } from '../../shell.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { EXIT, type ExitCode, type Io, misuse } from '../io.ts';
import { jsonLine, markOf, oneLine, styleOf, wrapped } from '../terminal.ts';
import {
  causeOfReply,
  deliver,
  type EventKind,
  isAccepted,
  readSender,
  SAMPLES,
  sampleEvent,
  throwIfUnreachable,
} from './delivery.ts';

const EXAMPLE = exampleOf(COMMANDS['webhooks send']);

/** `webhooks send EVENT URL`: sends one signed delivery. */
export async function webhooksSend(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = readArguments(COMMANDS['webhooks send'], args, 'webhooks send');
  const [given, address] = positionals;
  if (given === undefined) throw misuse('webhooks send needs an event and an address', EXAMPLE);
  const name = given.replace(/^invoice\./, ''); // also takes the name that a body has, such as invoice.paid
  if (!Object.hasOwn(SAMPLES, name)) {
    throw misuse(`there is no event ${JSON.stringify(given)}, only ${Object.keys(SAMPLES).join(', ')}`, EXAMPLE);
  }
  const kind = name as EventKind; // a key of the table
  const sender = await readSender(address, values, io.env, EXAMPLE, !values['dry-run']);
  const { url, dialect, timeout, secrets, source, externalId } = sender;
  const order = { ...sender.order, externalId: externalId ?? `sent-${crypto.randomUUID().slice(0, 8)}` };
  const { eventType, body } = await sampleEvent(kind, order, sender);
  const delivery = { id: crypto.randomUUID(), body };
  const { headers } = await signedRequest({ dialect, webhookSecret: secrets[0] ?? '' }, delivery, url, Date.now());

  if (values['dry-run']) {
    const { host, pathname, search } = new URL(url);
    // With the length, `webhooks verify` can remove a line break that a shell or an editor adds at the end.
    const shown = Object.entries({ Host: host, 'Content-Length': String(Buffer.byteLength(body)), ...headers });
    const lines = shown.map(([header, value]) => `${header}: ${value}`);
    const text = [`POST ${pathname}${search} HTTP/1.1`, ...lines, '', body].join('\n');
    io.out(values.json ? jsonLine({ url, headers, body }) : `${text}\n`);
    return EXIT.fine;
  }

  const reply = await deliver(url, { method: 'POST', headers, body }, timeout);
  throwIfUnreachable(url, reply, `send ${name}`);
  const ok = isAccepted(reply);
  const { status, ms, problem } = reply;
  const text = hiding(secrets)(reply.text);
  if (values.json) {
    io.out(jsonLine({ ok, url, event: eventType, id: delivery.id, body, status, ms, problem, text }));
  } else {
    const style = styleOf(io);
    const response = status === null ? `no response within ${values.timeout}` : `${status} in ${ms} ms`;
    io.out(`  → ${eventType}  ${oneLine(`${kind} ${order.externalId}`, 60)}\n`);
    io.out(`${wrapped(`${response}  ${oneLine(text)}`.trimEnd(), 4, `  ${markOf(ok ? 'pass' : 'fail', style)} `)}\n`);
    if (!ok) {
      const cause = await causeOfReply(sender, body, { ...reply, text });
      io.out(`${wrapped(`${oneLine(sentenceOf(cause), 400)} Signed with ${source}.`, 4)}\n`);
      // `webhooks check` must not be pointed at a live shop, so it is named for this machine only.
      if (isLoopback(new URL(url).hostname)) io.out(`  try: npx merchant-invoicing webhooks check ${shellWord(url)}\n`);
    }
  }
  return ok ? EXIT.fine : EXIT.finding;
}
