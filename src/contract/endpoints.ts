import { listDeliveries, resendWebhook } from './deliveries.ts';
import type { Operation } from './endpoint.ts';
import { createInvoice, getInvoice, listInvoices } from './invoices.ts';
import { listPaymentMethods } from './payment-methods.ts';
import { listRates } from './rates.ts';
import { getWithdrawal, listWithdrawals } from './withdrawals.ts';

/** All nine endpoints of the interface. The key is the operation's name; the compiler says which is missing. */
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
} as const satisfies Readonly<Record<Operation, { readonly operation: Operation }>>;
