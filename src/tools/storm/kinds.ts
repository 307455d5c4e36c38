// The words of a finding: one row for each kind. Summary, page and guide print it.

/**
 * What is wrong.
 *
 * - `paid_not_fulfilled`: the customer paid, and got neither goods nor credit nor a person's decision.
 * - `fulfilled_not_paid`: the order was given, and nothing was paid.
 * - `fulfilled_for_less`: less was paid than ordered, and the whole order was given.
 * - `fulfilled_twice`: the order, or a parcel of it, was given more often than it was paid.
 * - `credited_differs`: the shop booked or gave another credit than was paid.
 * - `amount_differs`, `currency_differs`: the invoice is over another amount or currency than the order.
 * - `second_invoice`: the order got another invoice while the first one could be paid, or was.
 * - `checkout_failed`: a customer saw an error while no fault of the service was on for that customer.
 * - `checkout_stuck`: the customer came back after an error, and got no payment link although the service worked.
 * - `dead_link`: the customer came back after the end of the invoice, and got its link again.
 * - `order_missing`: the shop has no order for an invoice that was paid.
 * - `order_malformed`: a row of `orders` or `fulfilments` cannot be read.
 * - `fulfilment_unknown`: a row of `fulfilments` has an id that is in no row of `orders`.
 * - `forgery_accepted`: the endpoint accepted a webhook that the service had not signed.
 * - `request_refused`: the service refused a request of the shop, and would refuse it each time.
 * - `nothing_delivered`: the endpoint accepted no webhook at all, or none of one event.
 * - `catch_up_failed`, `restart_failed`: the function of the shop rejected.
 * - `not_idle`: `idle` did not resolve within ten seconds, or rejected.
 * - `not_finished`: the time limit ended the storm.
 */
export type StormFindingKind =
  | 'paid_not_fulfilled'
  | 'fulfilled_not_paid'
  | 'fulfilled_for_less'
  | 'fulfilled_twice'
  | 'credited_differs'
  | 'amount_differs'
  | 'currency_differs'
  | 'second_invoice'
  | 'checkout_failed'
  | 'checkout_stuck'
  | 'dead_link'
  | 'order_missing'
  | 'order_malformed'
  | 'fulfilment_unknown'
  | 'forgery_accepted'
  | 'request_refused'
  | 'nothing_delivered'
  | 'catch_up_failed'
  | 'restart_failed'
  | 'not_idle'
  | 'not_finished';

/** The colour of a kind on the page: money that left, money for less, a customer who waits, another mistake. */
export type Tone = 'lost' | 'less' | 'owed' | 'odd';

interface KindWords {
  /** Behind a number of orders, such as `10 given twice`. For a finding of the whole storm it stands alone. */
  readonly counted: string;
  readonly tone: Tone;
}

/** In the order in which a summary counts them. */
export const KINDS: { readonly [Kind in StormFindingKind]: KindWords } = {
  fulfilled_for_less: { counted: 'given for less', tone: 'less' },
  fulfilled_twice: { counted: 'given twice', tone: 'lost' },
  fulfilled_not_paid: { counted: 'given for nothing', tone: 'lost' },
  paid_not_fulfilled: { counted: 'not given', tone: 'owed' },
  credited_differs: { counted: 'with another credit', tone: 'less' },
  amount_differs: { counted: 'with another amount', tone: 'odd' },
  currency_differs: { counted: 'in another currency', tone: 'odd' },
  second_invoice: { counted: 'with a second invoice', tone: 'odd' },
  checkout_failed: { counted: 'with an error at the checkout', tone: 'odd' },
  checkout_stuck: { counted: 'stuck at the checkout', tone: 'odd' },
  dead_link: { counted: 'with a dead link', tone: 'odd' },
  order_missing: { counted: 'missing in orders', tone: 'owed' },
  fulfilment_unknown: { counted: 'rows of fulfilments without an order', tone: 'odd' },
  order_malformed: { counted: 'malformed rows', tone: 'odd' },
  forgery_accepted: { counted: 'with an accepted forgery', tone: 'odd' },
  request_refused: { counted: 'a request was refused', tone: 'odd' },
  nothing_delivered: { counted: 'nothing delivered', tone: 'odd' },
  catch_up_failed: { counted: 'catchUp failed', tone: 'odd' },
  restart_failed: { counted: 'restart failed', tone: 'odd' },
  not_idle: { counted: 'idle did not end', tone: 'odd' },
  not_finished: { counted: 'not finished', tone: 'odd' },
};

