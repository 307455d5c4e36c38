import { type Html, html, type Part } from '../../html.ts';
import { shellText } from '../../shell.ts';
import { moneyText, paymentWord } from '../../story.ts';
import { RETRY_DELAYS } from '../delivery/deliveries.ts';
import { firstLineOf, saysStatus } from '../delivery/diagnose.ts';
import { signedRequest } from '../delivery/webhook-request.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { SandboxAttempt, SandboxWebhookRequest } from '../types.ts';
import type { World } from '../world.ts';
import {
  actionForm,
  addressOf,
  againWords,
  brief,
  code,
  copyButton,
  counted,
  headerLines,
  highlighted,
  menu,
  milliseconds,
  nothing,
  paidOf,
  remedyText,
  since,
  span,
  statusTag,
  sums,
  type Tone,
  tag,
  time,
  webhookState,
} from './elements.ts';
import { panesPage, withoutCheck } from './lists.ts';
import { paidFor, sinceOf, unheardIn } from './unheard.ts';

/** The list of webhooks with one of them beside it. */
export function webhooksPage(
  world: World,
  incoming: IncomingRequest,
  chosen: DeliveryRecord | null,
): Promise<UnsentResponse> {
  const open = new Set(unheardIn(world));
  const { shown, note } = withoutCheck(incoming, world.store.deliveries().reverse(), ({ invoice }) => invoice);
  const isOther = (row: DeliveryRecord): boolean => !open.has(row) && row.status !== 'delivered';
  return panesPage(world, incoming, {
    title: 'Webhooks',
    path: '/webhooks',
    rows: shown,
    note,
    chosen,
    states: {
      All: () => true,
      'Not delivered': (row) => open.has(row),
      Delivered: ({ status }) => status === 'delivered',
      ...(shown.some(isOther) && { Other: isOther }),
    },
    texts: (row) => [row.invoice.external_id, row.eventType, row.url, row.id, row.log.at(-1)?.error],
    hint: 'Order, event, address',
    none: nothing('No webhooks yet', 'One is sent when a payment with a callback URL ends.'),
    at: ({ createdAt }) => createdAt,
    times: 'paid or ended',
    row: (row) => webhookRow(world, row, open.has(row)),
    headline,
    detail: (row, asTitle) => detail(world, incoming, row, toneOf(row, open.has(row)), asTitle),
    done: { resend: null },
  });
}

function headline({ invoice, eventType }: DeliveryRecord): string {
  const word = eventType === 'invoice.paid' ? 'paid' : endWord(invoice);
  return `${invoice.external_id} ${word === 'paid' || word === 'canceled' ? `was ${word}` : word}`;
}

function endWord(invoice: InvoiceRecord): string {
  return invoice.status === 'success' ? 'canceled' : paymentWord(invoice).toLowerCase(); // it was paid late since
}

/** Red where the shop has not heard of the payment: not if a later webhook tells it how the payment ended. */
function toneOf(row: DeliveryRecord, isUnheard: boolean): Tone {
  const { tone } = webhookState(row);
  return tone === 'bad' && !isUnheard ? 'off' : tone;
}

/** The status, some facts, and why, which may be cut. A cause that says the status itself is told by the words of the receiver. */
function causeOf({ status_code, response_body, cause }: SandboxAttempt, facts: readonly string[]): string | null {
  if (cause === null) return null;
  const why = saysStatus(cause) ? (firstLineOf(response_body) ?? 'no reason given') : cause.text;
  return [status_code ?? 'No response', ...facts, why.replace(/\.$/, '')].join(' · ');
}

function webhookRow(
  { clock }: World,
  row: DeliveryRecord,
  isUnheard: boolean,
): { readonly look: string; readonly cells: Html } {
  const { word } = webhookState(row);
  const tone = toneOf(row, isUnheard);
  const last = row.log.at(-1);
  const { invoice } = row;
  const facts = [
    ...(row.eventType === 'invoice.paid' ? [moneyText(paidOf(invoice).amount, invoice.currency.code)] : []),
    ...(row.nextRetryAt === null ? [] : [`next in ${span(row.nextRetryAt - clock.now())}`]),
  ];
  const what = (last && causeOf(last, facts)) ?? [word, ...facts].join(' · ');
  const event = row.eventType === 'invoice.paid' ? 'paid' : endWord(row.invoice);
  return {
    look: `hook-row ${last?.cause && tone === 'good' ? 'warn' : tone}`,
    cells: html`<span class="dot"></span><span><strong>${brief(row.invoice.external_id)}</strong> <span class="soft">${event}</span></span><span class="soft small">${time(row.createdAt)}</span><span class="soft small what"><bdi>${what}</bdi></span>`,
  };
}

