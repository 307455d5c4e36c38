import { shareOf } from '../business/money.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import { toSandboxInvoice } from '../service/write-resources.ts';
import type { InvoiceMove } from '../state/log.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import { CHECK_CUSTOMER, paymentWord } from '../words.ts';
import type { World } from '../world.ts';
import { testOf } from './copies.ts';
import {
  actionForm,
  brief,
  byDay,
  copyButton,
  counted,
  facts,
  field,
  isFound,
  menu,
  moment,
  money,
  nothing,
  orderButton,
  paged,
  paymentTag,
  search,
  section,
  span,
  type Tone,
  tabs,
  tag,
  time,
  webhookOf,
} from './elements.ts';
import { dashboardPage } from './frame.ts';
import { type Html, html, type Part } from './html.ts';
import { type Refusal, refusalOf } from './refusals.ts';
import { diagnosisBox } from './webhooks.ts';

const STATES: Readonly<Record<string, (row: InvoiceRecord) => boolean>> = {
  All: () => true,
  Open: ({ status }) => status === 'pending',
  Paid: ({ status }) => status === 'success',
  Ended: ({ status }) => status !== 'pending' && status !== 'success',
};

export function paymentsPage(world: World, incoming: IncomingRequest): UnsentResponse {
  const query = incoming.url.searchParams;
  const all = world.store.invoices().reverse();
  const own = all.filter(({ customer_id }) => customer_id !== CHECK_CUSTOMER);
  const ofCheck = all.length - own.length;
  const isShown = query.get('check') === 'shown';
  const rows = isShown ? all : own;
  const chosen = Object.keys(STATES).find((name) => name.toLowerCase() === query.get('state')) ?? 'All';
  const counts = Object.fromEntries(Object.entries(STATES).map(([name, isIn]) => [name, rows.filter(isIn).length]));
  const found = rows.filter(
    (row) =>
      STATES[chosen]?.(row) &&
      isFound(incoming, [row.external_id, row.customer_id, row.uuid, row.purpose, row.amount, row.currency.code]),
  );
  const { part, pager } = paged(incoming, found);
  const none = all.length === 0 ? NO_PAYMENT : nothing('Nothing matches', 'Take another filter or another search.');
  return dashboardPage(world, incoming, {
    title: 'Payments',
    aside: search(incoming, 'Order, customer, amount or id'),
    content: html`${tabs(incoming, counts, chosen.toLowerCase())}
<section class="card flush" id="rows" aria-label="Payments found" data-live>${part.length === 0 ? none : paymentRows(world, part)}
${ofCheck > 0 && !isShown && html`<p class="soft small pad">${counted(ofCheck, 'order')} of <code>webhooks check</code> not shown. <a href="/payments?check=shown">Show</a></p>`}</section>${pager}`,
  });
}

const NO_PAYMENT = nothing(
  'No payments yet',
  html`Create one <a href="/payments/new">here</a>, or with <code>merchant.invoices.create</code>.`,
);

function paymentRows(world: World, rows: readonly InvoiceRecord[]): Html {
  return byDay(
    rows,
    (row) => row.createdAt,
    (row) => {
      const { word, tone } = webhookOf(world, row);
      return html`<a class="row payment" href="/payments/${row.uuid}"><span>${paymentTag(world, row)}</span><strong>${brief(row.external_id)}</strong><span class="num">${paidMoney(row)}</span><span class="hook ${tone}">${word}</span><span class="soft">${time(row.createdAt)}</span></a>`;
    },
  );
}

/** The ordered amount, and what was paid where that is another one. */
function paidMoney({ amount, currency: { code }, adjustment }: InvoiceRecord): Html {
  if (adjustment === null) return money(amount, code);
  return html`${money(adjustment.actual_amount_fiat, code)} <span class="soft small">of ${money(amount, code)}</span>`;
}

