import { SANDBOX_KEY } from '../../../errors/environment.ts';
import { isSandboxSecret } from '../../../webhooks/verify/sandbox-secret.ts';
import { type Html, html } from '../../html.ts';
import { moneyText, paymentWord } from '../../story.ts';
import type { Diagnosis } from '../delivery/diagnose.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { RequestEntry } from '../state/log.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import {
  actionForm,
  brief,
  byDay,
  code as codeBlock,
  copyButton,
  counted,
  isOwn,
  milliseconds,
  orderButton,
  section,
  span,
  type Tone,
  time,
  undelivered,
  webhookOf,
} from './elements.ts';
import { dashboardPage } from './frame.ts';
import { lanes } from './lanes.ts';
import { isRefused, paymentOf, requestName, statusOf, toneOf } from './requests.ts';

/** The page at `/`: three steps until the shop is connected, the last minutes, what needs attention, and what happened last. */
export function overviewPage(world: World, incoming: IncomingRequest): UnsentResponse {
  const steps = stepsOf(world, incoming);
  const isConnected = steps.every(({ isDone }) => isDone);
  const causes = causesOf(world);
  const news = newsOf(world).slice(0, SHOWN);
  const list = html`<ol class="steps">${steps.map(({ title, isDone, text }) => html`<li class="${isDone ? 'good' : 'off'}"><h3>${title}${isDone && html` <span class="unseen">done</span>`}</h3>${!isDone && text}</li>`)}</ol>`;
  return dashboardPage(world, incoming, {
    title: 'Overview',
    content: html`<div id="steps" data-live>${!isConnected && html`<section class="card" aria-labelledby="steps-title"><h2 id="steps-title">Three steps to a paid order</h2>${list}</section>`}</div>
<div id="last" data-live>${lanes(world)}</div>
<div id="attention" data-live>${causes.length > 0 && attention(incoming, world, causes)}</div>
<div id="news" data-live>${
      news.length > 0 &&
      section(
        'activity',
        'Activity',
        byDay(
          news,
          ({ at }) => at,
          ({ line }) => line,
        ),
      )
    }</div>
<div id="connection" data-live>${isConnected && section('connect', 'Connection', credentials(world, incoming))}</div>`,
  });
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
  const delivered = store.deliveries().some(({ deliveredAt }) => deliveredAt !== null);
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
      text: html`${codeBlock('create-code', 'Code that creates a payment', create)}<div class="row">${copyButton(create)}<span>or <a href="/payments/new">create one by hand</a></span></div>`,
    },
    {
      title: 'Receive its webhook',
      isDone: delivered,
      text: html`<p>Pay the payment here. Its webhook goes to the callback_url, and comes again until your endpoint returns 2xx.</p>`,
    },
  ];
}

/** The undelivered webhooks of one endpoint with one cause, the latest first. */
interface Cause {
  readonly diagnosis: Diagnosis;
  readonly status: number | null;
  readonly latest: DeliveryRecord;
  readonly rows: DeliveryRecord[];
}

/** The causes of all undelivered webhooks, the latest first, then pages that answered. A fault is no cause to look into: it was asked for. */
function causesOf(world: World): Cause[] {
  const found = new Map<string, Cause>();
  const pages = world.store.deliveries().filter(({ log }) => log.at(-1)?.cause?.id === 'html_page');
  for (const row of [...undelivered(world), ...pages.reverse()]) {
    const last = row.log.at(-1);
    if (!last?.cause || last.cause.id === 'fault_refused') continue;
    const key = `${row.url} ${last.cause.text} ${last.status_code}`;
    const known = found.get(key);
    if (known === undefined)
      found.set(key, { diagnosis: last.cause, status: last.status_code, latest: row, rows: [row] });
    else known.rows.push(row);
  }
  return [...found.values()];
}

const CAUSES_SHOWN = 10;

/** One row for each cause, of which one is open. */
function attention(incoming: IncomingRequest, world: World, causes: readonly Cause[]): Html {
  const rows = causes.flatMap((cause) => cause.rows);
  const idents = rows.map(({ invoice }) => invoice.uuid);
  const sum = `${counted(rows.length, 'webhook')}, ${counted(causes.length, 'cause')}`;
  const more = causes.slice(CAUSES_SHOWN).flatMap((cause) => cause.rows).length;
  return html`<section class="card flush" aria-labelledby="attention-title"><div class="head"><h2 id="attention-title">Needs attention <span class="soft small">${sum}</span></h2>${causes.length > 1 && orderButton(incoming, 'resend', 'Send all again', idents, 'link')}</div>
<ul class="causes">${causes.slice(0, CAUSES_SHOWN).map((cause, at) => causeRow(incoming, world, cause, at === 0))}</ul>
${more > 0 && html`<p class="pad"><a href="/webhooks?state=not+delivered">${counted(more, 'webhook')} with other causes</a></p>`}</section>`;
}

