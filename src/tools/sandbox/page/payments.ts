import { orderOf } from '../../../contract/orders.ts';
import { type Html, html, type Part } from '../../html.ts';
import {
  type InvoiceHistory,
  joinMoments,
  type Lane,
  type Moment,
  momentsOf,
  moneyOf,
  moneyText,
  timesOf,
  usdtOf,
  wordsOf,
} from '../../story.ts';
import { shareOf } from '../business/money.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import { toSandboxDelivery, toSandboxInvoice } from '../service/write-resources.ts';
import type { InvoiceMove } from '../state/log.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import {
  actionForm,
  againWords,
  brief,
  byDay,
  copyButton,
  facts,
  menu,
  moment,
  money,
  nothing,
  orderButton,
  paidOf,
  paymentTag,
  section,
  span,
  type Tone,
  tag,
  time,
  webhookOf,
} from './elements.ts';
import { amountField } from './forms.ts';
import { dashboardPage } from './frame.ts';
import { crumbs, listing, withoutCheck } from './lists.ts';
import { diagnosisBox } from './webhooks.ts';

/** The notices of actions that end a payment, where the shop did not hear of the end. The box below says why. */
const NOT_HEARD = { pay: null, fail: null, cancel: null, expire: null };

const STATES: Readonly<Record<string, (row: InvoiceRecord) => boolean>> = {
  All: () => true,
  Open: ({ status }) => status === 'pending',
  Paid: ({ status }) => status === 'success',
  Ended: ({ status }) => status !== 'pending' && status !== 'success',
};

export function paymentsPage(world: World, incoming: IncomingRequest): UnsentResponse {
  const { shown, note } = withoutCheck(incoming, world.store.invoices().reverse(), (row) => row);
  const list = listing(incoming, shown, {
    states: STATES,
    texts: (row) => [row.external_id, row.customer_id, row.uuid, row.purpose, row.currency.code, ...amountsOf(row)],
    hint: 'Order, customer, amount or id',
    none: NO_PAYMENT,
    show: (part) => paymentRows(world, part),
  });
  return dashboardPage(world, incoming, {
    title: 'Payments',
    aside: list.search,
    content: html`${list.tabs}
<section class="card flush" id="rows" aria-label="Payments found" data-live>${list.rows}${note}</section>${list.pager}`,
  });
}

/** The amounts that a row shows, as it shows them and as people type them: `€1,089.00`, `€1089.00`, `€1089,00`. */
function amountsOf({ amount, currency: { code }, adjustment }: InvoiceRecord): string[] {
  const amounts = adjustment === null ? [amount] : [amount, adjustment.actual_amount_fiat];
  return amounts.flatMap((each) => {
    const text = moneyText(each, code);
    const plain = text.replaceAll(',', '');
    return [text, plain, plain.replace('.', ',')];
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
      return html`<a class="row payment" href="/payments/${row.uuid}"><span>${paymentTag(row)}</span><span class="what"><strong>${brief(row.external_id)}</strong> <bdi class="soft wide-only">${row.purpose}</bdi></span><span class="num">${paidMoney(row)}</span><span class="hook ${tone}">${word}</span><span class="soft">${time(row.createdAt)}</span></a>`;
    },
    'created',
  );
}

/** The ordered amount, and what was paid where that is another one. */
function paidMoney({ amount, currency: { code }, adjustment }: InvoiceRecord): Html {
  if (adjustment === null) return money(amount, code);
  return html`${money(adjustment.actual_amount_fiat, code)} <span class="soft small">of ${money(amount, code)}</span>`;
}

/** One payment: what happened to it, in order, and whether the shop accepted its webhook. */
export function paymentPage(world: World, incoming: IncomingRequest, invoice: InvoiceRecord): UnsentResponse {
  const { external_id, uuid, callback_url, status, amount, settledUsdt, currency, purpose } = invoice;
  const { code } = currency;
  const delivery = world.store.latestDelivery(invoice);
  const hook = webhookOf(world, invoice);
  const wire = toSandboxInvoice(world, invoice);
  const paid = paidOf(invoice);
  const details = facts([
    ['Amount', money(amount, code)],
    ['Paid', status === 'success' && money(paid.amount, code)],
    ['Fee', paid.fee !== null && money(paid.fee, code)],
    ['To pay', status === 'pending' && invoice.amountToSend !== null && money(invoice.amountToSend, code)],
    ['Credited', settledUsdt !== null && html`<span class="money">${usdtOf(settledUsdt)} USDT</span>`],
    ['Rate', invoice.rate !== null && `${invoice.rate} ${code} per USDT`],
    ['Method', wire.payment_method && html`<bdi>${wire.payment_method.name}</bdi>`],
    ['Customer', html`<bdi>${invoice.customer_id}</bdi>`],
    ['Purpose', purpose && html`<bdi>${purpose}</bdi>`],
    ['Webhook to', callback_url === null ? 'No address' : html`<span class="mono">${callback_url}</span>`],
    ['Created', moment(invoice.createdAt)],
    [status === 'pending' ? 'Expires' : 'Ended', moment(invoice.finishedAt ?? invoice.expiresAt)],
    ['Id', html`<span class="mono">${uuid}</span> ${copyButton(uuid, html`Copy<span class="unseen"> the id</span>`)}`],
  ]);
  const copies = html`<div class="stack">${copyButton(JSON.stringify(wire, null, 2), 'Copy as JSON', 'button')}${copyButton(wire.payment_url, 'Copy the payment link', 'button')}</div>`;
  return dashboardPage(world, incoming, {
    title: `Payment ${external_id}`,
    above: crumbs('/payments', 'Payments', external_id),
    heading: html`<bdi>${external_id}</bdi> <span id="state" data-live>${paymentTag(invoice)}</span>`,
    aside: html`<div class="row" id="actions" data-live>${actions(world, incoming, invoice)}${menu('Copy', copies)}</div>`,
    content: html`<div class="split"><div class="stack">
<div id="diagnosis" class="stack" data-live>${delivery && diagnosisBox(world, incoming, delivery, orderButton(incoming, 'resend', againWords(invoice), uuid, 'main'))}</div>
${section('story', 'Story', story(world, invoice))}</div>
${section('facts', 'Details', details)}</div>`,
    // The box says it: a green notice above a red box would contradict it.
    done: delivery === undefined ? {} : { resend: null, ...(hook.tone === 'bad' && NOT_HEARD) },
  });
}

