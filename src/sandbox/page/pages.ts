// The pages for people: the hosted payment page and the dashboard. May import the rest of the sandbox.
import type { Sandbox } from '../api.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { actionAnswer, statusAnswer } from './actions.ts';
import { methodPicture } from './checkout.ts';
import { deliveriesPage, deliveryPage } from './deliveries.ts';
import { faultsPage } from './faults.ts';
import { fileAnswer, html, pageAnswer, seeOther } from './html.ts';
import { invoicePage, invoicesPage, newInvoicePage } from './invoices.ts';
import { dialectsPage, methodsPage, ratesPage, withdrawalsPage } from './more.ts';
import { overviewPage } from './overview.ts';
import { paymentPage, pressButton } from './payment.ts';
import { requestPage, requestsPage } from './requests.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

type Show = (world: World, exchange: Exchange) => Answer;

const DASHBOARD: Readonly<Record<string, Show>> = {
  '/': overviewPage,
  '/invoices': invoicesPage,
  '/invoices/new': newInvoicePage,
  '/deliveries': deliveriesPage,
  '/requests': requestsPage,
  '/faults': faultsPage,
  '/withdrawals': withdrawalsPage,
  '/methods': methodsPage,
  '/rates': ratesPage,
  '/dialects': dialectsPage,
  '/_': () => seeOther('/'),
};

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3.5" fill="#5046e4"/><path d="M4.5 4.5h7M4.5 8h7M4.5 11.5h4" stroke="#fff" stroke-width="1.5" stroke-linecap="round"/></svg>`;

/** The files that the pages load. */
const FILES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/assets/sandbox.css': ['text/css; charset=utf-8', STYLE],
  '/assets/sandbox.js': ['text/javascript; charset=utf-8', SCRIPT],
  '/assets/icon.svg': ['image/svg+xml', ICON],
};

/** Answers a request to the payment page, the dashboard, their files and buttons. */
export async function servePage(world: World, sandbox: Sandbox, exchange: Exchange): Promise<Answer> {
  const { method } = exchange;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && method !== 'POST') {
    const answer = problem(405, 'This page takes GET and POST.');
    return { ...answer, headers: { ...answer.headers, Allow: 'GET, POST' } };
  }
  const answer = await (isRead ? showPage(world, sandbox, exchange) : doAction(world, sandbox, exchange));
  if (answer !== null) return answer;
  return problem(404, exchange.url.pathname.startsWith('/pay/') ? 'There is no such order.' : 'There is no such page.');
}

async function showPage(world: World, sandbox: Sandbox, exchange: Exchange): Promise<Answer | null> {
  const { pathname, searchParams } = exchange.url;
  const file = Object.hasOwn(FILES, pathname) ? FILES[pathname] : undefined;
  if (file !== undefined) return fileAnswer(...file);
  if (pathname.startsWith('/assets/methods/')) return methodPicture(world, pathname);
  const page = Object.hasOwn(DASHBOARD, pathname) ? DASHBOARD[pathname] : undefined;
  if (page !== undefined) return page(world, exchange);
  if (pathname === '/_/status') return await statusAnswer(sandbox);
  const [, room, id = '', ...rest] = pathname.split('/');
  if (rest.length > 0) return null;
  if (room === 'requests') return requestPage(world, exchange, id);
  if (room === 'deliveries') {
    const delivery = world.store.deliveryById(id);
    return delivery === undefined ? null : await deliveryPage(world, exchange, delivery);
  }
  const invoice = room === 'pay' || room === 'invoices' ? world.store.byUuid(id) : undefined;
  if (invoice === undefined) return null;
  if (room === 'invoices') return invoicePage(world, exchange, invoice);
  return paymentPage(world, invoice, { done: searchParams.get('done'), late: searchParams.get('late') });
}

async function doAction(world: World, sandbox: Sandbox, exchange: Exchange): Promise<Answer | null> {
  const [, room, id = '', ...rest] = exchange.url.pathname.split('/');
  if (rest.length > 0) return null;
  if (room === '_') return actionAnswer(world, sandbox, id, exchange);
  const invoice = room === 'pay' ? world.store.byUuid(id) : undefined;
  return invoice === undefined ? null : await pressButton(world, sandbox, invoice, new URLSearchParams(exchange.body));
}

function problem(status: number, text: string): Answer {
  const body = html`<section class="card nothing"><h1>${text}</h1><p><a href="/">To the sandbox</a></p></section>`;
  return { ...pageAnswer(text, body, { status }), why: text };
}
