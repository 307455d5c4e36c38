// A delivery from its bytes to an event. Each peer verifies its own form of signature over an event of its own.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { EVENTS } from '../answers/peers.ts';
import { PAID_BODY } from '../answers/wire.ts';
import type { Contenders, Task } from '../harness/contender.ts';
import { loadWebhooks } from '../subject.ts';

const SECRET = 'whsec_bench_0123456789';
const STANDARD_SECRET = `whsec_${Buffer.from('bench-0123456789-0123456789-0123').toString('base64')}`;
const now = Math.floor(Date.now() / 1_000);

const hex = (text: string): string => createHmac('sha256', SECRET).update(text).digest('hex');

/** The headers of Standard Webhooks, signed with a secret in base64. */
async function standardHeaders(body: string, secret: string): Promise<Record<string, string>> {
  const { Webhook } = await import('standardwebhooks');
  const id = 'msg_01';
  return {
    'webhook-id': id,
    'webhook-timestamp': String(now),
    'webhook-signature': new Webhook(secret).sign(id, new Date(now * 1_000), body),
  };
}

export const contenders: Contenders = {
  'merchant-invoicing': async () => {
    const { signWebhook, verifyWebhook } = await loadWebhooks();
    const body = Buffer.from(PAID_BODY);
    const headers = await signWebhook(body, SECRET);
    return () => verifyWebhook(body, { ...headers }, SECRET);
  },
  'node:crypto and JSON.parse': (): Task => {
    const body = Buffer.from(PAID_BODY);
    const signature = hex(`${now}.${PAID_BODY}`);
    return () => {
      const digest = createHmac('sha256', SECRET).update(`${now}.`).update(body).digest();
      if (!timingSafeEqual(digest, Buffer.from(signature, 'hex'))) throw new Error('forged');
      return JSON.parse(body.toString('utf8'));
    };
  },
  octokit: async () => {
    const { verify } = await import('@octokit/webhooks-methods');
    const signature = `sha256=${hex(PAID_BODY)}`;
    return async () => {
      if (!(await verify(SECRET, PAID_BODY, signature))) throw new Error('forged');
      return JSON.parse(PAID_BODY);
    };
  },
  stripe: async () => {
    const { default: Stripe } = await import('stripe');
    const { webhooks } = new Stripe('sk_bench_0123456789');
    const body = Buffer.from(EVENTS.stripe);
    const header = webhooks.generateTestHeaderString({ payload: EVENTS.stripe, secret: SECRET, timestamp: now });
    return () => webhooks.constructEvent(body, header, SECRET);
  },
  paddle: async () => {
    const { Paddle } = await import('@paddle/paddle-node-sdk');
    const { webhooks } = new Paddle('pdl_bench_0123456789');
    // Its tolerance is five seconds and cannot be set, so the stamp is of the future.
    const later = now + 86_400;
    const header = `ts=${later};h1=${hex(`${later}:${EVENTS.paddle}`)}`;
    return () => webhooks.unmarshal(EVENTS.paddle, SECRET, header);
  },
  svix: async () => {
    const { Webhook } = await import('svix');
    const webhook = new Webhook(STANDARD_SECRET);
    const headers = await standardHeaders(PAID_BODY, STANDARD_SECRET);
    return () => webhook.verify(PAID_BODY, headers);
  },
  standardwebhooks: async () => {
    const { Webhook } = await import('standardwebhooks');
    const webhook = new Webhook(STANDARD_SECRET);
    const headers = await standardHeaders(PAID_BODY, STANDARD_SECRET);
    return () => webhook.verify(PAID_BODY, headers);
  },
  polar: async () => {
    const { webhooks } = await import('@polar-sh/sdk/2026-10');
    const headers = await standardHeaders(EVENTS.polar, Buffer.from(SECRET).toString('base64')); // the form that it tries first
    return () => webhooks.validateEvent(EVENTS.polar, headers, SECRET);
  },
};
