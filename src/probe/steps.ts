import { FINAL_INVOICE_STATUSES } from '../contract/statuses.ts';
import { decimalFrom, Problem } from '../contract/values/scalars.ts';
import { DIALECTS } from '../sandbox/dialect/dialects.ts';
import { type Asked, PLAIN_IDENT, type Question, UUID } from './answer.ts';
import { QUERY_POINTS, trialOf } from './query-names.ts';
import type { AccountState, ListedInvoice } from './state.ts';
import type { QueryPoint } from './words.ts';

// The requests of a probe as data. All but the last three are reads.

/** The writing requests that the user has named. */
export interface ProbeOptions {
  /** An external_id that exists. It is sent again with the same order. */
  readonly conflict?: string | undefined;
  /** The external_id of an invoice to create. */
  readonly create?: string | undefined;
  /** An invoice whose webhook is sent again. */
  readonly resend?: string | undefined;
}

/** One request, as it is sent. */
export interface ProbeRequest {
  /** Path and query below the base address. */
  readonly path: string;
  readonly asked?: Asked;
  readonly body?: Readonly<Record<string, string>>;
  /** True for the one request that shows how a wrong key is refused. */
  readonly hasWrongKey?: boolean;
}

/** One request of the plan. */
export interface Step {
  readonly question: Question;
  readonly method: 'GET' | 'POST';
  /** Path and query with names in braces in place of values of the account. */
  readonly template: string;
  /** Null where the account cannot answer it, or where it is answered already. */
  readonly request: (state: AccountState) => ProbeRequest | null;
}

const ROOT = '/api/v1/external';
const INVOICES = `${ROOT}/invoices`;
const WITHDRAWALS = `${ROOT}/withdrawals`;
const NOWHERE = '00000000-0000-4000-8000-00000000d1a1';
/** Histories that are read. A waiting, a failed and a delivered one are rarely the same. */
const HISTORIES = 8;
const SILENT_HISTORIES = 2;
/** Far enough that an invoice created meanwhile does not reach it. */
const AFTER_LAST = 7;

function read(question: Question, template: string, asked?: Asked): Step {
  return { question, method: 'GET', template, request: () => ({ path: template, ...(asked && { asked }) }) };
}

function readOf(question: Question, template: string, request: Step['request']): Step {
  return { question, method: 'GET', template, request };
}

/** The invoice whose reads are compared. */
function comparable({ invoices }: AccountState): ListedInvoice | undefined {
  return invoices.find(
    ({ externalId, uuid }) => PLAIN_IDENT.test(externalId ?? '') && !UUID.test(externalId ?? '') && UUID.test(uuid),
  );
}

function histories({ invoices }: AccountState): readonly ListedInvoice[] {
  const sent = invoices.filter(({ isFinal, isSilent }) => isFinal && !isSilent).slice(0, HISTORIES);
  const silent = invoices.filter(({ isSilent }) => isSilent).slice(0, SILENT_HISTORIES);
  const found = [...silent, ...sent];
  return found.length > 0 ? found : invoices.slice(0, 1);
}

/** One name of the withdrawals query. */
function nameStep(point: QueryPoint, name: string): Step {
  return readOf('query name', `${WITHDRAWALS}?${name}={value}`, ({ refusesUnknown, changes, found }) => {
    const tried = found.has(point) ? null : trialOf(point, changes, refusesUnknown);
    return tried && { path: `${WITHDRAWALS}?${name}=${tried.value}`, asked: { point, name, ...tried } };
  });
}

const NAME_STEPS = QUERY_POINTS.flatMap((point) => DIALECTS[point].values.map((name) => nameStep(point, name)));

