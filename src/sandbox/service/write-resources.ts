import { wireForm } from '../dialects.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { SandboxInvoice, SandboxWithdrawal } from '../wire-types.ts';
import type { World } from '../world.ts';

/** An instant in epoch milliseconds as text. */
export function wireTime(at: number): string {
  return new Date(at).toISOString();
}

/** The full form, every member present: for the functions of the sandbox itself. */
export function toSandboxInvoice(world: World, record: InvoiceRecord): SandboxInvoice {
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
    created_at: wireTime(record.createdAt),
    expires_at: wireTime(record.expiresAt),
    finished_at: finishedAt === null ? null : wireTime(finishedAt),
    payment_method: method === null ? null : { name: method.name, logo_url: method.logo_url },
    rate: record.rate,
    settled_amount_usdt: record.settledUsdt,
    is_adjusted: adjustment !== null,
    adjustment,
  };
}

/** The full form as the service answers it. */
export function writeInvoice(world: World, record: InvoiceRecord): object {
  return inDialect(world, toSandboxInvoice(world, record));
}

/**
 * The creation fields and no others.
 * @see [Invoice](../../../docs/service-interface.md#invoice)
 */
export function writeCreatedInvoice(world: World, record: InvoiceRecord): object {
  const { finished_at, payment_method, rate, settled_amount_usdt, is_adjusted, adjustment, ...fields } =
    toSandboxInvoice(world, record);
  return inDialect(world, fields);
}

function inDialect({ settings: { dialect } }: World, fields: object): object {
  // The interface says null or absent of these members, so they are never empty text.
  return wireForm(dialect, fields, dialect.nulls === 'empty' ? 'absent' : dialect.nulls);
}

/** Newest first, or as the dialect says. Text dates without a value come last. */
export function withdrawalsInOrder(world: World): SandboxWithdrawal[] {
  const at = (row: SandboxWithdrawal): number => (row.created_at === null ? 0 : Date.parse(row.created_at) || 0);
  const newest = [...world.store.withdrawals].sort((a, b) => at(b) - at(a));
  return world.settings.dialect.listOrder === 'newest' ? newest : newest.reverse();
}
