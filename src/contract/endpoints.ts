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
