import { entry, NULL_FORMS, NULL_FORMS_MEANING, SECTIONS } from './dialect-entry.ts';

const { conventions, envelope, invoice, list, rates, versioning, withdrawal, withdrawals } = SECTIONS;

const QUERY = { pin: 'client option `withdrawalQuery`' };
const NULLABLE = { pin: 'check for `null` before use' };

/** Open points of the lists, of the written values, and of later versions of the service. */
export const LIST_DIALECTS = {
  withdrawalStatus: entry(withdrawals, 'query name of the status', ['status', 'state', 'withdrawal_status'], QUERY),
  withdrawalPage: entry(withdrawals, 'query name of the page', ['page', 'page_number', 'p'], QUERY),
  withdrawalPageSize: entry(withdrawals, 'query name of the page size', ['per_page', 'page_size', 'limit'], QUERY),
  withdrawalDefaultSize: entry(withdrawals, 'default page size', [20, 10, 50], { pin: 'give `per_page`' }),
  unknownQuery: entry(withdrawals, 'what an unknown query name does', ['ignored', 'refused'], {
    ...QUERY,
    meaning: '`refused`: a 422',
  }),
  withdrawalNulls: entry(withdrawal, 'members that do not apply', NULL_FORMS, {
    ...NULLABLE,
    meaning: NULL_FORMS_MEANING,
  }),
  invoiceNulls: entry(invoice, '"no, nullable": null or absent', ['null', 'absent', 'mixed'], {
    meaning: NULL_FORMS_MEANING,
  }),
  amountToSendAtCreation: entry(invoice, 'amount_to_send at creation', ['null', 'value']),
  listOrder: entry(list, 'order of the lists', ['newest', 'oldest'], { pin: 'sort what you collect' }),
  pastEnd: entry(envelope, 'a page beyond the last', ['empty', 'last', 'not_found', 'invalid'], {
    pin: 'walk with `for await`',
    meaning: 'an empty page, the last page, not found, or a 422',
  }),
  emptyPages: entry(envelope, 'total_pages of an empty list', [0, 1], { pin: 'look at `items.length`' }),
  timeForm: entry(
    conventions,
    'how a date-time is written',
    ['z', 'offset', 'micros', 'zoneless', 'whole_seconds', 'blank'],
    { meaning: '`…:05.120Z`, `…:05.120+00:00`, `…:05.120000Z`, `…:05.120`, `…:05Z`, or with a space for the T' },
  ),
  decimalForm: entry(conventions, 'how many decimals an amount has', ['as_given', 'padded', 'trimmed'], {
    meaning: '`padded`: always 8, `trimmed`: no zeros at the end',
  }),
  staleRates: entry(rates, 'a pair without fresh data', ['omitted', 'null', 'absent'], {
    meaning: 'not in the list, with a null price, or without a price',
  }),
  rateLimits: entry(rates, 'limits that a source does not give', ['present', 'null', 'absent'], NULLABLE),
  extraMembers: entry(versioning, 'members that a later version adds', ['none', 'some'], {
    meaning: '`some`: in answers and webhooks',
  }),
  newWords: entry(versioning, 'states and words that a later version adds', ['none', 'some'], {
    meaning: '`some`: an invoice, a withdrawal and a rate have one initially, and a waiting delivery is `queued`',
  }),
};
