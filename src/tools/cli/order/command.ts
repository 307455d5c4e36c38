// The folder `order` is one command: it reads one invoice with its deliveries, and tells what happened. It imports the client
// when it runs.
import type { MerchantClient } from '../../../client.ts';
import type { WebhookDelivery } from '../../../contract/deliveries.ts';
import type { Invoice } from '../../../contract/invoices.ts';
import { hasKind, isMerchantError, isRefusedIdent } from '../../../errors/guards.ts';
import { hiding } from '../../../errors/hide.ts';
import { printable } from '../../../errors/printable.ts';
import type { SandboxAttempt, SandboxDelivery } from '../../sandbox/index.ts';
import { clockOf, type Moment, momentsOf } from '../../story.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { CliError, EXIT, type ExitCode, type Io, misuse, unfulfilled } from '../io.ts';
import { jsonLine, markOf, oneLine, type Style, styleOf, wrapped } from '../report.ts';
import { performAction } from '../sandbox/remote.ts';
import { type Service, serviceOf } from '../service.ts';
import { addressText, nextAttempt, type OrderFacts, type Verdict, verdictOf } from './verdict.ts';

const EXAMPLE = exampleOf(COMMANDS.order);
const DOCTOR = 'npx merchant-invoicing doctor';
const PATIENCE = { deadline: 30_000, attempts: 3 };

/** `order ID`: the story of one order. It reads only, unless `--resend` is given. */
export async function orderCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values: flags, positionals } = readArguments(COMMANDS.order, args, 'order');
  const [ident] = positionals;
  if (ident === undefined || ident === '') throw misuse('order needs an external_id or a uuid', EXAMPLE);
  const service = await serviceOf(flags, io, EXAMPLE, PATIENCE);
  const hide = hiding([service.apiKey, io.env['MERCHANT_WEBHOOK_SECRET'] ?? '']);
  const out = (text: string): void => io.out(hide(text));
  try {
    const facts = await readOrder(service, ident, flags.resend, io.signal);
    const verdict = verdictOf(facts);
    const moments = [...momentsOf(facts.invoice, facts.deliveries ?? []), ...nextAttempt(facts)];
    const ok = verdict.conclusion.grade !== 'fail';
    if (flags.json) out(jsonLine({ ok, ...jsonOf(facts, verdict), events: moments }));
    else out(textOf(facts, verdict, moments, styleOf(io)));
    return ok ? EXIT.fine : EXIT.finding;
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    if (hasKind(error, 'not_found')) {
      const problem = `the service knows no order ${JSON.stringify(oneLine(ident, 80))} of this business`;
      throw unfulfilled(problem, `${DOCTOR}   # which service and which key are set?`);
    }
    const isGone = error.kind === 'connection' || error.kind === 'timeout';
    throw new CliError(isGone ? EXIT.unreachable : EXIT.finding, hide(error.message), DOCTOR);
  }
}

async function readOrder(
  { merchant, baseUrl }: Service,
  ident: string,
  resends: boolean,
  signal: AbortSignal,
): Promise<OrderFacts> {
  const { invoice, headers } = await findInvoice(merchant, ident, signal);
  const before = await readDeliveries(merchant, invoice, signal);
  const deliveries = resends ? await resend(merchant, invoice, before, signal) : before;
  const date = Date.parse(headers.get('date') ?? '');
  return {
    ident,
    invoice,
    deliveries,
    now: new Date(Number.isNaN(date) ? Date.now() : date),
    seen: headers.has('x-sandbox') ? await attemptInSandbox(baseUrl, deliveries?.at(-1)) : null,
  };
}

/** How many of the newest invoices are looked through where a service reads an invoice by its uuid alone. */
const LOOKED_THROUGH = 2_000;

async function findInvoice(
  merchant: MerchantClient,
  ident: string,
  signal: AbortSignal,
): Promise<{ readonly invoice: Invoice; readonly headers: Headers }> {
  try {
    const { data, response } = await merchant.invoices.get(ident, { signal }).withResponse();
    return { invoice: data, headers: response.headers };
  } catch (error) {
    if (!isMerchantError(error) || !isRefusedIdent(error)) throw error;
    const call = merchant.invoices.list({ per_page: 100 }, { signal });
    for (const invoice of await call.collect({ limit: LOOKED_THROUGH })) {
      if (invoice.external_id === ident) return { invoice, headers: (await call.withResponse()).response.headers };
    }
    throw error;
  }
}

