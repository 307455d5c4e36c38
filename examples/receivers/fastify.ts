import fastify from 'fastify';
import { toNodeHandler } from 'merchant-invoicing/webhooks';
import { handler } from './handler.ts';

const app = fastify();
// A separate plugin, so that the rest of the app keeps its JSON parser.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    '*', // also a body without a content type
    { parseAs: 'buffer' },
    (_request, body, done) => done(null, body),
  );
  scope.post('/webhook', toNodeHandler(handler));
});
await app.listen({ port: Number(process.env['PORT'] ?? 3000) });
console.log('up');