async function detail(
  world: World,
  incoming: IncomingRequest,
  row: DeliveryRecord,
  tone: Tone,
  asTitle: (headline: Html) => Html,
): Promise<Html> {
  const { invoice, url, log, made, eventType } = row;
  const { word } = webhookState(row);
  const number = Number(incoming.url.searchParams.get('try') ?? made);
  const attempt = log[number - (made - log.length) - 1] ?? log.at(-1);
  const curl = curlCommand(await signedRequest(world.settings, row, url, world.settings.wallClock()));
  const copies = html`<div class="stack">${copyButton(curl, 'Copy as curl', 'button')}${copyButton(row.body, 'Copy the body', 'button')}</div>
<details><summary>As curl</summary><pre id="curl-text" tabindex="0" dir="auto">${curl}</pre><p class="soft small">Signed when this page was made. A receiver that checks the age accepts it for about 5 minutes.</p></details>`;
  const isLatest = world.store.latestDelivery(invoice) === row; // the one that a resend sends
  // To this row by its id, because a filter may leave it out of the list afterwards.
  const hidden = { ident: invoice.uuid, back: `/webhooks/${row.id}` };
  const button = html`<button class="${tone === 'bad' && 'main'}">${againWords(invoice)}</button>`;
  const again = isLatest && row.attempt === null && actionForm(incoming, 'resend', button, { hidden });
  return html`<div class="title">${asTitle(html`<bdi>${headline(row)}</bdi>`)}<span id="state" data-live>${tag(word, tone)}</span><span class="grow"></span>
<div class="row">${menu('Copy as', copies)}<div id="again" data-live>${again}</div></div></div>
<p class="soft small"><a href="/payments/${invoice.uuid}">Payment</a> · ${eventType} → <span class="mono">${url}</span></p>
<div id="diagnosis" class="stack" data-live>${diagnosisBox(world, incoming, row)}</div>
<div id="tries" data-live>${strip(world, incoming, row, attempt)}</div>
<div id="messages" class="messages${attempt?.success === false && ' refused'}" data-live>${attempt ? messages(row, attempt) : nothing('Not sent yet', 'The first attempt is held or in progress.')}</div>`;
}

/** A shell command that sends a request. */
function curlCommand({ url, method, headers, body }: SandboxWebhookRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `-H ${shellText(`${name}: ${value}`)}`);
  return [`curl -i -X ${method} ${shellText(url)}`, ...lines, `--data-raw ${shellText(body)}`].join(' \\\n  ');
}

/**
 * The one place that says why a webhook was not accepted, and what to do now. After a resend it also says what came of it,
 * so that no other notice stands above it.
 */
export function diagnosisBox(
  world: World,
  incoming: IncomingRequest,
  row: DeliveryRecord,
  again: Part = null,
): Html | null {
  const last = row.log.at(-1);
  if (last === undefined || row.attempt !== null) return null;
  const { cause, success, status_code: status, duration_ms } = last;
  const isResent = incoming.url.searchParams.get('done') === 'resend';
  const focus = isResent && html` role="status" tabindex="-1" autofocus`;
  if (cause === null)
    return isResent
      ? html`<p class="notice good"${focus}>Sent again: your endpoint returned ${status} in ${milliseconds(duration_ms)}.</p>`
      : null;
  const sent =
    isResent && html`<p class="soft small">Sent again at ${time(last.created_at)}: this is what came back.</p>`;
  const remedy = cause.remedy !== null && html`<p>${remedyText(cause.remedy)}</p>`;
  if (success) return html`<div class="box warn"${focus}><h2>${cause.text}</h2>${remedy}${sent}</div>`;
  const subject = `Your endpoint ${status === null ? 'did not answer' : `returned ${status}`}`;
  const said = !saysStatus(cause) && html`<p class="soft small">${subject}</p>`;
  return html`<div class="box ${cause.id === 'fault_refused' ? 'warn' : 'bad'}"${focus}>${said}<h2><bdi>${cause.text}</bdi></h2>
${remedy}${othersText(world, row)}${sent}<div class="row">${again}</div></div>`;
}