/** The usual mistakes behind a finding. */
export type CauseId = keyof typeof CAUSES;

/** A mistake of a shop: what the storm has seen of it, and what to change. */
export interface Cause {
  readonly text: string;
  readonly remedy: string;
}

/** Each mistake with its remedy. The guide *Prove your shop* prints this table. */
export const CAUSES = {
  acknowledged_early: {
    text: 'The shop answered the webhook, was killed, and had not committed yet.',
    remedy: 'Answer after the commit: write inside of context.commit or context.tx.',
  },
  turned_back: {
    text: 'A late canceled event turned the paid order back.',
    remedy: "Add AND status = 'pending' to the UPDATE of onCanceled.",
  },
  canceled_stays: {
    text: 'The shop accepted the payment of an order that it had canceled, and did not book it.',
    remedy: 'Book a paid event in every state of the order: it may be paid after its end.',
  },
  renewed_unknown: {
    text: 'The shop accepted the payment of a later invoice of the order, and did not book it.',
    remedy: 'Find the order by orderOf(external_id).order, or by a table of its invoices.',
  },
  paid_for_ever: {
    text: 'The shop booked the whole payment, and gave nothing.',
    remedy: 'Give the order in the transaction that books it, or write a row kind "review" for the person who does.',
  },
  no_row: {
    text: 'The order is fulfilled, and fulfilments() has no row for it.',
    remedy: 'Write the row in the transaction that changes the state.',
  },
  late_dropped: {
    text: 'The shop accepted the webhook of a late payment, and gave nothing for it.',
    remedy: 'Give the goods, credit the payment, or let a person decide. It is the customer’s money.',
  },
  adjusted_dropped: {
    text: 'The shop accepted the webhook of another amount, and did nothing with the money.',
    remedy: 'Book credited_usdt in onAdjusted, and let a person decide.',
  },
  accepted_not_given: {
    text: 'The shop answered 2xx to the webhook, and gave nothing.',
    remedy: 'Check that the UPDATE changed one row, and throw otherwise: the service sends the event again.',
  },
  refused: {
    text: 'The shop refused each webhook of the payment.',
    remedy: 'Read the first response in the story of the order.',
  },
  no_catch_up: {
    text: 'The webhook never reached the shop, and no catch-up asked for the order.',
    remedy: 'Run handler.catchUp for the orders that wait, every ten minutes.',
  },
  catch_up_canceled: {
    text: 'The webhook never reached the shop, and its catch-up does not ask for canceled orders.',
    remedy: 'Ask for the canceled orders of the last days too: they may be paid late.',
  },
  catch_up_first: {
    text: 'The webhook of a later invoice never reached the shop, and its catch-up asks for first invoices alone.',
    remedy: 'Ask for each invoice of an order: keep a row for each, or use the ids of createOrRenew.',
  },
  catch_up_missing: {
    text: 'The webhook never reached the shop, and its catch-up did not book the payment.',
    remedy: 'Give catchUp each order that waits for money.',
  },
  forgets: {
    text: 'The order was given once before and once after a restart: no record survives it.',
    remedy: 'Use sqliteStore or postgresStore in place of memoryStore, and write in its transaction.',
  },
  race: {
    text: 'Two deliveries of one event at the same moment both gave the order.',
    remedy: 'Claim the event and write in one transaction: a store does it, or a unique key on the event.',
  },
  catch_up_doubles: {
    text: 'The catch-up gave what a webhook had given, or gave it again.',
    remedy: 'Let the job go through handler.catchUp, which shares the dedupe of the webhooks.',
  },
  visit_gives: {
    text: 'The page behind the success_url gives the order.',
    remedy: 'Show the state there, and give by the webhook alone: anybody can open the address.',
  },
  checkout_gives: {
    text: 'The checkout gives the order.',
    remedy: 'Give by the webhook alone.',
  },
  forged_gives: {
    text: 'A forged webhook gives the order.',
    remedy: 'Check the signature over the raw bytes before anything else: use the handler or verifyWebhook.',
  },
  unpaid_event_gives: {
    text: 'The event of an end without payment gives the order.',
    remedy: 'Give for the type invoice.paid alone.',
  },
  no_dedupe: {
    text: 'The same event came again, and gave the order again.',
    remedy: 'Give the handler a store, and write in its transaction.',
  },
  goods_and_credit: {
    text: 'The order was given as goods and as credit.',
    remedy: 'Decide once for each payment.',
  },
  adjusted_as_paid: {
    text: 'The shop treats a payment of another amount as a whole one.',
    remedy: 'Book credited_usdt in onAdjusted, and give only where credited_usdt covers the order.',
  },
  tolerance: {
    text: 'The shop gives an order for a few percent less.',
    remedy: 'Compare without a tolerance, or let a person decide.',
  },
  cent: {
    text: 'The shop gives an order for a cent less: it rounds, or compares floating numbers.',
    remedy: 'Compare Decimals: event.amount.gte(order.amount).',
  },
  amount_for_credit: {
    text: 'The shop books amount in place of credited_usdt.',
    remedy: 'Book event.credited_usdt: amount is what was charged in fiat.',
  },
  booked_again: {
    text: 'The credit was booked more than once.',
    remedy: 'Give the handler a store, and write in its transaction.',
  },
  other_credit: {
    text: 'The shop computes the credit itself, or rounds it.',
    remedy: 'Book event.credited_usdt to its last digit.',
  },
  cents: {
    text: 'The invoice is over a hundred times the order, or a hundredth: cents are taken for units.',
    remedy: 'Use amountFromMinor(cents, 2).',
  },
  own_price: {
    text: 'The shop charges another amount than the order has.',
    remedy: 'Charge the amount of the order. If the shop has its own prices, give them: amounts: ["12.50"].',
  },
  own_currency: {
    text: 'The shop charges in another currency than that of the order.',
    remedy: 'Charge in the currency of the order.',
  },
  fresh_id: {
    text: 'The shop makes another external_id for each click.',
    remedy: 'Use the id of the order, and createOrRenew for what may be tried again.',
  },
  error_shown: {
    text: 'The checkout of the shop failed while the service worked.',
    remedy: 'Read the error in the story of the order.',
  },
  given_up: {
    text: 'The shop gives an order up after one failure.',
    remedy: 'Call createOrGet again with the same external_id: it finds what exists.',
  },
  wrong_link: {
    text: 'The link of the checkout is not that of the order.',
    remedy: 'Resolve to the payment_url of the invoice that belongs to this order.',
  },
  ended_link: {
    text: 'The shop sends the customer to an invoice that has ended unpaid.',
    remedy: 'Use createOrRenew, or show that the order is over.',
  },
  no_order: {
    text: 'The shop keeps no row for an order that it charges for.',
    remedy: 'Write the order before the invoice is created, and delete no paid one.',
  },
  row: {
    text: 'A row of the shop cannot be read.',
    remedy: 'Name the columns as the guide does: external_id, amount, currency, state.',
  },
  other_ids: {
    text: 'The ids of fulfilments() are others than those of orders().',
    remedy: 'Select the same id in both, by a join.',
  },
  not_verified: {
    text: 'The endpoint does not check the signature of a webhook.',
    remedy: 'Check it over the raw bytes before anything else: use the handler or verifyWebhook.',
  },
  request: {
    text: 'The service refuses what the shop sends.',
    remedy: 'Read the code of the refusal.',
  },
  no_address: {
    text: 'The invoices have no callback_url, so no webhook is sent.',
    remedy: 'Give callback_url at the creation.',
  },
  now_forgotten: {
    text: 'The receiver measures the age of a webhook by the clock of the machine.',
    remedy: 'Give service.now to the handler and the store: now: service.now.',
  },
  api_key: {
    text: 'The secret of the receiver is the API key.',
    remedy: 'Give it service.webhookSecret.',
  },
  body_again: {
    text: 'The receiver checks a body that was parsed and written again.',
    remedy: 'Check the bytes as they arrived, before a parser writes them again.',
  },
  encoding: {
    text: 'The receiver expects the signature in the other encoding, hex or base64.',
    remedy: 'Take the encoding of your real deliveries: hex.',
  },
  other_secret: {
    text: 'The receiver refuses the signature, and none of the probes explains it: its secret is another one.',
    remedy: 'Give it service.webhookSecret.',
  },
  own_function: {
    text: 'A function that the shop gives to the storm fails.',
    remedy: 'Read its error.',
  },
} as const satisfies Readonly<Record<string, Cause>>;