/** One payment: what happened to it, in order, and whether the shop accepted its webhook. */
export function paymentPage(world: World, incoming: IncomingRequest, invoice: InvoiceRecord): UnsentResponse {
  const { external_id, uuid, callback_url, status, amount, adjustment, settledUsdt, currency, purpose } = invoice;
  const { code } = currency;
  const delivery = world.store.latestDelivery(invoice);
  const hook = webhookOf(world, invoice);
  const wire = toSandboxInvoice(world, invoice);
  const details = facts([
    ['Amount', money(amount, code)],
    ['Paid', adjustment && money(adjustment.actual_amount_fiat, code)],
    ['Customer pays', invoice.amountToSend !== null && html`${money(invoice.amountToSend, code)} with the fee`],
    ['Credited', settledUsdt !== null && money(settledUsdt, 'USDT')],
    ['Rate', invoice.rate !== null && `${invoice.rate} ${code} per USDT`],
    ['Method', wire.payment_method && html`<bdi>${wire.payment_method.name}</bdi>`],
    ['Customer', html`<bdi>${invoice.customer_id}</bdi>`],
    ['Purpose', purpose && html`<bdi>${purpose}</bdi>`],
    ['Webhook to', callback_url === null ? 'No address' : html`<span class="mono">${callback_url}</span>`],
    ['Created', moment(invoice.createdAt)],
    [status === 'pending' ? 'Expires' : 'Ended', moment(invoice.finishedAt ?? invoice.expiresAt)],
    ['Id', html`<span class="mono">${uuid}</span> ${copyButton(uuid)}`],
  ]);
  const copies = html`<div class="stack">${status !== 'pending' && copyButton(testOf(world, invoice), 'Copy as test', 'button')}
${copyButton(JSON.stringify(wire, null, 2), 'Copy as JSON', 'button')}${copyButton(wire.payment_url, 'Copy the payment link', 'button')}</div>
${status !== 'pending' && html`<details><summary>As a test</summary><pre tabindex="0">${testOf(world, invoice)}</pre></details>`}`;
  return dashboardPage(world, incoming, {
    title: `Payment ${external_id}`,
    heading: html`<bdi>${external_id}</bdi> <span id="state" data-live>${paymentTag(world, invoice)}</span>`,
    aside: html`<div class="row" id="actions" data-live>${actions(world, incoming, invoice)}${menu('Copy', copies)}</div>`,
    content: html`<div class="split"><div class="stack">
<div id="diagnosis" class="stack" data-live>${delivery && hook.tone === 'bad' && diagnosisBox(delivery, orderButton(incoming, 'resend', 'Send again', uuid))}</div>
${section('line', 'What happened', timeline(world, invoice))}</div>
${section('facts', 'Details', details)}</div>`,
  });
}

/** What can be done to a payment now. */
function actions(world: World, incoming: IncomingRequest, invoice: InvoiceRecord): Part {
  const { uuid, status, amount, adjustment } = invoice;
  const refusal = refusalOf(world, incoming);
  const other = (name: string, label: string, word: string, share: string): Html =>
    amountForm(incoming, invoice, { name, label, word, share, refusal });
  const page = html`<a class="button" href="/pay/${uuid}">${status === 'success' ? 'Receipt' : 'Payment page'}</a>`;
  if (status === 'pending') {
    const pay = html`${orderButton(incoming, 'pay', 'Pay in full', uuid, 'main')}${other('underpay', 'Less', 'Pay less', '0.5')}${other('overpay', 'More', 'Pay more', '1.5')}`;
    const end = ['Fail', 'Cancel', 'Expire'].map((word) => orderButton(incoming, word.toLowerCase(), word, uuid));
    return html`${page}${menu('Pay', pay)}${menu('End', end)}`;
  }
  if (status === 'success') {
    const correct = other(
      'adjust',
      `The paid amount, now ${adjustment?.actual_amount_fiat ?? amount}`,
      'Correct',
      '0.8',
    );
    return html`${page}${menu('Correct', html`${correct}<p class="soft small">As after a dispute. No second webhook is sent.</p>`)}`;
  }
  const late = actionForm(incoming, 'pay', html`<button>Pay late</button>`, { hidden: { ident: uuid, late: 'true' } });
  return html`${page}${late}`;
}

/** How a field for an amount and its button are called. */
interface AmountParts {
  readonly name: string;
  readonly label: string;
  readonly word: string;
  /** The share of the amount that is filled in. */
  readonly share: string;
  readonly refusal: Refusal | null;
}

