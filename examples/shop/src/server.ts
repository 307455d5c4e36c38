import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isMerchantError } from 'merchant-invoicing';
import { readCart } from './catalogue.ts';
import { type Checkout, startPayment } from './checkout.ts';
import type { Order } from './order.ts';
import { checkoutPage, messagePage, orderPage, productPage } from './pages.ts';

const STYLE = readFileSync(new URL('style.css', import.meta.url), 'utf8');
const MAX_FORM = 16_384;
const MAX_VISITS = 20;

/**
 * No script, no frame, nothing from other hosts. Forms lead to the payment
 * page, so form-action is not limited.
 */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store', // the back button shows the order as it is now
};

/** A response to a browser. */
interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Site extends Checkout {
  readonly log: (line: string) => void;
}

/** Answers every path but the webhook. */
export async function answerPage(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let answer: Answer;
  try {
    answer = await route(site, request);
  } catch (error) {
    // An error of the package holds no key, no secret and no request.
    const what = isMerchantError(error) ? JSON.stringify(error) : String(error);
    site.log(`${request.method} failed: ${what}`);
    answer = {
      status: 500,
      body: messagePage('Something went wrong', 'Please try again.'),
    };
  }
  response
    .writeHead(answer.status, { ...HEADERS, ...answer.headers })
    .end(answer.body);
}

async function route(site: Site, request: IncomingMessage): Promise<Answer> {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && path === '/') return { status: 200, body: productPage() };
  if (isRead && path === '/style.css')
    return {
      status: 200,
      body: STYLE,
      headers: { 'content-type': 'text/css' },
    };
  if (request.method === 'POST' && path === '/cart')
    return fillCart(site, await readForm(request));

  const [, id = '', action = ''] =
    /^\/orders\/([0-9a-f-]{36})(\/pay)?$/.exec(path) ?? [];
  const order = id === '' ? null : site.orders.get(id);
  if (order === null)
    return {
      status: 404,
      body: messagePage('Not found', 'There is no such page or order.'),
    };
  if (isRead && action === '')
    return showOrder(
      order,
      Number(/^returned=([0-9]{1,2})$/.exec(query)?.[1] ?? 0),
    );
  if (request.method === 'POST' && action === '/pay')
    return pay(site, order, await readForm(request));
  return {
    status: 405,
    body: messagePage('Not possible', 'Open the page again.'),
  };
}

const toOrder = (id: string): Answer => ({
  status: 303,
  headers: { location: `/orders/${id}` },
});

function fillCart({ orders }: Site, form: URLSearchParams | null): Answer {
  const lines = form === null ? [] : readCart(form);
  if (lines.length === 0)
    return { status: 422, body: productPage('Choose at least one product.') };
  return toOrder(orders.draft(lines));
}

/**
 * `visit` counts the loads of the page after the payment page. It reloads for
 * ten minutes, less and less often.
 */
function showOrder(order: Order, visit: number): Answer {
  if (order.state === 'draft')
    return { status: 200, body: checkoutPage(order) };
  const returned = visit > 0 && visit <= MAX_VISITS;
  const refresh = `${3 * visit}; url=/orders/${order.id}?returned=${visit + 1}`;
  const headers: Record<string, string> =
    returned && order.state === 'waiting' ? { refresh } : {};
  return { status: 200, body: orderPage(order, { returned }), headers };
}

async function pay(
  site: Site,
  draft: Order,
  form: URLSearchParams | null,
): Promise<Answer> {
  if (form === null)
    return {
      status: 413,
      body: messagePage('Too long', 'Go back and shorten your text.'),
    };
  if (draft.state === 'draft') {
    const [name, address] = [
      form.get('name')?.trim() ?? '',
      form.get('address')?.trim() ?? '',
    ];
    if (
      name === '' ||
      address === '' ||
      name.length > 200 ||
      address.length > 500
    ) {
      return {
        status: 422,
        body: checkoutPage(
          draft,
          'Enter a name and an address.',
          name,
          address,
        ),
      };
    }
    site.orders.place(draft.id, name, address);
  }
  const order = site.orders.get(draft.id) ?? draft;
  try {
    const next = await startPayment(site, order, Number(form.get('number')));
    if (next.kind === 'payment_page')
      return { status: 303, headers: { location: next.url } };
    if (next.kind === 'order') return toOrder(order.id);
    const problem = 'This amount cannot be paid online. Please write to us.';
    return { status: 409, body: orderPage(order, { problem }) };
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    site.log(`payment of ${order.id} not started: ${JSON.stringify(error)}`);
    // an earlier click may have led to a payment
    const problem = 'The payment could not be started. Please try again.';
    return {
      status: 503,
      body: orderPage(site.orders.get(order.id) ?? order, { problem }),
    };
  }
}

/** Reads a form of at most 16 KiB. Null for more. */
async function readForm(
  request: IncomingMessage,
): Promise<URLSearchParams | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_FORM) chunks.push(chunk);
  }
  return size > MAX_FORM
    ? null
    : new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
