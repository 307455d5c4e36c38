import { SANDBOX_KEY } from '../../../errors/environment.ts';
import { isSandboxSecret } from '../../../webhooks/verify/sandbox-secret.ts';
import { type Html, html } from '../../html.ts';
import { moneyText, paymentWord } from '../../story.ts';
import { saysStatus } from '../delivery/diagnose.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { RequestEntry } from '../state/log.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import {
  actionForm,
  againWords,
  brief,
  byDay,
  code as codeBlock,
  copyButton,
  counted,
  milliseconds,
  remedyText,
  section,
  since,
  span,
  sums,
  type Tone,
  time,
  webhookOf,
} from './elements.ts';
import { dashboardPage } from './frame.ts';
import { lanes } from './lanes.ts';
import { isRefused, paymentOf, requestName, statusOf, toneOf } from './requests.ts';
import {
  type Cause,
  causesOf,
  isOwn,
  nextOf,
  outageOf,
  pagesIn,
  paidFor,
  sinceOf,
  unheardIn,
  weightOf,
} from './unheard.ts';

/** The page at `/`: three steps until the shop is connected, the last minutes, what needs attention, and what happened last. */
export function overviewPage(world: World, incoming: IncomingRequest): UnsentResponse {
  const steps = stepsOf(world, incoming);
  const isConnected = steps.every(({ isDone }) => isDone);
  const unheard = unheardIn(world);
  const news = newsOf(world).slice(0, SHOWN);
  const list = html`<ol class="steps">${steps.map(({ title, isDone, text }) => html`<li class="${isDone ? 'good' : 'off'}"><h3>${title}${isDone && html` <span class="unseen">done</span>`}</h3>${!isDone && text}</li>`)}</ol>`;
  const first = html`<div id="steps" data-live>${!isConnected && html`<section class="card" aria-labelledby="steps-title"><h2 id="steps-title">Three steps to a paid order</h2>${list}</section>`}</div>`;
  const last = html`<div id="last" data-live>${lastMinutes(incoming, world, unheard)}</div>
<div id="attention" data-live>${attention(incoming, world, unheard)}</div>`;
  return dashboardPage(world, incoming, {
    title: 'Overview',
    content: html`${hasDelivered(world) ? [last, first] : [first, last]}
<div id="news" data-live>${
      news.length > 0 &&
      section(
        'activity',
        'Activity',
        byDay(
          news,
          ({ at }) => at,
          ({ line }) => line,
          'last event',
        ),
      )
    }</div>
<div id="connection" data-live>${isConnected && section('connect', 'Connection', credentials(world, incoming))}</div>`,
    done: { resend: 'The webhooks were sent, and your shop accepted them.' },
  });
}

/** Whether the shop has accepted a webhook, so that what it has heard of stands before the steps. */
function hasDelivered({ store }: World): boolean {
  return store.deliveries().some(({ deliveredAt }) => deliveredAt !== null);
}

const SHOWN = 20;

/** A step of the beginning, and whether it is done. */
interface Step {
  readonly title: string;
  readonly isDone: boolean;
  readonly text: Html;
}

function stepsOf(world: World, incoming: IncomingRequest): readonly Step[] {
  const { store, log } = world;
  const create = `const merchant = new MerchantClient();
const invoice = await merchant.invoices.create({
  external_id: 'order-1', customer_id: 'c-1', amount: '25.00', currency: 'EUR',
  callback_url: 'http://127.0.0.1:3000/webhook',
});`;
  return [
    {
      title: 'Connect your backend',
      isDone: log.requests().some(({ status }) => status !== null && status < 400),
      text: credentials(world, incoming),
    },
    {
      title: 'Create a payment',
      isDone: store.invoices().length > 0,
      text: html`${codeBlock('create-code', 'Code that creates a payment', create)}<div class="row">${copyButton(create, html`Copy<span class="unseen"> the code</span>`)}<span>or <a href="/payments/new">create one by hand</a></span></div>`,
    },
    {
      title: 'Receive its webhook',
      isDone: hasDelivered(world),
      text: html`<p>Pay the payment here. Its webhook goes to the callback_url, and comes again until your endpoint returns 2xx.</p>`,
    },
  ];
}

