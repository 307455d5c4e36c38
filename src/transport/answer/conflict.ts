import { getInvoice } from '../../contract/invoices.ts';
import { isObject } from '../../contract/json.ts';
import type { Invoice, InvoiceStatus } from '../../contract/types.ts';

/** What the details of INVOICE_ALREADY_EXISTS tell of the invoice that is there; their names are not shown. */
export interface Conflict {
  readonly externalId: string | null;
  readonly existingStatus: InvoiceStatus | null;
  /** Only where the details carry the invoice whole. */
  readonly existing: Invoice | undefined;
}

/** @see [Known codes](../../../docs/service-interface.md#known-codes) */
export function conflictIn(value: unknown): Conflict {
  const details = isObject(value) ? value : {};
  const nested = [details['invoice'], details['existing_invoice'], details['existing']].find(isObject) ?? {};
  const read = getInvoice.data(details);
  const firstText = (names: readonly string[], last: unknown, max: number): string | null =>
    [...names.map((name) => details[name]), last].map((value) => textOf(value, max)).find((text) => text !== null) ??
    null;
  return {
    externalId: firstText(['external_id', 'order_id'], nested['external_id'], 512),
    // Any text is an InvoiceStatus; its type only spells that as a template.
    existingStatus: firstText(STATUS_NAMES, nested['status'], 64) as InvoiceStatus | null,
    existing: read.ok ? read.value : undefined,
  };
}

const STATUS_NAMES = ['status', 'existing_status', 'invoice_status', 'existing_invoice_status', 'current_status'];

/** A text that says something, cut; null for anything else. */
export function textOf(value: unknown, max: number): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, max) : null;
}
