// app/webhook/route.ts
import { toFetchHandler } from 'merchant-invoicing/webhooks';
import { handler } from './handler.ts';

export const runtime = 'nodejs';
export const POST = toFetchHandler(handler);
