import { freshRates, methodsFor } from '../business/methods-and-rates.ts';
import { quote } from '../business/money.ts';
import type { Dialect } from '../dialect/dialects.ts';
import { wireForm, wireTime, withNothing } from '../dialect/wire-form.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { SandboxInvoice, SandboxWithdrawal } from '../wire-types.ts';
import type { World } from '../world.ts';

/** The full form, every member present: for the functions of the sandbox itself. */
export function toSandboxInvoice(
  world: World,
  record: InvoiceRecord,
  timeForm: Dialect['timeForm'] = 'z',
): SandboxInvoice {
  const { method, adjustment, finishedAt } = record;
  return {
    uuid: record.uuid,
    external_id: record.external_id,
    customer_id: record.customer_id,
    purpose: record.purpose,
    amount: record.amount,
    amount_to_send: record.amountToSend,
    currency: record.currency,
    status: record.status,
    callback_url: record.callback_url,
    success_url: record.success_url,
    fail_url: record.fail_url,
    payment_url: `${world.url}/pay/${record.uuid}`,
    created_at: wireTime(record.createdAt, timeForm),
    expires_at: wireTime(record.expiresAt, timeForm),
    finished_at: finishedAt === null ? null : wireTime(finishedAt, timeForm),
    payment_method: method === null ? null : { name: method.name, logo_url: method.logo_url },
    rate: record.rate,
    settled_amount_usdt: record.settledUsdt,
    is_adjusted: adjustment !== null,
    adjustment,
  };
}

/** The full form as the service answers it. */
export function writeInvoice(world: World, record: InvoiceRecord): object {
  return inDialect(world, toSandboxInvoice(world, record, world.settings.dialect.timeForm));
}

/**
 * The creation fields and no others.
 * @see [Invoice](../../../docs/service-interface.md#invoice)
 */
export function writeCreatedInvoice(world: World, record: InvoiceRecord): object {
  const { finished_at, payment_method, rate, settled_amount_usdt, is_adjusted, adjustment, ...fields } =
    toSandboxInvoice(world, record, world.settings.dialect.timeForm);
  if (world.settings.dialect.amountToSendAtCreation === 'null') return inDialect(world, fields);
  return inDialect(world, { ...fields, amount_to_send: fields.amount_to_send ?? firstAmountToSend(world, record) });
}

function firstAmountToSend(world: World, record: InvoiceRecord): string | null {
  const [method] = methodsFor(world, record.currency.code);
  return method === undefined ? null : quote(record.amount, method, '1').amountToSend; // the rate has no part in it
}

function inDialect({ settings: { dialect } }: World, fields: Partial<SandboxInvoice>): object {
  const { payment_method: method } = fields;
  const inner = method ? { payment_method: withNothing(method, dialect.invoiceNulls) } : {};
  return wireForm(dialect, { ...fields, ...inner }, dialect.invoiceNulls);
}

/**
 * The rates as the service answers them.
 * @see [GET /api/v1/external/rates](../../../docs/service-interface.md#get-apiv1externalrates)
 */
export function writeRates(world: World): object[] {
  const { dialect, rates } = world.settings;
  const rows = dialect.staleRates === 'omitted' ? freshRates(world) : rates;
  const [first] = rows;
  const all = dialect.newWords === 'some' && first !== undefined ? [...rows, { ...first, side: 'mid' }] : rows;
  const stalePrice = dialect.staleRates === 'absent' ? 'absent' : 'null';
  return all.map((rate) => {
    const { min_amount, max_amount, ...rest } = wireForm(dialect, rate, stalePrice);
    if (dialect.rateLimits === 'absent') return rest;
    return dialect.rateLimits === 'null'
      ? { ...rest, min_amount: null, max_amount: null }
      : { ...rest, min_amount, max_amount };
  });
}

/** Newest first, or as the dialect says. Text dates without a value come last. */
export function withdrawalsInOrder(world: World): SandboxWithdrawal[] {
  const at = (row: SandboxWithdrawal): number => (row.created_at === null ? 0 : Date.parse(row.created_at) || 0);
  const newest = [...world.store.withdrawals].sort((a, b) => at(b) - at(a));
  return world.settings.dialect.listOrder === 'newest' ? newest : newest.reverse();
}

/** A withdrawal as the service answers it. */
export function writeWithdrawal(dialect: Dialect, row: SandboxWithdrawal): object {
  const time = (text: string | null): string | null => {
    const at = text === null ? Number.NaN : Date.parse(text);
    return Number.isNaN(at) ? text : wireTime(at, dialect.timeForm);
  };
  const full = { ...row, created_at: time(row.created_at), processed_at: time(row.processed_at) };
  return wireForm(dialect, full, dialect.withdrawalNulls);
}
