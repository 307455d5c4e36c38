import { isSandboxSecret, SANDBOX_KEY } from '../../../webhooks/verify/sandbox-secret.ts';
import { paymentWord } from '../../story.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { SandboxEvent } from '../state/log.ts';
import type { DeliveryRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import {
  brief,
  byDay,
  code as codeBlock,
  copyButton,
  counted,
  moneyText,
  orderButton,
  section,
  span,
  statusTag,
  type Tone,
  time,
  undelivered,
} from './elements.ts';
import { dashboardPage } from './frame.ts';
import { type Html, html } from './html.ts';
import { isRefused, paymentOf, requestName } from './requests.ts';

/** The page at `/`: three steps until the shop is connected, what needs attention, and what happened last. */
export function overviewPage(world: World, incoming: IncomingRequest): UnsentResponse {
  const steps = stepsOf(world, incoming);
  const isConnected = steps.every(({ isDone }) => isDone);
  const groups = attention(world);
  const events = world.log.all().filter(isNews).slice(-SHOWN).reverse();
  const list = html`<ol class="steps">${steps.map(({ title, isDone, text }) => html`<li class="${isDone ? 'good' : 'off'}"><h3>${title}${isDone && html` <span class="unseen">done</span>`}</h3>${!isDone && text}</li>`)}</ol>`;
  return dashboardPage(world, incoming, {
    title: 'Overview',
    content: html`<div id="steps" data-live>${!isConnected && html`<section class="card" aria-labelledby="steps-title"><h2 id="steps-title">Three steps to a paid order</h2>${list}</section>`}</div>
<div id="attention" data-live>${groups.length > 0 && html`<section class="card" aria-labelledby="attention-title"><h2 id="attention-title">Needs attention</h2>${groups.map((rows) => attentionBox(incoming, world, rows))}</section>`}</div>
<div id="news" data-live>${
      events.length > 0 &&
      section(
        'activity',
        'Activity',
        byDay(
          events,
          ({ at }) => at,
          (event) => activity(world, event),
        ),
      )
    }</div>
<div id="connection" data-live>${isConnected && section('connect', 'Connection', credentials(world, incoming))}</div>`,
  });
}

const SHOWN = 20;

/** False for a request that created a payment, because the payment has its own line. */
function isNews(event: SandboxEvent): boolean {
  return event.kind !== 'request' || event.operation !== 'invoices.create' || isRefused(event);
}

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

/** Undelivered webhooks by endpoint and cause, the latest first. */
function attention(world: World): readonly (readonly DeliveryRecord[])[] {
  const groups = new Map<string, DeliveryRecord[]>();
  for (const row of undelivered(world)) {
    const last = row.log.at(-1);
    if (last?.cause?.id === 'fault_refused') continue; // asked for
    const key = `${row.url} ${last?.cause?.text} ${last?.status_code}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].slice(0, 10);
}

function attentionBox(incoming: IncomingRequest, { clock }: World, rows: readonly DeliveryRecord[]): Html | null {
  const [latest] = rows;
  const last = latest?.log.at(-1);
  const cause = last?.cause;
  if (latest === undefined || last === undefined || !cause) return null;
  const { url, id, nextRetryAt } = latest;
  const names = rows
    .slice(0, 3)
    .map((row) => html`<a href="/webhooks/${row.id}">${brief(row.invoice.external_id)}</a> `);
  const next = nextRetryAt === null ? 'no further attempt' : `next attempt in ${span(nextRetryAt - clock.now())}`;
  const idents = rows.map((row) => row.invoice.uuid);
  return html`<div class="box bad"><h3>${counted(rows.length, 'webhook')} not delivered: <bdi>${cause.text}</bdi></h3>
<p class="soft small"><span class="mono">${url}</span> · ${last.status_code === null ? 'no response' : `returned ${last.status_code}`} · ${next}</p>
<p>${names}${rows.length > 3 && html`<a href="/webhooks?state=not+delivered">and ${rows.length - 3} more</a>`}</p>
${cause.remedy && html`<p>${cause.remedy}</p>`}<div class="row"><a class="button" href="/webhooks/${id}">Open</a>${orderButton(incoming, 'resend', rows.length === 1 ? 'Send again' : 'Send all again', idents)}</div></div>`;
}

/** One line of the activity: an event with its payment, its result and its time. */
function activity(world: World, event: SandboxEvent): Html {
  const row = (tone: Tone, href: string | null, name: Html | string, rest: Html): Html => {
    const parts = html`<span class="dot"></span><strong>${name}</strong><span class="soft what">${rest}</span><span class="soft">${time(event.at)}</span>`;
    return href === null
      ? html`<div class="row event ${tone}">${parts}</div>`
      : html`<a class="row event ${tone}" href="${href}">${parts}</a>`;
  };
  switch (event.kind) {
    case 'request': {
      const order = paymentOf(world, event)?.external_id;
      return row(
        isRefused(event) ? 'bad' : 'off',
        `/requests/${event.id}`,
        html`${brief(order ?? 'Request')}`,
        html`<span class="mono">${requestName(event)}</span> ${statusTag(event.status)} ${event.code}`,
      );
    }
    case 'invoice': {
      const invoice = world.store.byUuid(event.uuid);
      const word =
        event.from === null
          ? 'Created'
          : event.from === event.to
            ? 'Corrected'
            : invoice
              ? paymentWord(invoice)
              : event.to;
      const amount = invoice && moneyText(event.paid ?? invoice.amount, invoice.currency.code);
      const tone = event.from === null ? 'wait' : event.to === 'success' ? 'good' : 'off';
      return row(tone, `/payments/${event.uuid}`, brief(event.external_id), html`${word} · ${amount}`);
    }
    case 'attempt': {
      const { success, error, attempt, status_code, cause } = event;
      const text = success
        ? `Webhook delivered, ${status_code}`
        : `Webhook attempt ${attempt} ${status_code === null ? 'got no response' : error}: ${cause?.text ?? ''}`;
      return row(
        success ? 'good' : 'bad',
        `/webhooks/${event.delivery_id}`,
        brief(event.external_id),
        html`<bdi>${text}</bdi>`,
      );
    }
    case 'note':
      return row('warn', null, 'Sandbox', html`<bdi>${event.text}</bdi>`);
  }
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
