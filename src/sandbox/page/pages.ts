import type { Sandbox } from '../api.ts';
import type { Answer } from '../respond.ts';
import type { Exchange } from '../service.ts';
import type { World } from '../world.ts';
import { actionAnswer, statusAnswer } from './actions.ts';
import { ICON, SCRIPT, STYLE } from './assets.ts';
import { dashboard } from './dashboard.ts';
import { fileAnswer, html, pageAnswer } from './html.ts';
import { act } from './payment-actions.ts';
import { paymentPage } from './payment-page.ts';

const FILES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/assets/sandbox.css': ['text/css; charset=utf-8', STYLE],
  '/assets/sandbox.js': ['text/javascript; charset=utf-8', SCRIPT],
  '/assets/icon.svg': ['image/svg+xml', ICON],
};

/** Everything that is looked at: the payment page, the dashboard, their files and buttons. */
export async function servePage(world: World, sandbox: Sandbox, exchange: Exchange): Promise<Answer> {
  const { method, url } = exchange;
  const { pathname } = url;
  const [, first = '', second = '', ...rest] = pathname.split('/');
  const reading = method === 'GET' || method === 'HEAD';
  if (!reading && method !== 'POST') {
    const answer = problem(405, 'This page takes GET and POST.');
    return { ...answer, headers: { ...answer.headers, Allow: 'GET, POST' } };
  }
  const file = Object.hasOwn(FILES, pathname) ? FILES[pathname] : undefined;
  if (reading && file !== undefined) return fileAnswer(...file);
  if (reading && pathname === '/') return dashboard(sandbox);
  if (reading && pathname === '/_/status') return statusAnswer(sandbox);
  if (method === 'POST' && first === '_' && rest.length === 0) return actionAnswer(sandbox, second, exchange);
  const invoice = first === 'pay' && rest.length === 0 ? world.store.byUuid(second) : undefined;
  if (invoice === undefined)
    return problem(404, first === 'pay' ? 'There is no such order.' : 'There is no such page.');
  return reading ? paymentPage(world, invoice) : act(world, invoice, new URLSearchParams(exchange.body));
}

function problem(status: number, text: string): Answer {
  return {
    ...pageAnswer('Sandbox', html`<section><h1>${text}</h1><p><a href="/">To the sandbox</a></p></section>`, {
      status,
    }),
    why: text,
  };
}