const CAUSES_SHOWN = 10;

/** What the shop has not heard of, in one sentence, over the lanes of the last minutes. */
function lastMinutes(incoming: IncomingRequest, world: World, unheard: readonly DeliveryRecord[]): Html | null {
  const drawn = lanes(world, unheard);
  if (drawn === null) return null;
  const [only, ...others] = unheard;
  if (only === undefined)
    return html`<section class="card" id="lanes" aria-labelledby="lanes-title"><div class="head"><h2 id="lanes-title">${heardText(world)}</h2></div>${drawn}</section>`;
  const isOne = others.length === 0;
  const words = isOne ? againWords(only.invoice) : `Send all ${unheard.length} again`;
  const hidden = { ident: unheard.map(({ invoice }) => invoice.uuid), ...(isOne && { back: `/webhooks/${only.id}` }) }; // where its box stands
  const again = actionForm(incoming, 'resend', html`<button class="main">${words}</button>`, { hidden });
  return html`<section class="card alarm" id="lanes" aria-labelledby="lanes-title"><div class="head"><h2 id="lanes-title">${unheardText(unheard, world.clock.now())}</h2>${again}</div>${drawn}</section>`;
}

/** How many payments, how much money, and since when. */
function unheardText(unheard: readonly DeliveryRecord[], now: number): Html {
  const money = paidFor(unheard);
  const outage = outageOf(unheard);
  const what = money.length === 0 ? ' that ended unpaid' : html`, ${sums(money)}`;
  const when = html`${outage.isMost ? ': most of it' : ','} since ${since(outage.since, now)}`;
  return html`Your shop has not heard of ${countedOrders(unheard)}${what}${when}.`;
}

/** Green only where every payment that ended has a webhook, and every webhook was accepted by more than a page. */
function heardText(world: World): Html {
  const ended = world.store.invoices().filter((invoice) => isOwn(invoice) && invoice.status !== 'pending');
  const heard = ended.filter((invoice) => webhookOf(world, invoice).tone === 'good').length;
  if (heard === 0 || heard < ended.length || pagesIn(world).length > 0) return html`Last minutes`;
  const all = heard === 1 ? 'the payment that has ended' : `all ${heard} payments that have ended`;
  return html`<span class="good-text">Your shop has heard of ${all}.</span>`;
}

/** One row for each cause, of which the first is open. */
function attention(incoming: IncomingRequest, world: World, unheard: readonly DeliveryRecord[]): Html | null {
  const causes = [...causesOf(unheard), ...causesOf(pagesIn(world))];
  if (causes.length === 0) return null;
  const more = causes.slice(CAUSES_SHOWN).flatMap((cause) => cause.rows).length;
  return html`<section class="card flush" aria-labelledby="attention-title"><div class="head"><h2 id="attention-title">${causes.length === 1 ? 'Cause' : 'Causes'}${causes.length > 1 && html` <span class="soft small">most money first</span>`}</h2></div>
<ul class="causes">${causes.slice(0, CAUSES_SHOWN).map((cause, at) => causeRow(incoming, world, cause, at === 0, unheard.length))}</ul>
${more > 0 && html`<p class="pad"><a href="/webhooks?state=not+delivered">${counted(more, 'webhook')} with other causes</a></p>`}</section>`;
}

/** Orders that ended unpaid are no payments. */
function countedOrders(rows: readonly DeliveryRecord[]): string {
  const paid = rows.filter(({ invoice }) => invoice.status === 'success').length;
  const isMixed = paid > 0 && paid < rows.length;
  return isMixed ? `${rows.length} orders, ${paid} of them paid` : counted(rows.length, 'payment');
}

const NAMED = 3;

