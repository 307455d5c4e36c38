import { describe, expectTypeOf, it } from 'vitest';
import type { WebhookDelivery } from '../../src/contract/deliveries.ts';
import type { CreatedInvoice, CreateInvoiceParams, Invoice, ListInvoicesQuery } from '../../src/contract/invoices.ts';
import type { DecimalInput } from '../../src/contract/parameters.ts';
import type { Rate } from '../../src/contract/rates.ts';
import type { InvoiceStatus, KnownInvoiceStatus, Page, UnlistedWord } from '../../src/contract/types.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
import type { Wire } from '../../src/contract/wire.ts';
import type { ListWithdrawalsQuery, Withdrawal } from '../../src/contract/withdrawals.ts';

/** The members of a withdrawal that may be null, typed by hand. */
declare const invoice: Invoice;
declare const withdrawal: Withdrawal;

describe('a status', () => {
  it('narrows to the word it is compared with', () => {
    if (invoice.status === 'success') expectTypeOf(invoice.status).toEqualTypeOf<'success'>();
    if (withdrawal.status === 'rejected') expectTypeOf(withdrawal.status).toEqualTypeOf<'rejected'>();
    if (invoice.status === 'fail' || invoice.status === 'expired') {
      expectTypeOf(invoice.status).toEqualTypeOf<'fail' | 'expired'>();
    }
  });

  it('narrows in a switch', () => {
    switch (invoice.status) {
      case 'pending':
        expectTypeOf(invoice.status).toEqualTypeOf<'pending'>();
        break;
      case 'canceled':
        expectTypeOf(invoice.status).toEqualTypeOf<'canceled'>();
        break;
      default:
        expectTypeOf(invoice.status).toExtend<string>();
    }
  });

  it('is open: the rest of a switch is text, never nothing', () => {
    if (invoice.status !== 'success' && invoice.status !== 'pending') {
      expectTypeOf(invoice.status).toEqualTypeOf<'fail' | 'expired' | 'canceled' | UnlistedWord>();
    }
    expectTypeOf<UnlistedWord>().toExtend<InvoiceStatus>();
    expectTypeOf<UnlistedWord>().toExtend<string>();
  });

  it('may be compared with a word of tomorrow when one says so', () => {
    // @ts-expect-error a mistyped word
    void (invoice.status === 'sucess');
    void ((invoice.status as string) === 'under_review');
    expectTypeOf('under_review' as InvoiceStatus).toEqualTypeOf<InvoiceStatus>();
  });

  it('lists the known words, so that an editor offers them', () => {
    type Known = Exclude<InvoiceStatus, UnlistedWord>;
    expectTypeOf<Known>().toEqualTypeOf<'pending' | 'success' | 'fail' | 'expired' | 'canceled'>();
    expectTypeOf<Exclude<Rate['side'], UnlistedWord>>().toEqualTypeOf<'buy' | 'sell'>();
    expectTypeOf<Exclude<WebhookDelivery['status'], UnlistedWord>>().toEqualTypeOf<
      'pending' | 'delivering' | 'delivered' | 'failed'
    >();
  });

  it('is text', () => {
    expectTypeOf<InvoiceStatus>().toExtend<string>();
    expectTypeOf<number>().not.toExtend<InvoiceStatus>();
  });
});

