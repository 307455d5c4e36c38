import { describe, expect, it } from 'vitest';
import { EVENT_TYPES, FINAL_INVOICE_STATUSES, INVOICE_STATUS_NAMES } from '../../src/contract/statuses.ts';
import { isHttpAddress, isLoopback } from '../../src/contract/values/hosts.ts';
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

describe('an address', () => {
  it.each([
    ['localhost', true],
    ['LOCALHOST', true],
    ['127.0.0.1', true],
    ['127.12.255.3', true],
    ['[::1]', true],
    ['shop.localhost', false],
    ['localhost.example', false],
    ['127.0.0.1.example', false],
    ['1127.0.0.1', false],
    ['127.0.0', false],
    ['127.0.0.x', false],
    ['128.0.0.1', false],
    ['[::1', false],
    ['x[::1]', false],
  ])('of the host %s is of this machine: %j', (host, isLocal) => {
    expect(isLoopback(host)).toBe(isLocal);
  });

  it.each([
    ['https://pay.example', true],
    ['http://localhost:3000/x', true],
    ['HTTPS://pay.example', true],
    ['ftp://pay.example', false],
    ['https:pay.example', false],
    ['https:/pay.example', false],
    ['x https://pay.example', false],
    ['https://', false],
    ['javascript:alert(1)//https://', false],
    [new URL('https://pay.example'), false],
    [undefined, false],
  ])('%j is one of the web: %j', (value, isAddress) => {
    expect(isHttpAddress(value)).toBe(isAddress);
  });
});
