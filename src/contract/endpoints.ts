// The contract holds all data that travels, declared once for both directions: types, codecs and endpoints. It imports
// nothing else of the package and is the only room that imports zod. The webhooks and the error classes use it too, and
// take only files that load no zod: types, statuses, json, wire, and the scalars and decimals of values/.

import { listDeliveries, resendWebhook } from './deliveries.ts';
import { createInvoice, getInvoice, listInvoices } from './invoices.ts';
import { listPaymentMethods } from './payment-methods.ts';
import { listRates } from './rates.ts';
import { getWithdrawal, listWithdrawals } from './withdrawals.ts';

/** All endpoints of the interface, by operation. Operations are derived from the keys. */
export const endpoints = {
  'invoices.create': createInvoice,
  'invoices.list': listInvoices,
  'invoices.get': getInvoice,
  'webhooks.resend': resendWebhook,
  'webhooks.deliveries': listDeliveries,
  'withdrawals.list': listWithdrawals,
  'withdrawals.get': getWithdrawal,
  'paymentMethods.list': listPaymentMethods,
  'rates.list': listRates,
} as const;
