// The service of the benchmarks in a process of its own: `service.mjs LATENCY`. Each response is prepared once, because only
// its reader is measured.
import { createServer } from 'node:http';
import { CREATED, cursorPage, OPENAI_FILE, POLAR_CHECKOUT, page, STRIPE_INTENT } from './answers.mjs';

/** The list that a walk reads. */
const WALKED = 5_000;

const latency = Number(process.argv[2] ?? 0);
const prepared = new Map();

function answerTo(method, { pathname, searchParams }) {
  const size = Number(searchParams.get('per_page') ?? searchParams.get('limit') ?? 20);
  const after = Number(searchParams.get('starting_after') ?? searchParams.get('after') ?? 0);
  switch (`${method} ${pathname.replace(/\/+$/, '')}`) {
    case 'POST /api/v1/external/invoices':
      return { success: true, data: CREATED };
    case 'GET /api/v1/external/invoices':
      return { success: true, data: page(Number(searchParams.get('page') ?? 1), size, WALKED) };
    case 'POST /v1/payment_intents':
      return STRIPE_INTENT;
    case 'GET /v1/payment_intents':
      return cursorPage(STRIPE_INTENT, after, size, WALKED);
    case 'POST /openai/vector_stores':
      return OPENAI_FILE;
    case 'GET /openai/files':
      return cursorPage(OPENAI_FILE, after, size, WALKED);
    case 'POST /v1/checkouts':
      return POLAR_CHECKOUT;
    case 'GET /v1/checkouts':
      return { items: Array(size).fill(POLAR_CHECKOUT), pagination: { total_count: size, max_page: 1 } };
    default:
      throw new Error(`no response for ${method} ${pathname}`);
  }
}

const server = createServer((request, response) => {
  const key = `${request.method} ${request.url}`;
  const body =
    prepared.get(key) ?? Buffer.from(JSON.stringify(answerTo(request.method, new URL(key.split(' ')[1], 'http://a'))));
  prepared.set(key, body);
  const answer = () => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': body.byteLength,
      'x-request-id': '5b1c2d3e-0000-4000-8000-000000000001',
    });
    response.end(body);
  };
  request.resume();
  request.on('end', () => (latency === 0 ? answer() : setTimeout(answer, latency)));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
process.on('disconnect', () => process.exit());
