import type { Sandbox } from '../api.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { actionAnswer, statusAnswer } from './actions.ts';
import { assumptionsPage } from './assumptions-page.ts';
import { dashboard } from './dashboard.ts';
import { deliveriesPage } from './deliveries/deliveries-page.ts';
import { deliveryPage } from './deliveries/delivery-page.ts';
import { faultsPage } from './faults-page.ts';
import { invoicesPage } from './invoices-page.ts';
import { FILES } from './parts/assets.ts';
import { fileAnswer, html, pageAnswer, seeOther } from './parts/html.ts';
import { act } from './payment/payment-actions.ts';
import { paymentPage } from './payment/payment-page.ts';
import { requestPage, requestsPage } from './requests-page.ts';

type Show = (world: World, exchange: Exchange) => Answer;

const DASHBOARD: Readonly<Record<string, Show>> = {
  '/': dashboard,
  '/invoices': invoicesPage,
  '/deliveries': deliveriesPage,
  '/requests': requestsPage,
  '/faults': faultsPage,
  '/assumptions': assumptionsPage,
  '/_': () => seeOther('/'),
};

/** Everything that is looked at: the payment page, the dashboard, their files and buttons. */
export async function servePage(world: World, sandbox: Sandbox, exchange: Exchange): Promise<Answer> {
  const { method } = exchange;
  const reading = method === 'GET' || method === 'HEAD';
  if (!reading && method !== 'POST') {
    const answer = problem(405, 'This page takes GET and POST.');
    return { ...answer, headers: { ...answer.headers, Allow: 'GET, POST' } };
  }
  const answer = await (reading ? look(world, sandbox, exchange) : press(world, sandbox, exchange));
  if (answer !== null) return answer;
  return problem(404, exchange.url.pathname.startsWith('/pay/') ? 'There is no such order.' : 'There is no such page.');
}

async function look(world: World, sandbox: Sandbox, exchange: Exchange): Promise<Answer | null> {
  const { pathname, searchParams } = exchange.url;
  const file = Object.hasOwn(FILES, pathname) ? FILES[pathname] : undefined;
  if (file !== undefined) return fileAnswer(...file);
  const page = Object.hasOwn(DASHBOARD, pathname) ? DASHBOARD[pathname] : undefined;
  if (page !== undefined) return page(world, exchange);
  if (pathname === '/_/status') return statusAnswer(sandbox);
  const [, room, id = '', ...rest] = pathname.split('/');
  if (rest.length > 0) return null;
  if (room === 'requests') return requestPage(world, exchange, id);
  if (room === 'deliveries') {
    const delivery = world.store.deliveryById(id);
    return delivery === undefined ? null : await deliveryPage(world, exchange, delivery);
  }
  const invoice = room === 'pay' ? world.store.byUuid(id) : undefined;
  if (invoice === undefined) return null;
  return paymentPage(world, invoice, { done: searchParams.get('done'), late: searchParams.get('late') });
}

async function press(world: World, sandbox: Sandbox, exchange: Exchange): Promise<Answer | null> {
  const [, room, id = '', ...rest] = exchange.url.pathname.split('/');
  if (rest.length > 0) return null;
  if (room === '_') return actionAnswer(sandbox, id, exchange);
  const invoice = room === 'pay' ? world.store.byUuid(id) : undefined;
  return invoice === undefined ? null : await act(world, invoice, new URLSearchParams(exchange.body));
}

function problem(status: number, text: string): Answer {
  const body = html`<section class="card stack"><h1>${text}</h1><p><a href="/">To the sandbox</a></p></section>`;
  return { ...pageAnswer(text, body, { status }), why: text };
}
