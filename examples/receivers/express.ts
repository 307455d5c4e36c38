import express from 'express';
import { toNodeHandler } from 'merchant-invoicing/webhooks';
import { handler } from './handler.ts';

const app = express();
app.post(
  '/webhook',
  express.raw({ type: 'application/json' }),
  toNodeHandler(handler),
); // above express.json()
app.use(express.json());
app.listen(Number(process.env['PORT'] ?? 3000), () => console.log('up'));
