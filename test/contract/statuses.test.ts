import { describe, expect, it } from 'vitest';
import { EVENT_TYPES, FINAL_INVOICE_STATUSES, INVOICE_STATUS_NAMES } from '../../src/contract/statuses.ts';
import { eventNameOf } from '../../src/webhooks/event/events.ts';

// The tables "Invoice states" and "Emission" of the interface, typed by hand.

describe('the webhook event of a status', () => {
  it.each([
    ['success', 'invoice.paid'],
    ['fail', 'invoice.canceled'],
    ['expired', 'invoice.canceled'],
    ['canceled', 'invoice.canceled'],
    ['pending', null],
    ['on_hold', null],
    ['', null],
  ])('%j: %j', (status, event) => {
    expect(eventNameOf(status)).toBe(event);
  });

  it('is one of two, and each final status has one', () => {
    expect(EVENT_TYPES).toEqual(['invoice.paid', 'invoice.canceled']);
    expect(FINAL_INVOICE_STATUSES).toEqual(['success', 'fail', 'expired', 'canceled']);
    expect(INVOICE_STATUS_NAMES).toEqual(['pending', 'success', 'fail', 'expired', 'canceled']);
  });
});
