import type { Dialect } from '../dialect/dialects.ts';
import { wireForm, wireTime } from '../dialect/wire-form.ts';
import type { SandboxWithdrawal } from '../wire-types.ts';
import type { World } from '../world.ts';

/** Newest first, or as the dialect says. Text dates without a value come last. */
export function withdrawalsInOrder(world: World): SandboxWithdrawal[] {
  const at = (row: SandboxWithdrawal): number => (row.created_at === null ? 0 : Date.parse(row.created_at) || 0);
  const newest = [...world.store.withdrawals].sort((a, b) => at(b) - at(a));
  return world.settings.dialect.listOrder === 'newest' ? newest : newest.reverse();
}

/** A withdrawal as the service answers it. */
export function withdrawalForm(dialect: Dialect, row: SandboxWithdrawal): object {
  const time = (text: string | null): string | null => {
    const at = text === null ? Number.NaN : Date.parse(text);
    return Number.isNaN(at) ? text : wireTime(at, dialect.timeForm);
  };
  const full = { ...row, created_at: time(row.created_at), processed_at: time(row.processed_at) };
  return wireForm(dialect, full, dialect.withdrawalNulls);
}
