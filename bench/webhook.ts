import { createHmac, timingSafeEqual } from 'node:crypto';
import { signWebhook, verifyWebhook } from '../src/webhooks/index.ts';
import { compare } from './measure.ts';

const SECRET = 'whsec_bench';
const body = Buffer.from(
  JSON.stringify({
    invoice_uuid: '0e0f7c1e-6f5b-4a51-9a43-000000000001',
    external_id: 'order-1',
    status: 'success',
    amount: '25.00',
    credited_usdt: '26.861298',
    adjusted: false,
  }),
);

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
