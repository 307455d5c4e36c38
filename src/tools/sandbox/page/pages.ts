// The pages for people: the hosted payment page and the dashboard. May import the rest of the sandbox.

import { BASE, SANDBOX } from '../../style.ts';
import type { Perform } from '../actions.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { World } from '../world.ts';
import { pageScript } from './browser.ts';
import { checkoutPage, pressedAction } from './checkout.ts';
import { faultsContent } from './faults.ts';
import { actionResponse, newPaymentPage, statusResponse } from './forms.ts';
import { dashboardPage, fileResponse, messagePage, seeOther } from './frame.ts';
import { overviewPage } from './overview.ts';
import { paymentPage, paymentsPage } from './payments.ts';
import { payoutsPage } from './payouts.ts';
import { requestsPage } from './requests.ts';
import { webhooksPage } from './webhooks.ts';

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3.5" fill="#5046e4"/><path d="M4.5 4.5h7M4.5 8h7M4.5 11.5h4" stroke="#fff" stroke-width="1.5" stroke-linecap="round"/></svg>`;

type Show = (world: World, incoming: IncomingRequest, perform: Perform) => UnsentResponse | Promise<UnsentResponse>;

/** The pages and files at a fixed path. */
const SHOWN: ReadonlyMap<string, Show> = new Map<string, Show>([
  ['/', overviewPage],
  ['/payments', paymentsPage],
  ['/payments/new', newPaymentPage],
  ['/webhooks', (world, incoming) => webhooksPage(world, incoming, null)],
  ['/requests', (world, incoming) => requestsPage(world, incoming, null)],
  [
    '/faults',
    (world, incoming) => dashboardPage(world, incoming, { title: 'Faults', content: faultsContent(world, incoming) }),
  ],
  ['/payouts', payoutsPage],
  ['/_', () => seeOther('/')],
  ['/_/status', (_, __, perform) => statusResponse(perform)],
  ['/assets/sandbox.css', () => fileResponse('text/css; charset=utf-8', BASE + SANDBOX)],
  ['/assets/sandbox.js', () => fileResponse('text/javascript; charset=utf-8', `'use strict';(${pageScript})();`)],
  ['/assets/icon.svg', () => fileResponse('image/svg+xml', ICON)],
]);

/** Answers a request to the payment page, the dashboard, their files and buttons. */
export async function servePage(world: World, perform: Perform, incoming: IncomingRequest): Promise<UnsentResponse> {
  const { method, url } = incoming;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && method !== 'POST') {
    const response = messagePage(405, 'This page takes GET and POST.');
    return { ...response, headers: { ...response.headers, Allow: 'GET, POST' } };
  }
  const response = await (isRead ? showPage : doAction)(world, perform, incoming);
  if (response !== null) return response;
  const title = `There is no such ${url.pathname.startsWith('/pay/') ? 'payment' : 'page'}.`;
  return { ...messagePage(404, title), why: `${title} The paths of the service begin with /api/v1/external.` };
}

async function showPage(world: World, perform: Perform, incoming: IncomingRequest): Promise<UnsentResponse | null> {
  const { pathname } = incoming.url;
  const show = SHOWN.get(pathname);
  if (show !== undefined) return show(world, incoming, perform);
  const [, room, id = '', ...rest] = pathname.split('/');
  if (rest.length > 0) return null;
  if (room === 'requests') {
    const request = world.log.requests().find((entry) => entry.id === id);
    return request === undefined ? null : requestsPage(world, incoming, request);
  }
  if (room === 'webhooks') {
    const delivery = world.store.deliveryById(id);
    return delivery === undefined ? null : webhooksPage(world, incoming, delivery);
  }
  const invoice = world.store.byUuid(id);
  if (invoice === undefined) return null;
  if (room === 'payments') return paymentPage(world, incoming, invoice);
  return room === 'pay' ? checkoutPage(world, incoming, invoice) : null;
}

async function doAction(world: World, perform: Perform, incoming: IncomingRequest): Promise<UnsentResponse | null> {
  const [, room, id = '', ...rest] = incoming.url.pathname.split('/');
  if (rest.length > 0) return null;
  if (room === '_') return actionResponse(world, perform, incoming, (values) => ({ name: id, values }));
  const invoice = room === 'pay' ? world.store.byUuid(id) : undefined;
  if (invoice === undefined) return null;
  return actionResponse(world, perform, incoming, (values) => pressedAction(invoice.uuid, values));
}
