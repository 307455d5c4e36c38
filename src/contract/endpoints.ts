// The contract holds all data that travels, declared once for both directions: a file per resource with its types, its
// schema and its endpoints. It imports nothing else of the package and is the only room that imports zod. Rooms that
// must not load zod, such as the receiver, use only these files of it: types, statuses, json, wire, and those of
// values/ without codecs.

import { listDeliveries, resendWebhook } from './deliveries.ts';
import type { Endpoint } from './endpoint.ts';
import { conflict, createInvoice, getInvoice, listInvoices } from './invoices.ts';
import { listPaymentMethods } from './payment-methods.ts';
import { listRates } from './rates.ts';
import { getWithdrawal, listWithdrawals } from './withdrawals.ts';

const table = {
  'invoices.create': createInvoice,
  'invoices.list': listInvoices,
  'invoices.get': getInvoice,
  'webhooks.resend': resendWebhook,
  'webhooks.deliveries': listDeliveries,
  'withdrawals.list': listWithdrawals,
  'withdrawals.get': getWithdrawal,
  'paymentMethods.list': listPaymentMethods,
  'rates.list': listRates,
} as const satisfies Readonly<Record<string, Endpoint<unknown>>>;

/** The operations of the service, named like the client's methods. Public in the sandbox as `FaultOperation`. */
export type EndpointName = keyof typeof table;

/**
 * The operations of the client: those of the service, the two that make several requests for an order, and `request` for
 * an endpoint that the client does not know. The main entry exports it as `ServiceOperation`.
 */
export type Operation = EndpointName | 'invoices.createOrRenew' | 'invoices.ofOrder' | 'request';

/** An endpoint with the name of its operation. */
export type Named<AnyEndpoint> = AnyEndpoint & { readonly operation: Operation };

/** All endpoints of the interface, by operation. */
export const endpoints = Object.fromEntries(
  Object.entries(table).map(([operation, endpoint]) => [operation, { ...endpoint, operation, conflict }]),
) as { readonly [Name in EndpointName]: Named<(typeof table)[Name]> & { readonly operation: Name } }; // fromEntries forgets the keys
