// Answers in the shapes of the peers, typed by hand from their public declarations, each about as long as an invoice.

export const STRIPE_INTENT = {
  id: 'pi_3OqQ1x2eZvKYlo2C0aBcDeFg',
  object: 'payment_intent',
  amount: 2500,
  amount_capturable: 0,
  amount_received: 0,
  capture_method: 'automatic',
  client_secret: 'pi_3OqQ1x2eZvKYlo2C0aBcDeFg_secret_bench',
  confirmation_method: 'automatic',
  created: 1769851800,
  currency: 'eur',
  customer: 'cus_7',
  description: 'Two tickets',
  livemode: false,
  metadata: { order: 'order-1042' },
  payment_method_types: ['card'],
  status: 'requires_payment_method',
};

export const OPENAI_FILE = {
  id: 'file-0b9f6e1c7f434e0d',
  object: 'file',
  bytes: 2500,
  created_at: 1769851800,
  expires_at: 1769853600,
  filename: 'order-1042.jsonl',
  purpose: 'user_data',
  status: 'processed',
  status_details:
    'the text of this answer is about as long as an invoice of the service, so that reading it costs the same',
  metadata: { order: 'order-1042', customer: 'customer-7', description: 'Two tickets' },
};

export const POLAR_CHECKOUT = {
  id: '0b9f6e1c-7f43-4e0d-9f5a-1d2c3b4a5e6f',
  created_at: '2026-01-31T09:30:00Z',
  modified_at: null,
  status: 'open',
  client_secret: 'polar_c_bench',
  url: 'https://pay.example/i/0b9f6e1c',
  expires_at: '2026-01-31T10:00:00Z',
  success_url: 'https://shop.example/paid',
  amount: 2500,
  total_amount: 2550,
  currency: 'eur',
  customer_id: 'customer-7',
  customer_email: null,
  metadata: { order: 'order-1042', description: 'Two tickets' },
};

/** A page of a list whose items have ids, as stripe and openai read it. */
export function cursorPage(
  item: { readonly id: string },
  after: number,
  size: number,
  total: number,
): Readonly<Record<string, unknown>> {
  const data = Array.from({ length: Math.min(size, total - after) }, (_, at) => ({ ...item, id: `${after + at + 1}` }));
  return {
    object: 'list',
    url: '/v1/payment_intents',
    has_more: after + size < total,
    first_id: `${after + 1}`,
    last_id: `${after + data.length}`,
    data,
  };
}

const EVENT_ID = 'evt_01J000000000000000000001';

/** Bodies of webhooks about a payment, by peer. */
export const EVENTS = {
  stripe: JSON.stringify({
    id: EVENT_ID,
    object: 'event',
    type: 'payment_intent.succeeded',
    created: 1769851800,
    data: { object: { id: 'pi_1', object: 'payment_intent', amount: 2500, currency: 'eur', status: 'succeeded' } },
  }),
  paddle: JSON.stringify({
    event_id: EVENT_ID,
    event_type: 'customer.created',
    occurred_at: '2026-01-31T09:31:12Z',
    notification_id: 'ntf_01',
    data: { id: 'ctm_01', email: 'a@shop.example', status: 'active', locale: 'en', marketing_consent: false },
  }),
  polar: JSON.stringify({
    type: 'customer.created',
    timestamp: '2026-01-31T09:31:12Z',
    data: { id: '0b9f6e1c-7f43-4e0d-9f5a-1d2c3b4a5e6f', email: 'a@shop.example', name: null, metadata: {} },
  }),
};
