import type { SandboxMethod, SandboxRate, SandboxWithdrawal, WireCurrency } from '../types.ts';

const EUR: WireCurrency = { id: 1, code: 'EUR', name: 'Euro', symbol: '€' };
const USD: WireCurrency = { id: 2, code: 'USD', name: 'US Dollar', symbol: '$' };
const TRY: WireCurrency = { id: 3, code: 'TRY', name: 'Turkish Lira', symbol: '₺' };
const BRL: WireCurrency = { id: 4, code: 'BRL', name: 'Brazilian Real', symbol: 'R$' };
const INR: WireCurrency = { id: 5, code: 'INR', name: 'Indian Rupee', symbol: '₹' };

/**
 * A payment method with its range, and its commission in percent: the customer's part, the merchant's part, the total.
 */
export function seedMethod(
  id: number,
  name: string,
  currency: WireCurrency,
  [min_amount, max_amount]: readonly [string, string],
  [client, merchant, total]: readonly [string, string, string],
): SandboxMethod {
  return {
    id,
    name,
    currency,
    min_amount,
    max_amount,
    total_commission_percent: total,
    client_commission_percent: client,
    merchant_commission_percent: merchant,
    logo_url: `https://cdn.sandbox.invalid/methods/${id}.svg`,
  };
}

/** Methods with different ranges. The customer, the merchant, both or neither pay the commission. */
export const SEED_METHODS: readonly SandboxMethod[] = [
  seedMethod(1, 'Card', EUR, ['5.00', '2000.00'], ['2.00', '1.00', '3.00']),
  seedMethod(2, 'Bank transfer', EUR, ['10.00', '10000.00'], ['0.00', '0.80', '0.80']),
  seedMethod(3, 'Wallet', EUR, ['50.00', '5000.00'], ['1.25', '0.00', '1.25']),
  seedMethod(4, 'Card', USD, ['5.00', '2500.00'], ['1.50', '1.50', '3.00']),
  seedMethod(5, 'ACH', USD, ['20.00', '25000.00'], ['0.00', '0.50', '0.50']),
  seedMethod(6, 'Havale', TRY, ['100.00', '250000.00'], ['0.00', '2.40', '2.40']),
  seedMethod(7, 'Papara', TRY, ['50.00', '50000.00'], ['1.00', '2.00', '3.00']),
  seedMethod(8, 'Pix', BRL, ['1.00', '15000.00'], ['0.00', '0.99', '0.99']),
  seedMethod(9, 'UPI', INR, ['100.00', '100000.00'], ['0.00', '0.00', '0.00']),
];

/** The rates of one source. Each row is a currency with its buying and its selling price. */
export function seedRates(
  platform: string,
  rows: readonly (readonly [string, string | null, string | null])[],
): SandboxRate[] {
  return rows.flatMap(([fiat, buy, sell]) => [
    { platform, asset: 'USDT', fiat, side: 'buy', price: buy, min_amount: '10.00', max_amount: '50000.00' },
    { platform, asset: 'USDT', fiat, side: 'sell', price: sell, min_amount: '10.00', max_amount: '50000.00' },
  ]);
}

/** Rates of two sources. A null price means a pair without fresh data, which the list omits. PLN cannot be charged. */
export const SEED_RATES: readonly SandboxRate[] = [
  ...seedRates('binance', [
    ['EUR', '0.9214', '0.9187'],
    ['USD', '1.0012', '0.9989'],
    ['TRY', '41.35', '41.08'],
    ['BRL', '5.4120', '5.3875'],
    ['INR', '88.42', '87.95'],
  ]),
  ...seedRates('bybit', [
    ['EUR', '0.9221', '0.9180'],
    ['TRY', '41.40', null],
    ['BRL', null, null],
    ['PLN', '3.6410', '3.6225'],
  ]),
];

const DAY = 86_400_000;

/** Withdrawals in each status, dated relative to the start of the sandbox. */
export function seedWithdrawals(start: number): SandboxWithdrawal[] {
  const ago = (days: number): string => new Date(start - days * DAY).toISOString();
  const pending = {
    ...{ actor: 'owner@merchant.example', balance_type: 'main', token: 'USDT', network: 'TRC20' },
    ...{ amount: '250.000000', network_commission: '1.000000', amount_to_send: '249.000000' },
    address: 'TSandboxSandboxSandboxSandbox00001',
    logo_url: 'https://cdn.sandbox.invalid/networks/trc20.svg',
    status: 'pending',
    ...{ tx_hash: null, reject_reason: null, processed_at: null },
  } as const;
  const approved = { ...pending, status: 'approved', tx_hash: '5eed'.repeat(16) } as const;
  const reject_reason = 'Address is not on the allow list';
  const rows: Omit<SandboxWithdrawal, 'uuid'>[] = [
    { ...pending, created_at: ago(0.1) },
    { ...pending, created_at: ago(1), network: 'ERC20', address: '0x5a9db0x5a9db0x5a9db0' },
    { ...approved, created_at: ago(3), processed_at: ago(2.9) },
    { ...approved, created_at: ago(9), processed_at: ago(8.5), amount: '1200.50', amount_to_send: '1199.50' },
    { ...pending, status: 'rejected', created_at: ago(12), processed_at: ago(11), reject_reason },
  ];
  return rows.map((row, index) => ({ uuid: `5eed0000-0000-4000-8000-00000000000${index + 1}`, ...row }));
}
