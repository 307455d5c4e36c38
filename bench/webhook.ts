import { createHmac, timingSafeEqual } from 'node:crypto';
import { signWebhook, verifyWebhook } from '../src/webhooks/index.ts';
import { compare, PAID_BODY, SECRET } from './measure.ts';

const body = Buffer.from(PAID_BODY);

export async function webhook(): Promise<void> {
  const headers = await signWebhook(body, SECRET);
  await compare('Verify a delivery', 2_000, [
    {
      name: 'node:crypto and JSON.parse, no other check',
      run: () => {
        const digest = createHmac('sha256', SECRET).update(`${headers['X-Webhook-Timestamp']}.`).update(body).digest();
        if (!timingSafeEqual(digest, Buffer.from(headers['X-Webhook-Signature'], 'hex'))) throw new Error('forged');
        return JSON.parse(body.toString('utf8'));
      },
    },
    { name: 'verifyWebhook, typed event', run: () => verifyWebhook(body, { ...headers }, SECRET) },
  ]);
}