/** What can be done to a payment now. */
function actions(world: World, incoming: IncomingRequest, invoice: InvoiceRecord): Part {
  const { uuid, status, amount, adjustment } = invoice;
  const amountForm = (name: string, label: string, word: string, share: string): Html => {
    const value = shareOf(amount, share);
    const button = html`<button>${word}</button>`;
    const { input } = amountField(world, incoming, { name, label, value, button });
    return actionForm(incoming, name, input, { hidden: { ident: uuid } });
  };
  const page = html`<a class="button" href="/pay/${uuid}">${status === 'success' ? 'Receipt' : 'Payment page'}</a>`;
  if (status === 'pending') {
    const other = amountForm('pay', 'Another amount', 'Pay it', '0.5');
    const pay = html`${orderButton(incoming, 'pay', 'Pay in full', uuid, 'main')}${other}`;
    const end = ['Fail', 'Cancel', 'Expire'].map((word) => orderButton(incoming, word.toLowerCase(), word, uuid));
    return html`${page}${menu('Pay', pay)}${menu('End', end)}`;
  }
  if (status === 'success') {
    const label = `The paid amount, now ${moneyOf(adjustment?.actual_amount_fiat ?? amount)}`;
    const correct = amountForm('adjust', label, 'Correct', '0.8');
    return html`${page}${menu('Correct', html`${correct}<p class="soft small">As after a dispute. No second webhook is sent.</p>`)}`;
  }
  const late = actionForm(incoming, 'pay', html`<button>Pay late</button>`, { hidden: { ident: uuid, late: 'true' } });
  return html`${page}${late}`;
}

/** What customer, service and shop did with all invoices of the order, each in its lane, oldest first. */
function story(world: World, invoice: InvoiceRecord): Html {
  const { clock, store, log } = world;
  const { status, external_id, expiresAt, callback_url } = invoice;
  const deliveries = store.deliveries(invoice);
  const all = log.all().filter((event): event is InvoiceMove => event.kind === 'invoice');
  const historyOf = (each: InvoiceRecord): InvoiceHistory => ({
    invoice: toSandboxInvoice(world, each),
    deliveries: store.deliveries(each).map(toSandboxDelivery),
    moves: all.filter(({ uuid }) => uuid === each.uuid),
  });
  const moments = momentsOf(store.ofOrder(orderOf(external_id).order).map(historyOf));
  const now = clock.now();
  const next = deliveries.find(({ nextRetryAt }) => nextRetryAt !== null)?.nextRetryAt ?? null;
  const coming =
    status === 'pending'
      ? html`<strong>Expires</strong> <span class="soft">in ${span(expiresAt - now)}</span>`
      : next !== null
        ? html`<strong>Next attempt</strong> <span class="soft">in ${span(next - now)}</span>`
        : deliveries.length === 0 &&
          callback_url === null &&
          html`<strong>No webhook</strong> <span class="soft">neither the payment nor the business has an address</span>`;
  return html`<div class="story"><p class="lanes" aria-hidden="true"><span></span><span>Customer</span><span>Service</span><span>Your shop</span></p>
<ol>${joinMoments(moments.map((moment) => ({ moment }))).map((joined) => momentRow(joined.row.moment, [wordsOf(joined), timesOf(joined)].filter((each) => each !== null).join(', ')))}
${coming && html`<li class="by-service next"><span></span><p><span class="lane">Service: </span>${coming}</p></li>`}</ol></div>`;
}

const TONES: Readonly<Record<string, Tone>> = { pass: 'good', advice: 'warn', fail: 'bad' };

const LANES: Readonly<Record<Lane, string>> = { customer: 'Customer', service: 'Service', shop: 'Your shop' };

function momentRow({ at, lane, grade, text, attempt }: Moment, words: string): Html {
  const word = attempt ? html`<a href="/webhooks/${attempt.delivery}">${sentence(words)}</a>` : sentence(words);
  const fault = attempt?.fault && tag(`fault: ${attempt.fault}`, 'warn');
  return html`<li class="by-${lane} ${TONES[grade ?? ''] ?? 'off'}">${at ? time(at.getTime()) : html`<span></span>`}<p><span class="lane">${LANES[lane]}: </span><strong>${word}</strong> <bdi class="soft">${text}</bdi> ${fault}</p></li>`;
}

function sentence(what: string): string {
  return `${what[0]?.toUpperCase()}${what.slice(1)}`;
}