describe('parameters', () => {
  const order = { external_id: 'a', customer_id: 'b', amount: '25.00', currency: 'EUR' };

  it('refuse a typo', () => {
    expectTypeOf(order).toExtend<CreateInvoiceParams>();
    // @ts-expect-error a mistyped optional member
    const _typo: CreateInvoiceParams = { ...order, callbackUrl: 'https://shop.example' };
    // @ts-expect-error a mistyped required member
    const _missing: CreateInvoiceParams = { external_id: 'a', customer_id: 'b', amount: '1', curency: 'EUR' };
    // @ts-expect-error a mistyped filter
    const _filter: ListInvoicesQuery = { state: 'success' };
  });

  it('refuse a number as amount', () => {
    // @ts-expect-error cannot hold every amount exactly
    const _number: CreateInvoiceParams = { ...order, amount: 25 };
    expectTypeOf<number>().not.toExtend<DecimalInput>();
    // @ts-expect-error 2500n means cents to half of the world
    const _bigint: CreateInvoiceParams = { ...order, amount: 2500n };
    expectTypeOf<bigint>().not.toExtend<DecimalInput>();
    expectTypeOf<string>().toExtend<DecimalInput>();
    expectTypeOf<Decimal>().toExtend<DecimalInput>();
  });

  it('take null and undefined for what may be left out', () => {
    expectTypeOf({ ...order, purpose: null, callback_url: undefined }).toExtend<CreateInvoiceParams>();
    expectTypeOf({ status: null, page: undefined }).toExtend<ListInvoicesQuery>();
  });

  it('check the status of a query', () => {
    expectTypeOf({ status: 'success' as const }).toExtend<ListInvoicesQuery>();
    // @ts-expect-error a typo would be answered with 422
    const _typo: ListInvoicesQuery = { status: 'sucess' };
    // @ts-expect-error a status of invoices, not of withdrawals
    const _foreign: ListWithdrawalsQuery = { status: 'success' };
  });
});

describe('a rate', () => {
  it('may have no limits', () => {
    expectTypeOf<Rate['min_amount']>().toEqualTypeOf<Decimal | null>();
    expectTypeOf<Rate['max_amount']>().toEqualTypeOf<Decimal | null>();
  });
});

describe('Decimal', () => {
  it('is a value and a type', () => {
    const price: Decimal = new Decimal('25.00');
    expectTypeOf(price.plus('1')).toExtend<Decimal>();
    expectTypeOf(invoice.amount).toEqualTypeOf<Decimal>();
    expectTypeOf(invoice.rate).toEqualTypeOf<Decimal | null>();
    expectTypeOf(Decimal.isDecimal(price)).toEqualTypeOf<boolean>();
  });
});

describe('resources', () => {
  it('hide members that the interface does not name', () => {
    // @ts-expect-error kept at run time, absent from the type: a typo does not compile
    void invoice.externalId;
    // @ts-expect-error the creation form has no such member
    void (invoice as CreatedInvoice).settled_amount_usdt;
    expectTypeOf<Invoice>().toExtend<CreatedInvoice>();
  });

  it('are read only', () => {
    // @ts-expect-error a response is not edited
    invoice.status = 'success';
    expectTypeOf<Page<Invoice>['items']>().toEqualTypeOf<readonly Invoice[]>();
  });

  it('have null, never undefined, for what is absent', () => {
    expectTypeOf(invoice.finished_at).toEqualTypeOf<Date | null>();
    expectTypeOf(invoice.purpose).toEqualTypeOf<string | null>();
    expectTypeOf(withdrawal.tx_hash).toEqualTypeOf<string | null>();
  });
});

describe('the wire form of a type', () => {
  it('has text for amounts and times, inner objects included, and only the known words', () => {
    type WireInvoice = Wire<Invoice>;
    expectTypeOf<WireInvoice['amount']>().toEqualTypeOf<string>();
    expectTypeOf<WireInvoice['finished_at']>().toEqualTypeOf<string | null>();
    expectTypeOf<NonNullable<WireInvoice['adjustment']>['actual_amount_usdt']>().toEqualTypeOf<string>();
    expectTypeOf<WireInvoice['status']>().toEqualTypeOf<KnownInvoiceStatus>();
    expectTypeOf<WireInvoice['is_adjusted']>().toEqualTypeOf<boolean | null>();
    expectTypeOf<Wire<readonly { readonly at: Date }[]>>().toEqualTypeOf<readonly { readonly at: string }[]>();
  });
});
