// Typed by hand from docs/service-interface.md. No code of the package produces these answers.

const currency = { id: 1, code: 'EUR', name: 'Euro', symbol: '€' };

export const CREATED = {
  uuid: '0b9f6e1c-7f43-4e0d-9f5a-1d2c3b4a5e6f',
  external_id: 'order-1042',
  customer_id: 'customer-7',
  amount: '25.00',
  currency,
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

/** An invoice as the service writes it. */
export interface WireInvoice {
  readonly [member: string]: unknown;
}

function invoice(index: number): WireInvoice {
  const tail = String(index).padStart(12, '0');
  return {
    uuid: `0e0f7c1e-6f5b-4a51-9a43-${tail}`,
    external_id: `order-${index}`,
    customer_id: `customer-${index % 97}`,
    purpose: `Order ${index}`,
    amount: `${25 + (index % 50)}.00`,
    amount_to_send: `${25 + (index % 50)}.50`,
    currency,
    status: 'success',
    callback_url: null,
    success_url: null,
    fail_url: null,
    payment_url: `https://pay.example/i/${index}`,
    created_at: `2026-01-${String(1 + (index % 28)).padStart(2, '0')}T09:30:00Z`,
    expires_at: `2026-01-${String(1 + (index % 28)).padStart(2, '0')}T10:00:00Z`,
    finished_at: `2026-01-${String(1 + (index % 28)).padStart(2, '0')}T09:31:12Z`,
    payment_method: { name: 'Card', logo_url: null },
    rate: '0.92',
    settled_amount_usdt: '26.861298',
    is_adjusted: false,
    adjustment: null,
  };
}

/** One page of a list of `total` invoices. */
export function page(number: number, size: number, total: number): Readonly<Record<string, unknown>> {
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
