// The kinds of findings and of mistakes with their words, one row each. Summary, page and guide print them.

/** The colour on the page: money that left, money for less, a customer who waits, another mistake. */
export type Tone = 'lost' | 'less' | 'owed' | 'odd';

interface KindWords {
  /** Behind a number of orders, such as `10 given twice`. For a finding of the whole storm it stands alone. */
  readonly counted: string;
  /** Default: `odd`. */
  readonly tone?: Tone;
  readonly means: string;
  /** The mistake that it has always. Else the order decides. */
  readonly mistake?: StormMistake;
}

const ROWS = {
  fulfilled_for_less: { counted: 'given for less', tone: 'less', means: 'less was paid, and the whole order given' },
  fulfilled_twice: { counted: 'given twice', tone: 'lost', means: 'goods, credit or money back more often than paid' },
  fulfilled_not_paid: { counted: 'given for nothing', tone: 'lost', means: 'it was given, and nothing was paid' },
  paid_not_fulfilled: { counted: 'not given', tone: 'owed', means: 'paid, and no goods, no credit, no person decides' },
  payment_kept: {
    counted: 'kept in part',
    tone: 'owed',
    means: 'more was paid than was given: a second payment, or a surplus',
  },
  parcel_missing: { counted: 'without a parcel', tone: 'owed', means: 'it lacks a parcel that most orders have' },
  state_differs: { counted: 'canceled in the books', means: 'it was paid and given, and its state is canceled' },
  credited_differs: { counted: 'with another credit', tone: 'less', means: 'another credit was booked than was paid' },
  amount_differs: { counted: 'with another amount', means: 'the invoice is over another amount than the order' },
  currency_differs: { counted: 'in another currency', mistake: 'own_currency', means: 'the invoice has another one' },
  second_invoice: { counted: 'with a second invoice', mistake: 'fresh_id', means: 'the first could be paid, or was' },
  checkout_failed: {
    counted: 'with a checkout error',
    mistake: 'error_shown',
    means: 'while the service worked',
  },
  checkout_stuck: { counted: 'stuck at the checkout', means: 'no payment link, although the service worked' },
  dead_link: { counted: 'with a dead link', mistake: 'ended_link', means: 'the link of an invoice that had ended' },
  order_missing: { counted: 'missing in orders', tone: 'owed', mistake: 'no_order', means: 'paid, not in orders()' },
  fulfilment_unknown: {
    counted: 'rows of fulfilments without an order',
    mistake: 'other_ids',
    means: 'fulfilments() has ids that are in no row of orders()',
  },
  order_malformed: { counted: 'malformed rows', mistake: 'row', means: 'rows of the shop that cannot be read' },
  forgery_accepted: {
    counted: 'with an accepted forgery',
    mistake: 'not_verified',
    means: 'the endpoint answered 2xx to what the service had not signed',
  },
  request_refused: { counted: 'requests refused', mistake: 'request', means: 'the service would refuse it each time' },
  nothing_delivered: { counted: 'webhooks not delivered', means: 'no webhook was accepted, or none of one event' },
  catch_up_failed: { counted: 'catchUp failed', mistake: 'own_function', means: 'the function of the shop rejected' },
  restart_failed: { counted: 'restart failed', mistake: 'own_function', means: 'the function of the shop rejected' },
  not_idle: { counted: 'never idle', mistake: 'own_function', means: 'idle took over ten seconds, or rejected' },
  nobody_served: { counted: 'nobody served', mistake: 'all_refused', means: 'each customer was refused before paying' },
  not_finished: { counted: 'not finished', mistake: 'own_function', means: 'the time limit ended the storm' },
} as const satisfies Readonly<Record<string, KindWords>>;

/**
 * What is wrong. The guide *Prove your shop* says what each kind means.
 * @useDeclaredType
 */
export type StormFindingKind = keyof typeof ROWS;

/** In the order in which a summary counts them. */
export const KINDS: { readonly [Kind in StormFindingKind]: KindWords } = ROWS;

/** A mistake of a shop: what the storm has seen of it, and what to change. */
export type CauseWords = readonly [text: string, remedy: string];

