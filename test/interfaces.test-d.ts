import { describe, expectTypeOf, it } from 'vitest';
import type { Call, CreatedInvoice, Invoice, ListCall, MerchantClient, Page } from '../src/index.ts';
import type { CatchUpClient } from '../src/webhooks/index.ts';

declare const created: Call<CreatedInvoice>;
declare const read: Call<Invoice>;
declare const listed: ListCall<Invoice>;

describe('a user can put a plain object in place of a part of the client', () => {
  it('with the methods of invoices', () => {
    const shop: Pick<MerchantClient, 'invoices'> = {
      invoices: {
        create: () => created,
        createOrRenew: () => {
          throw new Error('not used by the test');
        },
        ofOrder: () => {
          throw new Error('not used by the test');
        },
        get: () => read,
        list: () => listed,
      },
    };
    expectTypeOf(shop.invoices.get('order-1042')).toEqualTypeOf<Call<Invoice>>();
  });

  it('with the methods of every other resource', () => {
    type Rest = Omit<MerchantClient, 'invoices' | 'request' | 'withOptions'>;
    type Plain<T> = { readonly [Name in keyof T]: { readonly [Member in keyof T[Name]]: T[Name][Member] } };
    expectTypeOf<Plain<Rest>>().toExtend<Rest>();
  });

  it('and give the client to catchUp', () => {
    expectTypeOf<Pick<MerchantClient, 'invoices'>>().toExtend<CatchUpClient>();
  });
});

describe('a call', () => {
  it('is a promise of its data', () => {
    expectTypeOf<Call<Invoice>>().toExtend<Promise<Invoice>>();
    expectTypeOf<Awaited<ListCall<Invoice>>>().toEqualTypeOf<Page<Invoice>>();
  });

  it('of a list is an iterable of its items', () => {
    expectTypeOf<ListCall<Invoice>>().toExtend<Call<Page<Invoice>> & AsyncIterable<Invoice>>();
  });
});