const READS: readonly Step[] = [
  read('invoices', `${INVOICES}?per_page=100`),
  ...['pending', ...FINAL_INVOICE_STATUSES].map((status) => read('invoices', `${INVOICES}?status=${status}`)),
  read('invoices of nothing', `${INVOICES}?currency=XTS`),
  readOf('invoices past the end', `${INVOICES}?page={after the last}&per_page=100`, ({ pages }) => {
    const page = pages + AFTER_LAST;
    return { path: `${INVOICES}?page=${page}&per_page=100`, asked: { page } };
  }),
  read('invalid query', `${INVOICES}?per_page=0`),
  readOf('read by uuid', `${INVOICES}/{uuid}`, (state) => {
    const invoice = comparable(state);
    return invoice === undefined ? null : { path: `${INVOICES}/${invoice.uuid}` };
  }),
  readOf('read by external_id', `${INVOICES}/{external_id}`, (state) => {
    const externalId = comparable(state)?.externalId ?? null;
    return externalId === null ? null : { path: `${INVOICES}/${externalId}` };
  }),
  ...Array.from({ length: HISTORIES + SILENT_HISTORIES }, (_, index) =>
    readOf('deliveries', `${INVOICES}/{ident}/webhooks`, (state) => {
      const invoice = histories(state)[index];
      if (invoice === undefined) return null;
      return {
        path: `${INVOICES}/${encodeURIComponent(invoice.uuid)}/webhooks`,
        asked: { isSilent: invoice.isSilent },
      };
    }),
  ),
  read('withdrawals', WITHDRAWALS),
  read('unknown query name', `${WITHDRAWALS}?merchant_invoicing_probe=1`),
  ...NAME_STEPS,
  readOf('read withdrawal', `${WITHDRAWALS}/{withdrawal_uuid}`, ({ withdrawal }) =>
    withdrawal === null ? null : { path: `${WITHDRAWALS}/${encodeURIComponent(withdrawal)}` },
  ),
  readOf('missing', `${WITHDRAWALS}/{unknown uuid}`, () => ({ path: `${WITHDRAWALS}/${NOWHERE}` })),
  readOf('missing', `${INVOICES}/{unknown uuid}/webhooks`, () => ({ path: `${INVOICES}/${NOWHERE}/webhooks` })),
  readOf('wrong key', `${ROOT}/payment-methods with a wrong key`, () => ({
    path: `${ROOT}/payment-methods`,
    hasWrongKey: true,
  })),
];

/** The smallest amount with two decimals that is not below another one. A creation accepts no more decimals. */
function chargeable(given: string): string | null {
  const amount = decimalFrom(given);
  return amount instanceof Problem || !amount.isPositive() || amount.isZero() ? null : amount.toFixed(2, ROUND_UP);
}

const ROUND_UP = 0; // of decimal.js

function creation(externalId: string): Step {
  return {
    question: 'creation',
    method: 'POST',
    template: INVOICES,
    request: ({ smallest }) => {
      const [currency = '', min = ''] = [...smallest][0] ?? [];
      const amount = chargeable(min);
      if (amount === null) return null;
      const body = { external_id: externalId, customer_id: 'merchant-invoicing-probe', amount, currency };
      return { path: INVOICES, body, asked: { amount } };
    },
  };
}

/** Sends an order again that exists. Without the invoice at hand nothing is sent: a new one would be created. */
function conflict(externalId: string): readonly Step[] {
  return [
    readOf('read by external_id', `${INVOICES}/{external_id}`, ({ invoices }) =>
      invoices.some((invoice) => invoice.externalId === externalId) || !isPlain(externalId)
        ? null
        : { path: `${INVOICES}/${encodeURIComponent(externalId)}` },
    ),
    {
      question: 'conflict',
      method: 'POST',
      template: INVOICES,
      request: ({ invoices }) => {
        const body = invoices.find((invoice) => invoice.externalId === externalId)?.body ?? null;
        const amount = body === null ? null : chargeable(body.amount);
        if (body === null || amount === null) return null;
        return { path: INVOICES, body: { external_id: externalId, ...body, amount } };
      },
    },
  ];
}

const isPlain = (ident: string): boolean => ident !== '' && ident !== '.' && ident !== '..';

function resend(ident: string): Step {
  const template = `${INVOICES}/{ident}/resend-webhook`;
  const path = `${INVOICES}/${encodeURIComponent(ident)}/resend-webhook`;
  return { question: 'resend', method: 'POST', template, request: () => (isPlain(ident) ? { path } : null) };
}

/** Every request of a probe, in its order. Only what an option names writes. */
export function stepsOf({ conflict: conflicting, create, resend: resent }: ProbeOptions): readonly Step[] {
  return [
    read('methods', `${ROOT}/payment-methods`),
    read('rates', `${ROOT}/rates`),
    ...(create === undefined ? [] : [creation(create)]),
    ...READS,
    ...(conflicting === undefined ? [] : conflict(conflicting)),
    ...(resent === undefined ? [] : [resend(resent)]),
  ];
}