/** @param total How many payments were not heard of, with any cause. */
function causeRow(
  incoming: IncomingRequest,
  { clock }: World,
  cause: Cause,
  isOpen: boolean,
  total: number,
): Html | null {
  const { diagnosis, status, rows } = cause;
  const [latest] = rows;
  if (latest === undefined) return null;
  const { id, url } = latest;
  const { host, pathname } = new URL(url);
  const now = clock.now();
  const next = nextOf(rows);
  const paid = paidFor(rows);
  const isPage = latest.deliveredAt !== null;
  const tone = isPage || diagnosis.id === 'fault_refused' ? 'warn' : 'bad';
  const links = [...rows]
    .sort((a, b) => weightOf([b.invoice]).comparedTo(weightOf([a.invoice])))
    .slice(0, NAMED)
    .map((row) => html`<a href="/webhooks/${row.id}">${brief(row.invoice.external_id)}</a>`);
  // The address finds all of this endpoint, so that the count and the rows agree.
  const all = `/webhooks?${isPage ? '' : 'state=not+delivered&'}q=${encodeURIComponent(url)}`;
  const [only, ...others] = rows;
  const words =
    only !== undefined && others.length === 0
      ? againWords(only.invoice)
      : html`Send ${rows.length}<span class="unseen"> to ${pathname}</span> again`;
  const hidden = {
    ident: rows.map(({ invoice }) => invoice.uuid),
    ...(others.length === 0 && { back: `/webhooks/${id}` }), // where its box stands
  };
  // The sentence above has this button where it would send the same.
  const again =
    (isPage || rows.length < total) && actionForm(incoming, 'resend', html`<button>${words}</button>`, { hidden });
  const comes = isPage ? 'accepted' : next === null ? 'given up' : `next in ${span(next - now)}`;
  return html`<li class="cause ${tone}"><details name="cause" id="cause-${id}"${isOpen && html` open`} data-kept><summary><span class="dot"></span><span class="what"><strong><bdi>${diagnosis.text}</bdi></strong><span class="soft small">→ <span class="mono">${host}${pathname}</span>${status !== null && !saysStatus(diagnosis) && ` answers ${status}`}</span></span>
<span class="num sum"><strong>${paid.length === 0 ? 'nothing paid' : paid.map((sum) => html`<span class="money">${sum}</span> `)}</strong><span class="soft small">${countedOrders(rows)}</span></span><span class="num sum"><strong>since ${since(sinceOf(rows), now)}</strong><span class="soft small">${comes}</span></span></summary>
<div class="find">${diagnosis.remedy !== null && html`<p>${remedyText(diagnosis.remedy)}</p>`}<p class="soft small links">${links}${rows.length > NAMED && html`<a href="${all}">and ${rows.length - NAMED} more</a>`}</p><div class="row">${again}<a class="button" href="/webhooks/${id}">Open the latest<span class="unseen"> to ${pathname}</span></a></div></div></details></li>`;
}

/** A line of the activity. */
interface News {
  readonly at: string;
  readonly line: Html;
}

/**
 * What happened, the latest first: a line for each payment, each refused request without one, and each note that is about
 * none. The orders of `webhooks check` are one line.
 */
function newsOf(world: World): News[] {
  const seen = new Set<InvoiceRecord>();
  const news: News[] = [];
  const ofCheck = world.store.invoices().filter((invoice) => !isOwn(invoice));
  for (const event of world.log.all().reverse()) {
    if (news.length === SHOWN) break;
    if (event.kind === 'note') {
      if (event.external_id !== null) continue; // its payment has a line
      news.push({ at: event.at, line: newsLine('warn', null, 'Sandbox', html`<bdi>${event.text}</bdi>`, event.at) });
    } else if (event.kind === 'request') {
      if (isRefused(world, event)) news.push({ at: event.at, line: refusedLine(world, event) });
    } else {
      const invoice =
        event.kind === 'invoice' ? world.store.byUuid(event.uuid) : world.store.byExternalId(event.external_id);
      if (invoice === undefined || seen.has(invoice)) continue;
      const isChecked = !isOwn(invoice);
      for (const each of isChecked ? ofCheck : [invoice]) seen.add(each);
      if (isChecked) news.push({ at: event.at, line: checkLine(ofCheck.length, event.at) });
      else news.push({ at: event.at, line: paymentLine(world, invoice, event.at) });
    }
  }
  return news;
}