/** The usual mistakes behind the findings. */
export const CAUSES = {
  acknowledged_early: [
    'The shop answered the webhook, was killed, and had not committed yet.',
    'Answer after the commit: write inside of context.commit or context.tx.',
  ],
  not_atomic: [
    'The shop was killed between two of its writes for one payment: the record of the event, the goods, the state.',
    'Write all of them in one transaction: inside of context.commit or context.tx.',
  ],
  own_parcels: [
    'The shop gave only some of the parcels of an order that was paid in full.',
    'Write all parcels of an order in one transaction.',
  ],
  lost_together: [
    'Two payments were told at the same moment, and the shop kept what it wrote for one of them.',
    'Add to a row in one statement, or lock it first: what was read before the other one wrote is old.',
  ],
  turned_back: ['A late canceled event turned the paid order back.', 'Let onCanceled change pending orders alone.'],
  canceled_stays: [
    'The shop accepted payments of orders whose end it had been told, and did not book them: it drops the payment of a canceled order, or its key of seen events is the order alone.',
    'Book a paid event in every state of the order, and let the key be the invoice_uuid with the type.',
  ],
  key_without_type: [
    'The shop accepted a payment of an invoice whose end it had been told, and did not book it: its key of seen events lacks the type, or it drops late payments.',
    'Let the key be the invoice_uuid with the type of the event, and book a paid event in every state of the order.',
  ],
  renewal_canceled: [
    'The late canceled event of an earlier invoice canceled the order, and the payment of the renewal was not booked.',
    'Cancel only where no later invoice is open, and book a paid event in every state of the order.',
  ],
  old_tab_dropped: [
    'The customer paid an earlier invoice, which was open in an old tab, and the shop did not book it.',
    'Find the order of each of its invoices, by event.order or a table of its invoices, and book each payment.',
  ],
  renewed_unknown: [
    'The shop accepted the payment of a later invoice, and did not book it.',
    'Find the order by event.order.',
  ],
  paid_for_ever: [
    'The shop booked the whole payment, and gave nothing.',
    'Give the order in the transaction that books it, or write a row kind "review" for the person who does.',
  ],
  no_row: ['The order is fulfilled, and fulfilments() has no row.', 'Write both in one transaction.'],
  late_dropped: [
    'The shop accepted a late payment, and gave nothing for it.',
    'Give the goods, credit the payment, or let a person decide. It is the customer’s money.',
  ],
  adjusted_dropped: [
    'The shop accepted another amount, and did nothing with the money.',
    'Book credited_usdt in onAdjusted, and let a person decide.',
  ],
  accepted_not_given: [
    'The shop accepted the payment, and gave nothing.',
    'Throw where the UPDATE changed no row: the service sends the event again. A paid status is "success", not "paid".',
  ],
  refused: ['The shop refused each webhook of the payment.', 'Read the first response in the story of the order.'],
  no_catch_up: [
    'No webhook arrived, and no catch-up asked.',
    'Run handler.catchUp every ten minutes for waiting orders.',
  ],
  catch_up_canceled: [
    'No webhook arrived, and catchUp did not book it: it does not ask for canceled orders, or drops their payments.',
    'Ask for those of the last days too, and book their late payments.',
  ],
  catch_up_first: [
    'No webhook of a later invoice arrived, and catchUp did not book it: it may ask for first invoices alone.',
    'Ask for each invoice of an order: keep a row for each, or use the ids of createOrRenew.',
  ],
  catch_up_missing: ['No webhook arrived, and catchUp did not book it.', 'Give it each order that waits for money.'],
  catch_up_paid: [
    'No webhook of a second payment arrived, and catchUp did not book it: it does not ask for orders that are paid.',
    'Ask for orders that have a renewal too, in every state.',
  ],
  catch_up_lists: [
    'No webhook arrived, and the job reads lists alone: this payment was on no page that it read.',
    'Ask for each waiting order by its id: handler.catchUp(merchant, { orders }).',
  ],
  error_as_unpaid: [
    'No webhook arrived, the service failed when the job asked, and the job never asked again.',
    'Take a failed read for what it is: nothing is known, and the next turn asks again.',
  ],
  forgets: [
    'The order was given once before and once after a restart: no record survives it.',
    'Use sqliteStore or postgresStore in place of memoryStore, and write in its transaction.',
  ],
  race: [
    'Two deliveries of one event at the same moment both gave the order.',
    'Claim the event and write in one transaction: a store does it, or a unique key on the event.',
  ],
  job_race: [
    'Two turns of the job at the same time both gave the order.',
    'Claim each order in the transaction that gives it: let the job go through handler.catchUp.',
  ],
  own_repeat: [
    'The shop gave it again by itself: between the two no delivery came, and no job ran.',
    'Claim each task before its work: UPDATE … WHERE done = 0, or a unique key on what is given.',
  ],
  worker_repeats: [
    'A worker of the shop gave it, and something else gave it too.',
    'Let what gives share one unique key for each payment: the invoice_uuid.',
  ],
  wrong_lookup: [
    'The webhook of another order gave it: the shop looks an order up by what two orders share.',
    'Look it up by event.order or the invoice_uuid, and compare it whole: no LIKE, no number, no amount.',
  ],
  job_repeats: [
    'Turns of the job gave it again and again: the job keeps no record of what it gave.',
    'Let the job go through handler.catchUp, or put a unique key on what is given.',
  ],
  catch_up_doubles: [
    'The job gave what a webhook gave too.',
    'Let the job go through handler.catchUp, which shares the dedupe of the webhooks.',
  ],
  visit_gives: [
    'The page behind the success_url gives the order.',
    'Show the state there, and give by the webhook alone: anybody can open the address.',
  ],
  checkout_gives: ['The checkout gives the order.', 'Give by the webhook alone.'],
  forged_gives: ['A forged webhook gives the order.', 'Check the signature first: use the handler or verifyWebhook.'],
  unpaid_event_gives: ['The event of an end without payment gives the order.', 'Give for the type invoice.paid alone.'],
  job_gives: [
    'The job gives the order, and nothing was paid.',
    'Give for the status success alone, by handler.catchUp or an event of it.',
  ],
  worker_gives: ['A worker of the shop gives the order, and nothing was paid.', 'Give by a paid event alone.'],
  no_dedupe: ['The same event came again, and gave the order again.', 'Use a store, and write in its transaction.'],
  goods_and_credit: ['One payment gave two of these: goods, credit, the money back.', 'Decide once for each payment.'],
  adjusted_as_paid: [
    'The shop treats a payment of another amount as a whole one.',
    'Book credited_usdt in onAdjusted, and give only where event.amount covers the order.',
  ],
  tolerance: [
    'The shop gives an order for a few percent less: by a tolerance, or since it compares USDT with another currency.',
    'Compare event.amount exactly, or let a person decide.',
  ],
  cent: ['The shop gives for a cent less: it rounds, or uses floats.', 'Use event.amount.gte(order.amount).'],
  second_payment_kept: [
    'Two invoices of the order were paid, and the shop gave for one of them.',
    'Keep a row for each payment by its invoice_uuid. Credit or return the second, or write a row kind "review".',
  ],
  surplus_kept: [
    'More was paid than the order costs, and the shop kept it.',
    'Credit or return it, or write a row kind "review", where event.amount is above original_amount.',
  ],
  amount_for_credit: ['The shop books amount in place of credited_usdt.', 'Book credited_usdt: amount is fiat.'],
  booked_again: ['The credit was booked more than once.', 'Use a store, and write in its transaction.'],
  other_credit: ['The shop computes the credit itself, or rounds it.', 'Book event.credited_usdt to its last digit.'],
  cents: ['Cents are taken for units: a hundred times the order, or a hundredth.', 'Use amountFromMinor(cents, 2).'],
  own_price: [
    'The shop charges another amount than the order has.',
    'Charge the amount of the order. If the shop has its own prices, give them: amounts: ["12.50"].',
  ],
  own_currency: ['The shop charges in another currency than the order has.', 'Charge in that of the order.'],
  fresh_id: ['Each click makes another external_id.', 'Use the id of the order, and createOrRenew to try it again.'],
  error_shown: ['The checkout failed while the service worked.', 'Read the error in the story of the order.'],
  given_up: ['The shop gives an order up after one failure.', 'Call createOrRenew again: it finds what exists.'],
  wrong_link: [
    'The checkout did not lead the customer to the invoice of the order.',
    'Resolve to the payment_url of its invoice, and to null only where nothing is left to pay.',
  ],
  ended_link: ['The customer was sent to an invoice that ended unpaid.', 'Use createOrRenew, or show that it is over.'],
  no_order: ['The shop has no row for a paid order.', 'Write it before the invoice is created, and keep it.'],
  row: ['A row of the shop cannot be read.', 'Name columns and values as in the guide.'],
  other_ids: ['The ids of fulfilments() are others than those of orders().', 'Select the same id in both, by a join.'],
  not_verified: [
    'The endpoint checks no signature, or answers before the check.',
    'Check it first, by the handler or verifyWebhook, and return the response of the handler.',
  ],
  request: ['The service refuses what the shop sends.', 'Read the code of the refusal.'],
  no_address: ['The invoices have no callback_url, so no webhook is sent.', 'Give callback_url at the creation.'],
  now_forgotten: ['The receiver has the clock of the machine.', 'Give now: service.now to the handler and the store.'],
  signature_refused: [
    'The receiver refuses the signature, and does not say why.',
    'Compare three things: the secret (service.webhookSecret), the bytes (as they arrived) and the clock (service.now). A handler with sandbox: true says which it is.',
  ],
  all_refused: ['The checkout refused each customer.', 'Give the shop of the test goods that it can sell.'],
  own_function: ['A function that the shop gives to the storm fails.', 'Read its error.'],
} as const satisfies Readonly<Record<string, CauseWords>>;

/**
 * The name of a mistake of a shop. The guide *Prove your shop* lists them.
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