function amountForm(
  incoming: IncomingRequest,
  { uuid, amount }: InvoiceRecord,
  { name, label, word, share, refusal }: AmountParts,
): Html {
  const mine = refusal?.action === name ? refusal : null;
  const value = typeof mine?.typed['amount'] === 'string' ? mine.typed['amount'] : shareOf(amount, share);
  const problem = mine?.fields[0]?.problem;
  const input = field({
    id: name,
    name: 'amount',
    label,
    value,
    numeric: true,
    problem,
    focus: problem !== undefined,
    button: html`<button>${word}</button>`,
  });
  return actionForm(incoming, name, input, { hidden: { ident: uuid } });
}

/** One line of the story of a payment. */
interface Step {
  readonly at: number;
  readonly tone: Tone;
  readonly text: Html;
}

/** What happened to a payment, oldest first. Equal attempts that follow each other are one line. */
function timeline(world: World, invoice: InvoiceRecord): Html {
  const { clock, store, log } = world;
  const { createdAt, finishedAt, status, uuid, expiresAt, callback_url } = invoice;
  const endWord = (to: string): string => paymentWord({ ...invoice, status: to, adjustment: null });
  const moves = log
    .all()
    .filter((event): event is InvoiceMove => event.kind === 'invoice' && event.uuid === uuid && event.from !== null);
  const ended: readonly Step[] =
    moves.length === 0 && finishedAt !== null
      ? [
          {
            at: finishedAt,
            tone: status === 'success' ? 'good' : 'off',
            text: html`<strong>${endWord(status)}</strong>`,
          },
        ]
      : moves.map(({ at, from, to, why }) => ({
          at: Date.parse(at),
          tone: to === 'success' ? 'good' : 'off',
          text: html`<strong>${from === to ? 'Corrected' : endWord(to)}</strong> <bdi class="soft">${why}</bdi>`,
        }));
  const deliveries = store.deliveries(invoice);
  const steps: Step[] = [
    {
      at: createdAt,
      tone: 'off',
      text: html`<strong>Created</strong> <span class="soft">${money(invoice.amount, invoice.currency.code)}</span>`,
    },
    ...ended,
    ...deliveries.flatMap(attemptsOf),
  ];
  steps.sort((a, b) => a.at - b.at);
  const now = clock.now();
  const next = deliveries.find(({ nextRetryAt }) => nextRetryAt !== null)?.nextRetryAt;
  const coming =
    status === 'pending'
      ? html`It expires in ${span(expiresAt - now)}`
      : next !== undefined && next !== null
        ? html`The next attempt is in ${span(next - now)}`
        : deliveries.length === 0 &&
          callback_url === null &&
          'No webhook: neither the payment nor the business has an address';
  return html`<ol class="line">${steps.map(({ at, tone, text }) => html`<li class="${tone}">${time(at)}<p>${text}</p></li>`)}
${coming && html`<li class="next"><span></span><p class="soft">${coming}</p></li>`}</ol>`;
}

function attemptsOf({ id, log, made }: DeliveryRecord): Step[] {
  const groups: { first: number; last: number; attempt: (typeof log)[number] }[] = [];
  for (const [at, attempt] of log.entries()) {
    const number = made - log.length + at + 1;
    const before = groups.at(-1);
    if (before?.attempt.error === attempt.error && !attempt.success) before.last = number;
    else groups.push({ first: number, last: number, attempt });
  }
  return groups.map(({ first, last, attempt: { created_at, success, error, status_code, fault, triggered_by } }) => {
    const numbers = first === last ? `attempt ${first}` : `attempts ${first} to ${last}`;
    const result = success ? html`delivered, ${status_code}` : html`<bdi>${error}</bdi>`;
    const text = html`<strong><a href="/webhooks/${id}">Webhook</a></strong> ${numbers}: ${result}${triggered_by === 'manual' && html` <span class="soft">sent by hand</span>`} ${fault && tag(`fault: ${fault}`, 'warn')}`;
    return { at: Date.parse(created_at), tone: success ? 'good' : 'bad', text };
  });
}
