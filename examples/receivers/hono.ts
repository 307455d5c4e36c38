import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { toFetchHandler } from 'merchant-invoicing/webhooks';
import { handler } from './handler.ts';

const webhook = toFetchHandler(handler);
const app = new Hono();
// above any middleware that reads the body
app.post('/webhook', (c) => webhook(c.req.raw));
serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) }, () =>
  console.log('up'),
);
