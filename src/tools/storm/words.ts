// The kinds of findings and of mistakes with their words, one row each. Summary, page and guide print them.

/** The colour on the page: money that left, money for less, a customer who waits, another mistake. */
export type Tone = 'lost' | 'less' | 'owed' | 'odd';

interface KindWords {
  /** The words behind a number of orders, such as `10 given twice`. A finding of the whole storm has no number. */
  readonly counted: string;
  /** Default: `odd`. */
  readonly tone?: Tone;
  readonly means: string;
  /** The mistake behind every finding of this kind. Default: the order decides. */
  readonly mistake?: StormMistake;
}

const ROWS = {
  fulfilled_for_less: {
    counted: 'given for less',
    tone: 'less',
    means: 'less was paid than the order costs, and the whole order was given',
  },
  fulfilled_twice: {
    counted: 'given twice',
    tone: 'lost',
    means: 'goods, credit or money back were given more often than paid',
  },
  fulfilled_not_paid: {
    counted: 'given for nothing',
    tone: 'lost',
    means: 'the order was given, and nothing was paid',
  },
  paid_not_fulfilled: {
    counted: 'not given',
    tone: 'owed',
    means: 'the order was paid, and the customer got nothing for it',
  },
  payment_kept: {
    counted: 'kept in part',
    tone: 'owed',
    means: 'the shop kept a second payment or a surplus',
  },
  parcel_missing: {
    counted: 'without a parcel',
    tone: 'owed',
    means: 'the order lacks a parcel that nearly all orders have',
  },
  state_differs: {
    counted: 'unpaid in the books',
    means: 'the order was paid and given, and its state is canceled or open',
  },
  credited_differs: {
    counted: 'with another credit',
    tone: 'less',
    means: 'the shop booked another credit than was paid',
  },
  amount_differs: { counted: 'with another amount', means: 'the invoice has another amount than the order' },
  currency_differs: {
    counted: 'in another currency',
    mistake: 'own_currency',
    means: 'the invoice has another currency than the order',
  },
  second_invoice: {
    counted: 'with a second invoice',
    mistake: 'fresh_id',
    means: 'the order got a second invoice, although the first could be paid or was paid',
  },
  checkout_failed: {
    counted: 'with a checkout error',
    mistake: 'error_shown',
    means: 'the checkout failed, although the service worked',
  },
  checkout_stuck: {
    counted: 'stuck at the checkout',
    means: 'the customer got no payment link, although the service worked',
  },
  dead_link: {
    counted: 'with a dead link',
    mistake: 'ended_link',
    means: 'the customer got the link of an invoice that had ended',
  },
  order_missing: {
    counted: 'missing in orders',
    tone: 'owed',
    mistake: 'no_order',
    means: 'the order was paid, and orders() does not have it',
  },
  fulfilment_unknown: {
    counted: 'rows of fulfilments without an order',
    mistake: 'other_ids',
    means: 'fulfilments() has ids that orders() does not have',
  },
  order_malformed: {
    counted: 'malformed rows',
    mistake: 'row',
    means: 'a row of the shop cannot be read, or has another amount than the order',
  },
  forgery_accepted: {
    counted: 'with an accepted forgery',
    mistake: 'not_verified',
    means: 'the endpoint answered 2xx to a webhook that the service had not signed',
  },
  request_refused: {
    counted: 'requests refused',
    mistake: 'request',
    means: 'the shop sends a request that the service always refuses',
  },
  nothing_delivered: {
    counted: 'webhooks not delivered',
    means: 'the endpoint accepted no webhook, or none of one event',
  },
  catch_up_failed: { counted: 'catchUp failed', mistake: 'own_function', means: 'catchUp of the shop failed' },
  restart_failed: { counted: 'restart failed', mistake: 'own_function', means: 'restart of the shop failed' },
  not_idle: {
    counted: 'never idle',
    mistake: 'own_function',
    means: 'idle of the shop failed, or took over ten seconds',
  },
  nobody_served: { counted: 'nobody served', mistake: 'all_refused', means: 'the shop refused every customer' },
  not_finished: { counted: 'not finished', mistake: 'own_function', means: 'the time limit ended the storm' },
} as const satisfies Readonly<Record<string, KindWords>>;

/**
 * What is wrong. The page *What a storm finds* says what each kind means.
 * @useDeclaredType
 */
