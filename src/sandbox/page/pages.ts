// The pages for people: the hosted payment page and the dashboard. May import the rest of the sandbox.
import type { Perform } from '../actions.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { checkoutPage, pressButton } from './checkout.ts';
import { faultsContent } from './faults.ts';
import { actionAnswer, newPaymentPage, statusAnswer } from './forms.ts';
import { dashboardPage, fileAnswer, messagePage, seeOther } from './frame.ts';
import { overviewPage } from './overview.ts';
import { paymentPage, paymentsPage } from './payments.ts';
import { payoutsPage, referencePage } from './reference.ts';
import { requestPage, requestsPage } from './requests.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';
import { webhooksPage } from './webhooks.ts';

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3.5" fill="#5046e4"/><path d="M4.5 4.5h7M4.5 8h7M4.5 11.5h4" stroke="#fff" stroke-width="1.5" stroke-linecap="round"/></svg>`;

type Show = (world: World, exchange: Exchange, perform: Perform) => Answer | Promise<Answer>;

/** The pages and files at a fixed path. */
const SHOWN: ReadonlyMap<string, Show> = new Map<string, Show>([
  ['/', overviewPage],
  ['/payments', paymentsPage],
  ['/payments/new', newPaymentPage],
  ['/webhooks', (world, exchange) => webhooksPage(world, exchange, null)],
  ['/requests', requestsPage],
  [
    '/faults',
    (world, exchange) => dashboardPage(world, exchange, { title: 'Faults', content: faultsContent(world, exchange) }),
  ],
  ['/payouts', payoutsPage],
  ['/reference', referencePage],
  ['/_', () => seeOther('/')],
  ['/_/status', (_, __, perform) => statusAnswer(perform)],
  ['/assets/sandbox.css', () => fileAnswer('text/css; charset=utf-8', STYLE)],
  ['/assets/sandbox.js', () => fileAnswer('text/javascript; charset=utf-8', SCRIPT)],
  ['/assets/icon.svg', () => fileAnswer('image/svg+xml', ICON)],
]);

/** Answers a request to the payment page, the dashboard, their files and buttons. */
export async function servePage(world: World, perform: Perform, exchange: Exchange): Promise<Answer> {
  const { method, url } = exchange;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && method !== 'POST') {
    const answer = messagePage(405, 'This page takes GET and POST.');
    return { ...answer, headers: { ...answer.headers, Allow: 'GET, POST' } };
  }
  const answer = await (isRead ? showPage : doAction)(world, perform, exchange);
  if (answer !== null) return answer;
  const title = url.pathname.startsWith('/pay/') ? 'There is no such payment.' : 'There is no such page.';
  return { ...messagePage(404, title), why: `${title} The paths of the service begin with /api/v1/external.` };
}

async function showPage(world: World, perform: Perform, exchange: Exchange): Promise<Answer | null> {
  const { pathname } = exchange.url;
  const show = SHOWN.get(pathname);
  if (show !== undefined) return show(world, exchange, perform);
  const [, room, id = '', ...rest] = pathname.split('/');
  if (rest.length > 0) return null;
  if (room === 'requests') {
    const request = world.log.requests().find((entry) => entry.id === id);
    return request === undefined ? null : requestPage(world, exchange, request);
  }
  if (room === 'webhooks') {
    const delivery = world.store.deliveryById(id);
    return delivery === undefined ? null : webhooksPage(world, exchange, delivery);
  }
  const invoice = world.store.byUuid(id);
  if (invoice === undefined) return null;
  if (room === 'payments') return paymentPage(world, exchange, invoice);
  return room === 'pay' ? checkoutPage(world, exchange, invoice) : null;
}

async function doAction(world: World, perform: Perform, exchange: Exchange): Promise<Answer | null> {
  const [, room, id = '', ...rest] = exchange.url.pathname.split('/');
  if (rest.length > 0) return null;
  if (room === '_') return actionAnswer(world, perform, id, exchange);
  const invoice = room === 'pay' ? world.store.byUuid(id) : undefined;
  return invoice === undefined ? null : await pressButton(world, perform, invoice, new URLSearchParams(exchange.body));
}