function causeRow(incoming: IncomingRequest, { clock }: World, cause: Cause, isOpen: boolean): Html {
  const { diagnosis, status, latest, rows } = cause;
  const { id, url, nextRetryAt } = latest;
  const { host, pathname } = new URL(url);
  const what = status === null ? `no response from ${host}${pathname}` : `${status} at ${pathname}`;
  const names = rows.slice(0, 3).map(({ invoice }, at) => html`${at > 0 && ', '}${brief(invoice.external_id)}`);
  const next = nextRetryAt === null ? 'no further attempt' : `next attempt in ${span(nextRetryAt - clock.now())}`;
  const links = rows
    .slice(0, 3)
    .map((row) => html`<a href="/webhooks/${row.id}">${brief(row.invoice.external_id)}</a> `);
  // What a receiver writes about its own failure is the cause. A page for people would not be one line.
  const body = diagnosis.id === 'receiver_failed' ? latest.log.at(-1)?.response_body?.trim() : '';
  const said =
    body && !body.startsWith('<') && html`<p class="mono"><bdi>${body.split('\n', 1)[0]?.slice(0, 200)}</bdi></p>`;
  // The address finds all of this endpoint, so that the count and the rows agree.
  const all = `/webhooks?state=not+delivered&q=${encodeURIComponent(url)}`;
  const again = actionForm(
    incoming,
    'resend',
    html`<button>${rows.length === 1 ? 'Send again' : 'Send all again'}</button>`,
    {
      hidden: {
        ident: rows.map(({ invoice }) => invoice.uuid),
        ...(rows.length === 1 && { back: `/webhooks/${id}` }), // where its box stands
      },
    },
  );
  return html`<li class="cause"><details name="cause" id="cause-${id}"${isOpen && html` open`} data-kept><summary><span class="dot bad"></span><span class="what"><strong><bdi>${diagnosis.text}</bdi></strong><span class="soft small">${rows.length > 1 && `${rows.length} × `}${what} · ${names}${rows.length > 3 && ` and ${rows.length - 3} more`} · ${next}</span></span></summary>
<div class="find">${said}${diagnosis.remedy !== null && html`<p><bdi>${diagnosis.remedy}</bdi></p>`}<p class="soft small">${links}${rows.length > 3 && html`<a href="${all}">and ${rows.length - 3} more</a>`} → <span class="mono">${url}</span></p></div></details>
<div class="row"><a class="button" href="/webhooks/${id}" aria-label="Open ${diagnosis.text}">Open</a>${again}</div></li>`;
}

/** A line of the activity. */
interface News {
  readonly at: string;
  readonly line: Html;
}

/** What happened, the latest first: a line for each payment, each refused request without one, and each note. */
function newsOf(world: World): News[] {
  const seen = new Set<InvoiceRecord>();
  const news: News[] = [];
  for (const event of world.log.all().reverse()) {
    if (news.length === SHOWN) break;
    if (event.kind === 'note')
      news.push({ at: event.at, line: newsLine('warn', null, 'Sandbox', html`<bdi>${event.text}</bdi>`, event.at) });
    else if (event.kind === 'request') {
      if (isRefused(event)) news.push({ at: event.at, line: refusedLine(world, event) });
    } else {
      const invoice =
        event.kind === 'invoice' ? world.store.byUuid(event.uuid) : world.store.byExternalId(event.external_id);
      if (invoice === undefined || seen.has(invoice) || !isOwn(invoice)) continue;
      seen.add(invoice);
      news.push({ at: event.at, line: paymentLine(world, invoice, event.at) });
    }
  }
  return news;
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
  const what = html`<span class="mono">${requestName(event)}</span> ${statusOf(event)} ${event.code}`;
  return newsLine(toneOf(event), `/requests/${event.id}`, html`${brief(order ?? 'Request')}`, what, event.at);
}

/** Base URL, key and secret as lines of an `.env` file. Values that the user gave are shown only on request. */
function credentials({ url, settings: { apiKey, webhookSecret } }: World, incoming: IncomingRequest): Html {
  const isPublic = apiKey === SANDBOX_KEY && isSandboxSecret(webhookSecret);
  const isShown = isPublic || incoming.url.searchParams.get('secrets') === 'shown';
  const shown = (value: string): string => (isShown ? value : '(not shown)');
  const allows = isSandboxSecret(webhookSecret) ? '\nMERCHANT_SANDBOX=1' : '';
  const env = `MERCHANT_BASE_URL=${url}\nMERCHANT_API_KEY=${shown(apiKey)}\nMERCHANT_WEBHOOK_SECRET=${shown(webhookSecret)}${allows}`;
  return html`<p class="soft small">The lines of an <code>.env</code> file.</p>${codeBlock('env-text', 'Environment', env)}
<div class="row">${copyButton(env)}${!isShown && html`<a href="/?secrets=shown">Show the key and the secret</a>`}</div>`;
}