export type StormFindingKind = keyof typeof ROWS;

/** In the order in which a summary counts them. */
export const KINDS: { readonly [Kind in StormFindingKind]: KindWords } = ROWS;

/** A mistake of a shop: what the storm has seen, and what to change. */
export type CauseWords = readonly [text: string, remedy: string];

/** The usual mistakes behind the findings. */
export const CAUSES = {
  acknowledged_early: [
    'The shop answered the webhook before its commit, and was then killed.',
    'Answer after the commit: write inside of context.commit or with context.tx.',
  ],
  not_atomic: [
    'The shop was killed between two of its writes for one payment, such as the goods and the state.',
    'Make all writes of a payment in one transaction: inside of context.commit or with context.tx.',
  ],
  own_parcels: [
    'The order was paid in full, and the shop gave only some of its parcels.',
    'Write all parcels of an order in one transaction.',
  ],
  lost_together: [
    'Two payments came at the same moment, and the shop kept its writes for only one of them.',
    'Change a row in one statement, or lock the row before you read it. Otherwise the second write replaces the first. Key a job of a queue by the invoice_uuid: a key of the order drops the second job.',
  ],
  canceled_together: [
    'A canceled event came at the same moment as the payment, and replaced the state of the paid order.',
    "Cancel in one statement, UPDATE … WHERE state = 'open', or lock the row before you read it.",
  ],
  press_overwrites: [
    'The customer pressed pay again while the payment was told, and the shop wrote the old state over the paid one.',
    "Change single columns under a condition, UPDATE … WHERE state = 'open'. Save no row that was read before a call of the service.",
  ],
  turned_back: [
    'A late canceled event canceled an order that was paid.',
    'Let onCanceled change only orders that wait for a payment.',
  ],
  canceled_stays: [
    'The shop accepted payments of orders that had ended before, and did not book them. It drops such payments, or it remembers events by the order alone.',
    'Book a paid event in every state of the order. Remember events by invoice_uuid and type.',
  ],
  key_without_type: [
    'The shop accepted a payment of an invoice that had ended before, and did not book it. It remembers events without their type, or it drops late payments.',
    'Remember events by invoice_uuid and type. Book a paid event in every state of the order.',
  ],
  renewal_canceled: [
    'A late canceled event of an earlier invoice canceled the order, and the payment of the renewal was not booked.',
    "Cancel an order only if no later invoice is open, and in one statement, UPDATE … WHERE state = 'open'. Book a paid event in every state of the order.",
  ],
  old_tab_dropped: [
    'The customer paid an earlier invoice in an old tab, and the shop did not book the payment.',
    'Find the order of every invoice, by event.order or in a table of invoices, and book each payment.',
  ],
  renewed_unknown: [
    'The shop accepted the payment of a later invoice, and did not book it.',
    'Find the order by event.order.',
  ],
  paid_for_ever: [
    'The shop booked the whole payment, and gave nothing.',
    'Give the order in the transaction that books the payment, or write there the job that gives it. If a person gives it, write a row with kind "review".',
  ],
  no_row: [
    'The order is fulfilled, and fulfilments() has no row for it.',
    'Write the state and the row in one transaction.',
  ],
  late_dropped: [
    'The shop accepted a late payment, and gave nothing for it.',
    'Give the goods, credit the payment, or let a person decide. The money belongs to the customer.',
  ],
  adjusted_dropped: [
    'The shop accepted a payment of another amount, and did nothing with the money.',
    'Book credited_usdt in onAdjusted, and let a person decide.',
  ],
  accepted_not_given: [
    'The shop accepted the payment, and gave nothing.',
    'If the UPDATE changes no row, throw: the service then sends the event again. The status of a paid invoice is "success", not "paid".',
  ],
  refused: ['The shop refused each webhook of the payment.', 'Read the first response in the story of the order.'],
  no_catch_up: [
    'No webhook came, and the shop has no catch-up.',
    'Run handler.catchUp every ten minutes for the orders that wait.',
  ],
  catch_up_canceled: [
    'No webhook came, and catchUp did not book the payment. It does not ask for canceled orders, or their payments are dropped.',
    'Ask also for the orders that were canceled in the last days, and book their late payments.',
  ],
  catch_up_first: [
    'No webhook of a later invoice came, and catchUp did not book the payment. It may ask only for first invoices.',
    'Ask by the id of the order: handler.catchUp and invoices.ofOrder read all of its invoices.',
  ],
  catch_up_missing: [
    'No webhook came, and catchUp did not book the payment.',
    'Give catchUp each order that waits for money. The failure of one order must not end the run, and no cache may hold a status that can change.',
  ],
  catch_up_dropped: [
    'No webhook came. The job read the paid invoice, and the shop did not book it.',
    'Find the order by event.order, and book a paid event in every state of the order. onReport names the orders that failed.',
  ],
  catch_up_paid: [
    'No webhook of a second payment came, and catchUp did not book the payment. It does not ask for paid orders.',
    'Ask also for orders that have a renewal, in every state.',
  ],
  catch_up_lists: [
    'No webhook came, and the job reads only lists. The payment was on no page that the job read.',
    'Ask for each waiting order by its id: handler.catchUp(merchant, { orders }).',
  ],
  error_as_unpaid: [
    'No webhook came. The service failed when the job asked, and the job never asked again.',
    'After a failed read, nothing is known. Ask again in the next run.',
  ],
  forgets: [
    'The order was given once before a restart and once after it: the restart lost the record.',
    'Use sqliteStore or postgresStore, not memoryStore, and write in its transaction. For an effect outside, such as a transfer, keep a key of its own there.',
  ],
  race: [
    'Two deliveries of one event came at the same moment, and both gave the order.',
    'Claim the event and write in one transaction, with a store or with a unique key on the event.',
  ],
  job_race: [
    'Two runs of the job at the same time both gave the order.',
    'Claim each order in the transaction that gives it, as handler.catchUp does, or put a unique key on what is given.',
  ],
  own_repeat: [
    'The shop gave the order again by itself: no delivery and no further run of the job came in between.',
    'Claim each task before its work, by UPDATE … WHERE done = 0 or by a unique key on what is given.',
  ],
  worker_repeats: [
    'A worker of the shop gave the order, and something else gave it too.',
    'Use one unique key for each payment, the invoice_uuid, in all code that gives.',
  ],
  wrong_lookup: [
    'The webhook of another order gave it: the shop finds an order by a value that two orders share.',
    'Find the order by event.order or invoice_uuid, and compare the whole value: no LIKE, no number, no amount.',
  ],
  job_repeats: [
    'Several runs of the job gave the order: the job keeps no record of what it gave.',
    'Let the job use handler.catchUp, or put a unique key on what is given.',
  ],
  catch_up_doubles: [
    'A webhook gave the order, and the job gave it too.',
    'Let the job use handler.catchUp, which shares the records of the webhooks.',
  ],
  visit_gives: [
    'The page behind the success_url gives the order.',
    'Only show the state on this page, and give the order by the webhook. Anybody can open the address.',
  ],
  checkout_gives: ['The checkout gives the order.', 'Give the order only by the webhook.'],
  forged_gives: ['A forged webhook gives the order.', 'Check the signature first: use the handler or verifyWebhook.'],
  unpaid_event_gives: ['An event without a payment gives the order.', 'Give only for the type invoice.paid.'],
  job_gives: [
    'The job gives the order, and nothing was paid.',
    'Give only for the status success, or let the job use handler.catchUp.',
  ],
  worker_gives: ['A worker of the shop gives the order, and nothing was paid.', 'Give only by a paid event.'],
  no_dedupe: ['The same event came again, and gave the order again.', 'Use a store, and write in its transaction.'],
  goods_and_credit: [
    'For one payment, the shop gave two of these: goods, credit, the money back.',
    'Decide once for each payment.',
  ],
  adjusted_as_paid: [
    'The shop treats a payment of another amount as a payment of the whole order.',
    'Book credited_usdt in onAdjusted, and give only if event.amount covers the order.',
  ],
  tolerance: [
    'The shop gives an order that was paid some percent too low. It has a tolerance, or it compares USDT with another currency.',
    'Compare event.amount exactly, or let a person decide.',
  ],
  cent: [
    'The shop gives an order that was paid a cent too low: it rounds, or computes with floats.',
    'Use event.amount.gte(order.amount).',
  ],
  second_payment_kept: [
    'Two invoices of the order were paid, and the shop gave something for only one of them.',
    'Keep a row for each payment by its invoice_uuid. Credit the second one, return it, or write a row with kind "review".',
  ],
  surplus_kept: [
    'The customer paid more than the order costs, and the shop kept the surplus.',
    'If event.amount is above original_amount, credit or return the surplus, or write a row with kind "review".',
  ],
  amount_for_credit: [
    'The shop books or returns amount where it should take credited_usdt.',
    'Take credited_usdt. amount is fiat.',
  ],
  booked_again: ['The credit was booked more than once.', 'Use a store, and write in its transaction.'],
  other_credit: ['The shop computes the credit itself, or rounds it.', 'Book event.credited_usdt with all its digits.'],
  other_refund: [
    'The shop gave back another amount than the customer paid.',
    'Return what came: event.amount, or event.credited_usdt. The amount of the order is another one.',
  ],
  cents: [
    'The shop takes cents for units, so the invoice has a hundred times the amount, or a hundredth.',
    'Use amountFromMinor(cents, 2).',
  ],
  own_price: [
    'The shop charges another amount than the order has.',
    'Charge the amount of the order. If the shop has its own prices, give them to the storm: amounts: ["12.50"].',
  ],
  own_currency: ['The shop charges in another currency than the order has.', 'Charge in the currency of the order.'],
  fresh_id: [
    'Each click makes another external_id.',
    'Use the id of the order, and call createOrRenew for each click.',
  ],
  error_shown: ['The checkout failed while the service worked.', 'Read the error in the story of the order.'],
  given_up: [
    'The shop gives up an order after one failure.',
    'Call createOrRenew again: it finds the invoice that exists.',
  ],
  wrong_link: [
    'The checkout did not lead the customer to the invoice of the order.',
    'Resolve to the payment_url of the invoice, and to null only if nothing is left to pay.',
  ],
  ended_link: [
    'The customer was sent to an invoice that had ended unpaid.',
    'Use createOrRenew, or show that the invoice has ended.',
  ],
  no_order: [
    'The shop has no row for an order that was paid.',
    'Write the row before the invoice is created, and keep it.',
  ],
  row: [
    'A row of the shop cannot be read, or its amount is not that of the order.',
    'Name the columns and values as the guide does. amount is decimal text in units, such as "25.00".',
  ],
  other_ids: [
    'fulfilments() and orders() name the orders by different ids.',
    'Select the same id in both, with a join.',
  ],
  not_verified: [
    'The endpoint checks no signature, or answers before the check.',
    'Check the signature first, with the handler or verifyWebhook, and return the response of the handler.',
  ],
  request: ['The service refuses a request of the shop.', 'Read the code of the refusal.'],
  no_address: [
    'The invoices have no callback_url, so no webhook is sent.',
    'Give callback_url when you create the invoice.',
  ],
  now_forgotten: [
    'The receiver uses the clock of the machine.',
    'Give now: service.now to the handler and to the store.',
  ],
  signature_refused: [
    'The receiver refuses the signature, and does not say why.',
    'Compare the secret (service.webhookSecret), the bytes (as they arrived) and the clock (service.now). A handler with sandbox: true says which one is wrong.',
  ],
  all_refused: ['The checkout refused every customer.', 'Give the shop of the test goods that it can sell.'],
  process_ended: [
    'Nothing listens at the address of the shop any more: its process has ended.',
    'Read what the process wrote last. An error that nothing catches ends it.',
  ],
  own_function: ['A function that the shop gives to the storm failed.', 'Read its error.'],
} as const satisfies Readonly<Record<string, CauseWords>>;

/**
 * The name of a mistake of a shop. The page *What a storm finds* lists them.
 * @useDeclaredType
 */
export type StormMistake = keyof typeof CAUSES;

/** What is wrong, before it has its cause and its replay. */
export interface Found {
  readonly kind: StormFindingKind;
  /** The id of the order. Null for a finding about the whole storm. */
  readonly order: string | null;
  /** What is wrong, as sentences for people. */
  readonly problem: string;
  /** The mistake, where what was seen shows it at once. */
  readonly mistake?: StormMistake | undefined;
}

/** The key of findings with the same kind and the same mistake: they are one group. */
export function groupOf({ kind, mistake }: Found): string {
  return `${kind} ${mistake}`;
}
