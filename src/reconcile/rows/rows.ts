import type { InvoiceStatus } from '../../contract/types.ts';
import type { OrderState } from '../findings.ts';

// Orders and invoices between reading and comparing. Amounts are canonical decimal text, so that equal amounts are equal
// texts, and currencies are in upper case. A row is one line of a file where memory does not hold all of them.

/** An order, checked. */
export interface OrderRow {
  readonly side: 'o';
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly credited: string | null;
  readonly state: OrderState;
  readonly place: string;
  /** Why the order cannot be compared, or null. Its other members mean nothing then. */
  readonly problem: string | null;
}

/** The members of an invoice that are compared. Times are in milliseconds since 1970. */
export interface InvoiceRow {
  readonly side: 'i';
  readonly id: string;
  readonly uuid: string;
  readonly status: InvoiceStatus;
  readonly amount: string;
  readonly currency: string;
  readonly paid: string | null;
  readonly credited: string | null;
  readonly adjusted: boolean;
  readonly created: number;
  readonly expires: number;
  readonly ended: number | null;
  /** Why the invoice cannot be compared, or null. */
  readonly problem: string | null;
}

export type Row = OrderRow | InvoiceRow;

type OrderLine = ['o', string, string, string, string | null, OrderState, string, string | null];
type InvoiceHead = ['i', string, string, InvoiceStatus, string, string, string | null, string | null];
type InvoiceLine = [...InvoiceHead, boolean, number, number, number | null, string | null];

/** Writes a row as one line, without the line break. */
export function lineOf(row: Row): string {
  if (row.side === 'o') {
    const { side, id, amount, currency, credited, state, place, problem } = row;
    return JSON.stringify([side, id, amount, currency, credited, state, place, problem] satisfies OrderLine);
  }
  const { side, id, uuid, status, amount, currency, paid, credited, adjusted, created, expires, ended, problem } = row;
  const head: InvoiceHead = [side, id, uuid, status, amount, currency, paid, credited];
  return JSON.stringify([...head, adjusted, created, expires, ended, problem] satisfies InvoiceLine);
}

/** Reads a line that `lineOf` wrote. */
export function rowOf(text: string): Row {
  const line = JSON.parse(text) as OrderLine | InvoiceLine; // written by lineOf
  if (line[0] === 'o') {
    const [side, id, amount, currency, credited, state, place, problem] = line;
    return { side, id, amount, currency, credited, state, place, problem };
  }
  const [side, id, uuid, status, amount, currency, paid, credited, adjusted, created, expires, ended, problem] = line;
  return { side, id, uuid, status, amount, currency, paid, credited, adjusted, created, expires, ended, problem };
}
