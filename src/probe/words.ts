import type { Dialect } from '../sandbox/dialect/dialects.ts';

// The probe asks a service, and infers its dialect from the answers. It imports the table of dialects and the contract.
// What leaves this room is made of the words below, the table of dialects, counts and path templates.

/** A point that the interface leaves open. */
export type Point = keyof Dialect;

/** A point that names a parameter of the withdrawals query. */
export type QueryPoint = Extract<Point, 'withdrawalStatus' | 'withdrawalPage' | 'withdrawalPageSize'>;

/** Why a value cannot be seen although something was. A point can also hide another point. */
export const OTHER_MASKS = {
  other_form: 'no value of this version has the form that was seen',
  several_forms: 'the answers have different forms',
  one_member: 'one member at a time does not apply, so null and a mixture look the same',
  few_amounts: 'the amounts that were seen could have either form',
  no_stale_pair: 'each pair of the list has a price',
  no_header: 'a rate limit without the header does not prove that none has it',
  same_alphabet: 'this signature has no character that differs between the two alphabets',
  same_moment: 'the two deliveries came too close together',
  weak_name: 'the name could mean the id of the service: confirm it with --external-id',
  proxy_headers: 'a tunnel or proxy may have added the further headers',
} as const;

/** A word of {@link OTHER_MASKS}, or the point whose value hides this one. */
export type Mask = keyof typeof OTHER_MASKS | Point;

/** Each cause for which a point is not seen, with its remedy. In the order of the go-live plan. */
export const NEEDS = {
  read: { because: 'its request was not answered as expected', shows: 'npx merchant-invoicing probe' },
  rate: { because: 'the list of rates is empty', shows: 'a service with market rates' },
  create: { because: 'the probe created nothing', shows: 'npx merchant-invoicing probe --create' },
  unpayable: {
    because: 'the probe creates no invoice that cannot be paid',
    shows: 'one order below the smallest amount of its currency, created by hand',
  },
  conflict: {
    because: 'no existing external_id was created again',
    shows: 'npx merchant-invoicing probe --conflict IDENT',
  },
  invoice: { because: 'the account has no invoice', shows: 'npx merchant-invoicing probe --create' },
  rows: { because: 'the lists have fewer than two rows of different times', shows: 'a second invoice' },
  empty: { because: 'no list was empty', shows: 'a filter that no invoice matches' },
  hidden: { because: 'no member of a row was without a value', shows: 'one pending invoice or withdrawal' },
  delivery: { because: 'no invoice has a delivery', shows: 'one small payment of an invoice with a callback_url' },
  failure: { because: 'no attempt of a delivery has failed', shows: 'one delivery refused on purpose' },
  waiting: {
    because: 'no delivery waits for its next attempt',
    shows: 'one delivery refused on purpose, and a probe before it is repeated',
  },
  silent: {
    because: 'no invoice has ended without a callback URL',
    shows: 'one invoice without callback_url that is left to expire',
  },
  resend: { because: 'no delivery was sent again', shows: 'npx merchant-invoicing probe --resend IDENT' },
  withdrawal: { because: 'the account has no withdrawal', shows: 'one withdrawal' },
  webhook: {
    because: 'no webhook was captured',
    shows: 'one expiry or payment while `npx merchant-invoicing webhooks learn` listens',
  },
  payment: {
    because: 'no webhook of an exact payment was captured',
    shows: 'one small payment while `npx merchant-invoicing webhooks learn` listens',
  },
  repeat: {
    because: 'no delivery was captured twice',
    shows: 'one delivery refused on purpose: `webhooks learn` refuses each, and the service repeats it',
  },
  limit: {
    because: 'no request was limited',
    shows: 'nothing that is gentle: a rate limit is recorded when one is met',
  },
  outage: {
    because: 'the service did not fail',
    shows: 'nothing that is gentle: a failure is recorded when one is met',
  },
} as const;

export type Need = keyof typeof NEEDS;
