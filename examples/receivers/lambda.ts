import { toLambdaHandler } from 'merchant-invoicing/webhooks';
import { handler as webhook } from './handler.ts';

export const handler = toLambdaHandler(webhook);