/** The oldest first, or null where the service does not show them. */
async function readDeliveries(
  merchant: MerchantClient,
  { uuid }: Invoice,
  signal: AbortSignal,
): Promise<readonly WebhookDelivery[] | null> {
  try {
    const deliveries = await merchant.webhooks.deliveries(uuid, { signal });
    const beganAt = ({ attempt_log: [first] }: WebhookDelivery): number => first?.created_at?.getTime() ?? 0;
    return [...deliveries].sort((a, b) => beganAt(a) - beganAt(b));
  } catch (error) {
    if (hasKind(error, 'not_found') || hasKind(error, 'validation') || hasKind(error, 'request')) return null;
    throw error;
  }
}

const LOOKS = 5;
const BETWEEN_LOOKS = 500;

/** Sends the webhook again, and waits a moment for the attempt. */
async function resend(
  merchant: MerchantClient,
  invoice: Invoice,
  before: OrderFacts['deliveries'],
  signal: AbortSignal,
): Promise<OrderFacts['deliveries']> {
  await merchant.webhooks.resend(invoice.uuid, { signal });
  const attemptsIn = (all: OrderFacts['deliveries']): number =>
    all?.reduce((sum, one) => sum + (one.attempts ?? 0), 0) ?? 0;
  let after = before;
  for (let look = 0; look < LOOKS && attemptsIn(after) <= attemptsIn(before); look += 1) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS));
    after = await readDeliveries(merchant, invoice, signal);
  }
  return after;
}

/** The last attempt as a sandbox has seen it, with the response of the receiver, which the interface does not show. */
async function attemptInSandbox(baseUrl: string, last: WebhookDelivery | undefined): Promise<SandboxAttempt | null> {
  if (last === undefined) return null;
  try {
    const { result } = await performAction(baseUrl, 'status', {});
    const { deliveries } = result as { readonly deliveries: readonly SandboxDelivery[] }; // as the action returns them
    return deliveries.find(({ id }) => id === last.id)?.attempt_log.at(-1) ?? null;
  } catch {
    return null; // behind a proxy that serves the API alone
  }
}

/** The addresses of the shop are left out or shortened, because their query may hold a secret. */
function jsonOf({ invoice, deliveries }: OrderFacts, verdict: Verdict): object {
  const { callback_url, success_url, fail_url, payment_url, payment_method, ...known } = invoice;
  const order = { ...known, payment_method: payment_method?.name ?? null, callback_url: addressText(callback_url) };
  return { order, deliveries, ...verdict };
}

function textOf({ invoice }: OrderFacts, verdict: Verdict, moments: readonly Moment[], style: Style): string {
  const { words, conclusion, cause, fix } = verdict;
  const to = addressText(invoice.callback_url);
  const lines = [
    `  ${style.strong(oneLine(invoice.external_id, 50))}  ${words.payment}, webhook: ${words.webhook}`,
    wrapped(conclusion.text, 4, `  ${markOf(conclusion.grade, style)} `),
    ...(cause === null ? [] : [wrapped(printable(cause.text), 4)]),
    ...(cause?.remedy ? [wrapped(printable(cause.remedy), 4)] : []),
    ...(fix === null ? [] : [`    fix: ${printable(fix)}`]),
    '',
    `  invoice ${invoice.uuid}`,
    ...(to === null ? [] : [`  webhook ${printable(to)}`]),
    ...momentLines(moments, style),
  ];
  return `${lines.join('\n')}\n`;
}

/** The moments below the day on which they happened, each with who did it. */
function momentLines(moments: readonly Moment[], style: Style): string[] {
  const width = Math.max(...moments.map(({ what }) => what.length));
  let day = '';
  return moments.flatMap(({ at, lane, grade, what, text }) => {
    const today = at?.toUTCString().slice(5, 16) ?? day;
    const heading = today === day ? [] : ['', `  ${today} (UTC)`];
    day = today;
    const mark = grade === null ? ' ' : markOf(grade, style);
    const time = at === null ? ' '.repeat(8) : clockOf(at);
    return [
      ...heading,
      wrapped(oneLine(text, 200), width + 26, `  ${time}  ${lane.padEnd(8)}  ${mark} ${what.padEnd(width)}  `),
    ];
  });
}