/** Whether this is one mishap or an outage. */
function othersText(world: World, row: DeliveryRecord): Html | null {
  const others = unheardIn(world).filter(({ url, invoice }) => url === row.url && invoice !== row.invoice);
  if (others.length === 0) return null;
  const list = `/webhooks?state=not+delivered&q=${encodeURIComponent(row.url)}`;
  const paid = paidFor(others);
  return html`<p><a href="${list}">${counted(others.length, 'other webhook')}</a> to ${new URL(row.url).pathname} ${others.length === 1 ? 'is' : 'are'} not accepted either${paid.length > 0 && html`, ${sums(paid)}`}, since ${since(sinceOf([row, ...others]), world.clock.now())}.</p>`;
}

const SHOWN_TRIES = RETRY_DELAYS.length;

/**
 * The seven attempts of the schedule: those that were made with their results, as links, and the times of the others.
 */
function strip(
  { clock }: World,
  incoming: IncomingRequest,
  { log, made, nextRetryAt, status }: DeliveryRecord,
  current: SandboxAttempt | undefined,
): Html {
  const first = Math.max(1, made - SHOWN_TRIES + 1);
  const count = status === 'pending' ? SHOWN_TRIES : made - first + 1; // no further one comes after the delivery
  const items = Array.from({ length: count }, (_, at) => {
    const number = first + at;
    const attempt = log[number - (made - log.length) - 1];
    if (attempt !== undefined) {
      const text = html`<span>Attempt ${number}</span><span>${attempt.status_code === null ? 'no response' : `${attempt.status_code} · ${milliseconds(attempt.duration_ms)}`}</span><span>${time(attempt.created_at)}</span>`;
      const address = addressOf(incoming, { try: String(number) });
      return html`<li class="${attempt.success ? 'good' : 'bad'}"><a href="${address}"${attempt === current && html` aria-current="true"`}>${text}</a></li>`;
    }
    const isNext = number === made + 1 && nextRetryAt !== null;
    const wait = RETRY_DELAYS[number - 1] ?? 0;
    if (isNext)
      return html`<li class="wait"><span>Attempt ${number}</span><span>in ${span(nextRetryAt - clock.now())}</span></li>`;
    return html`<li><span>Attempt ${number}</span><span>+${span(wait)}</span></li>`;
  });
  return html`<ol class="strip">${items}</ol>`;
}

/** What was sent and what came back, side by side. */
function messages(
  row: DeliveryRecord,
  { request, status_code, response_body, response_headers, error, fault, duration_ms }: SandboxAttempt,
): Part {
  const { pathname } = new URL(row.url);
  const headers = Object.entries(response_headers ?? {});
  const sent =
    request === null
      ? html`<p class="soft">Nothing was sent.</p>`
      : code(
          'sent',
          'What was sent',
          html`<span class="name">POST ${pathname}</span>\n${headerLines(request.headers)}\n${highlighted(request.body)}`,
        );
  const response =
    status_code === null
      ? html`<p class="soft">${error}</p>`
      : code(
          'response',
          'Your response',
          response_body ? highlighted(response_body) : html`<span class="name">empty</span>`,
        );
  return html`<div><div class="head"><h2>Sent ${fault && tag(`fault: ${fault}`, 'warn')}</h2>${request && copyButton(request.body, html`Copy<span class="unseen"> what was sent</span>`)}</div>${sent}</div>
<div><div class="head"><h2>Your response ${statusTag(status_code)}</h2><span class="soft small">${milliseconds(duration_ms)}</span></div>${response}
${headers.length > 0 && html`<details><summary>${counted(headers.length, 'header')}</summary><pre tabindex="0" dir="auto">${headerLines(response_headers ?? {})}</pre></details>`}</div>`;
}
