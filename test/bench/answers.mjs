// Answers of the service and of its peers, typed by hand from docs/service-interface.md and from the peers' declarations.
// No code of the package produces them.

const CURRENCY = { id: 1, code: 'EUR', name: 'Euro', symbol: '€' };

export const CREATED = {
  uuid: '0b9f6e1c-7f43-4e0d-9f5a-1d2c3b4a5e6f',
  external_id: 'order-1042',
  customer_id: 'customer-7',
  amount: '25.00',
  currency: CURRENCY,
  status: 'pending',
  created_at: '2026-01-31T09:30:00Z',
  expires_at: '2026-01-31T10:00:00Z',
  purpose: 'Two tickets',
  amount_to_send: '25.50',
  callback_url: 'https://shop.example/webhooks/invoices',
  success_url: 'https://shop.example/paid',
  fail_url: 'https://shop.example/failed',
  payment_url: 'https://pay.example/i/0b9f6e1c',
};

function invoice(index) {
  const day = `2026-01-${String(1 + (index % 28)).padStart(2, '0')}`;
  return {
    uuid: `0e0f7c1e-6f5b-4a51-9a43-${String(index).padStart(12, '0')}`,
    external_id: `order-${index}`,
    customer_id: `customer-${index % 97}`,
    purpose: `Order ${index}`,
    amount: `${25 + (index % 50)}.00`,
    amount_to_send: `${25 + (index % 50)}.50`,
    currency: CURRENCY,
    status: 'success',
    callback_url: null,
    success_url: null,
    fail_url: null,
    payment_url: `https://pay.example/i/${index}`,
    created_at: `${day}T09:30:00Z`,
    expires_at: `${day}T10:00:00Z`,
    finished_at: `${day}T09:31:12Z`,
    payment_method: { name: 'Card', logo_url: null },
    rate: '0.92',
    settled_amount_usdt: '26.861298',
    is_adjusted: false,
    adjustment: null,
  };
}

/** One page of a list of `total` invoices. */
export function page(number, size, total) {
  const from = (number - 1) * size;
  return {
    items: Array.from({ length: Math.max(0, Math.min(size, total - from)) }, (_, at) => invoice(total - from - at)),
    page: number,
    per_page: size,
    total_items: total,
    total_pages: Math.ceil(total / size),
    has_next: from + size < total,
    has_prev: number > 1,
  };
}

/** The body of a webhook for a paid invoice. */
export const PAID_BODY = JSON.stringify({
  invoice_uuid: '0e0f7c1e-6f5b-4a51-9a43-000000000001',
  external_id: 'order-1',
  status: 'success',
  amount: '25.00',
  credited_usdt: '26.861298',
  adjusted: false,
});

export const STRIPE_INTENT = {
  id: 'pi_3OqQ1x2eZvKYlo2C0aBcDeFg',
  object: 'payment_intent',
  amount: 2500,
  amount_received: 0,
  capture_method: 'automatic',
  client_secret: 'pi_3OqQ1x2eZvKYlo2C0aBcDeFg_secret_bench',
  created: 1769851800,
  currency: 'eur',
  customer: 'cus_7',
  description: 'Two tickets',
  livemode: false,
  metadata: { order: 'order-1042' },
  payment_method_types: ['card'],
  status: 'requires_payment_method',
};

export const STRIPE_EVENT = JSON.stringify({
  id: 'evt_01J000000000000000000001',
  object: 'event',
  type: 'payment_intent.succeeded',
  created: 1769851800,
  data: { object: { id: 'pi_1', object: 'payment_intent', amount: 2500, currency: 'eur', status: 'succeeded' } },
});

export const OPENAI_FILE = {
  id: 'file-0b9f6e1c7f434e0d',
  object: 'file',
  bytes: 2500,
  created_at: 1769851800,
  expires_at: 1769853600,
  filename: 'order-1042.jsonl',
  purpose: 'user_data',
  status: 'processed',
  status_details: 'about as long as an invoice of the service, so that reading this response costs the same',
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
export function cursorPage(item, after, size, total) {
  const data = Array.from({ length: Math.min(size, total - after) }, (_, at) => ({ ...item, id: `${after + at + 1}` }));
  return { object: 'list', url: '/v1/payment_intents', has_more: after + size < total, data };
}
