import { methodsFor } from '../business/catalogue.ts';
import { quote } from '../business/money.ts';
import type { Dialect } from '../dialect/dialects.ts';
import { wireForm, wireTime, withNothing } from '../dialect/wire-form.ts';
import type { InvoiceRecord } from '../state/store.ts';
import type { SandboxInvoice } from '../wire-types.ts';
import type { World } from '../world.ts';

/** The full form, every member present: for the functions of the sandbox itself. */
export function invoiceOf(world: World, record: InvoiceRecord, timeForm: Dialect['timeForm'] = 'z'): SandboxInvoice {
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
export function fullForm(world: World, record: InvoiceRecord): object {
  return inDialect(world, invoiceOf(world, record, world.settings.dialect.timeForm));
}

/** The creation fields and no others. @see [Invoice](../../../docs/service-interface.md#invoice) */
export function creationForm(world: World, record: InvoiceRecord): object {
  const { finished_at, payment_method, rate, settled_amount_usdt, is_adjusted, adjustment, ...fields } = invoiceOf(
    world,
    record,
    world.settings.dialect.timeForm,
  );
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
