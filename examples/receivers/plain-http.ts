import { createServer } from 'node:http';
import { toNodeHandler } from 'merchant-invoicing/webhooks';
import { handler } from './handler.ts';

const webhook = toNodeHandler(handler);
const server = createServer((request, response) => {
  if (request.url === '/webhook') return webhook(request, response);
  response.writeHead(404).end();
});
server.listen(Number(process.env['PORT'] ?? 3000), () => console.log('up'));
