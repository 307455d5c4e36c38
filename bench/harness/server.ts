// The service of the benchmarks, in a process of its own. Every answer is prepared once, because only its reader is measured.
import { createServer } from 'node:http';
import { cursorPage, OPENAI_FILE, POLAR_CHECKOUT, STRIPE_INTENT } from '../answers/peers.ts';
import { CREATED, page } from '../answers/wire.ts';

/** The list that a walk reads. */
const WALKED = 5_000;

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const prepared = new Map<string, Buffer>();

/** The answer to one request, by method and address. */
function answerTo(method: string, url: URL): Buffer {
  const { pathname, searchParams } = url;
  const size = Number(searchParams.get('per_page') ?? searchParams.get('limit') ?? 20);
  const after = Number(searchParams.get('starting_after') ?? searchParams.get('after') ?? 0);
  switch (`${method} ${pathname.replace(/\/+/g, '/')}`) {
    case 'POST /api/v1/external/invoices':
      return json({ success: true, data: CREATED });
    case 'GET /api/v1/external/invoices':
      return json({ success: true, data: page(Number(searchParams.get('page') ?? 1), size, Math.max(size, WALKED)) });
    case 'POST /v1/payment_intents':
      return json(STRIPE_INTENT);
    case 'GET /v1/payment_intents':
      return json(cursorPage(STRIPE_INTENT, after, size, WALKED));
    case 'POST /openai/files/file-1':
    case 'GET /openai/files/file-1':
      return json(OPENAI_FILE);
    case 'GET /openai/files':
      return json(cursorPage(OPENAI_FILE, after, size, WALKED));
    case 'POST /openai/vector_stores':
      return json(OPENAI_FILE);
    case 'POST /v1/checkouts':
    case 'POST /v1/checkouts/':
      return json(POLAR_CHECKOUT);
    case 'GET /v1/checkouts':
    case 'GET /v1/checkouts/':
      return json({
        items: Array.from({ length: size }, () => POLAR_CHECKOUT),
        pagination: { total_count: size, max_page: 1 },
      });
    default:
      throw new Error(`no answer for ${method} ${pathname}`);
  }
}

/** Milliseconds before each answer, from the command line: the distance of the service. */
const latency = Number(process.argv[2] ?? 0);

const server = createServer((request, response) => {
  const key = `${request.method} ${request.url}`;
  let body = prepared.get(key);
  if (body === undefined) {
    body = answerTo(request.method ?? '', new URL(request.url ?? '', 'http://loopback'));
    prepared.set(key, body);
  }
  const ready = body;
  const answer = (): void => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': ready.byteLength,
      'x-request-id': '5b1c2d3e-0000-4000-8000-000000000001',
    });
    response.end(ready);
  };
  request.resume();
  request.on('end', () => (latency === 0 ? answer() : setTimeout(answer, latency)));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  process.send?.(`http://127.0.0.1:${address.port}`);
});
process.on('disconnect', () => process.exit());
