import type { SeedInvoice } from '../../src/tools/sandbox/index.ts';

/**
 * Orders in every state and in several currencies, one paid with less and one with more. They name no callback URL, and
 * the final ones send nothing.
 */
export const DEMO_INVOICES: readonly SeedInvoice[] = [
  order('demo-expired', '120.00', 'USD', { status: 'expired', age: '9d', purpose: 'Headphones' }),
  order('demo-canceled', '2500.00', 'TRY', { status: 'canceled', age: '6d', purpose: 'Winter coat' }),
  order('demo-failed', '80.00', 'EUR', { status: 'fail', age: '5d', purpose: 'Concert ticket' }),
  order('demo-paid', '25.00', 'EUR', { status: 'success', age: '4d', purpose: 'Two mugs' }),
  order('demo-underpaid', '60.00', 'EUR', { status: 'success', age: '3d', paid: '45.00', purpose: 'Desk lamp' }),
  order('demo-overpaid', '150.00', 'BRL', { status: 'success', age: '2d', paid: '155.50', purpose: 'Board game' }),
  order('demo-paid-inr', '4999.00', 'INR', { status: 'success', age: '1d', purpose: 'Course: first aid' }),
  order('demo-pending', '49.90', 'EUR', { age: '2m', purpose: 'Order of three books' }),
  order('demo-too-small', '2.00', 'USD', { age: '1m', purpose: 'No method takes an amount this small' }),
];

function order(external_id: string, amount: string, currency: string, rest: Partial<SeedInvoice>): SeedInvoice {
  return { external_id, customer_id: 'demo-customer', amount, currency, ...rest };
}