function checkLine(count: number, at: string): Html {
  return newsLine(
    'off',
    '/payments?check=shown',
    'webhooks check',
    html`sent ${counted(count, 'order')} of its own`,
    at,
  );
}

function newsLine(tone: Tone, href: string | null, name: Html | string, what: Html, at: string): Html {
  const parts = html`<span class="dot"></span><strong>${name}</strong><span class="soft what">${what}</span><span class="soft">${time(at)}</span>`;
  return href === null
    ? html`<div class="row event ${tone}">${parts}</div>`
    : html`<a class="row event ${tone}" href="${href}">${parts}</a>`;
}

/** One payment: created, how it ended, and whether the shop has heard of it. */
function paymentLine(world: World, invoice: InvoiceRecord, at: string): Html {
  const { status, amount, currency, uuid, adjustment } = invoice;
  const delivery = world.store.latestDelivery(invoice);
  const last = delivery?.log.at(-1);
  const hook = webhookOf(world, invoice);
  const paid = adjustment === null ? '' : ` ${moneyText(adjustment.actual_amount_fiat, currency.code)}`;
  const response =
    last === undefined
      ? ''
      : last.success
        ? `, ${last.status_code} in ${milliseconds(last.duration_ms)}`
        : `, ${counted(delivery?.made ?? 0, 'attempt')}`;
  const steps = [
    `created ${moneyText(amount, currency.code)}`,
    ...(status === 'pending' ? [] : [`${paymentWord(invoice).toLowerCase()}${paid}`]),
    ...(status === 'pending'
      ? []
      : [delivery === undefined ? 'no webhook' : `webhook ${hook.word.toLowerCase()}${response}`]),
  ];
  const tone =
    status === 'pending'
      ? 'wait'
      : delivery === undefined
        ? 'off'
        : hook.tone === 'good' && paymentWord(invoice) === 'Paid less'
          ? 'warn'
          : hook.tone;
  return newsLine(tone, `/payments/${uuid}`, brief(invoice.external_id), html`${steps.join(' → ')}`, at);
}

function refusedLine(world: World, event: RequestEntry): Html {
  const order = paymentOf(world, event)?.external_id;
  const what = html`<span class="mono">${requestName(event)}</span> ${statusOf(world, event)} ${event.code}`;
  return newsLine(toneOf(world, event), `/requests/${event.id}`, html`${brief(order ?? 'Request')}`, what, event.at);
}

/** Base URL, key and secret as lines of an `.env` file. Values that the user gave are shown only on request. */
function credentials({ url, settings: { apiKey, webhookSecret } }: World, incoming: IncomingRequest): Html {
  const isPublic = apiKey === SANDBOX_KEY && isSandboxSecret(webhookSecret);
  const isShown = isPublic || incoming.url.searchParams.get('secrets') === 'shown';
  const shown = (value: string): string => (isShown ? value : '(not shown)');
  const allows = isSandboxSecret(webhookSecret) ? '\nMERCHANT_SANDBOX=1' : '';
  const env = `MERCHANT_BASE_URL=${url}\nMERCHANT_API_KEY=${shown(apiKey)}\nMERCHANT_WEBHOOK_SECRET=${shown(webhookSecret)}${allows}`;
  return html`<p class="soft small">The lines of an <code>.env</code> file.</p>${codeBlock('env-text', 'Environment', env)}
<div class="row">${isShown && copyButton(env, html`Copy<span class="unseen"> the environment</span>`)}${!isShown && html`<a href="/?secrets=shown">Show the key and the secret</a>`}</div>`;
}
