import { quoted } from '../../../errors/checks.ts';
import { ConfigurationError } from '../../../errors/classes.ts';
import type { SandboxWithdrawal } from '../types.ts';
import type { World } from '../world.ts';

/** The withdrawals, newest first. Those without a readable date come last. */
export function withdrawalsInOrder({ store }: World): SandboxWithdrawal[] {
  const at = (row: SandboxWithdrawal): number => (row.created_at === null ? 0 : Date.parse(row.created_at) || 0);
  return [...store.withdrawals].sort((a, b) => at(b) - at(a));
}

/**
 * Decides on a pending withdrawal: it is rejected for a reason, or approved without one. No webhook is sent, because
 * the service has none for withdrawals.
 *
 * @throws ConfigurationError if there is no such withdrawal, or it is decided already.
 */
export function decideWithdrawal(world: World, uuid: string, reason: string | null): SandboxWithdrawal {
  const { store } = world;
  const found = store.withdrawals.find((row) => row.uuid === String(uuid).toLowerCase());
  if (found === undefined) {
    const pending = store.withdrawals.filter(({ status }) => status === 'pending').map((row) => row.uuid);
    throw new ConfigurationError(
      `No withdrawal ${quoted(uuid)} in this sandbox. ${pending.length === 0 ? 'None is pending' : `Pending: ${pending.join(', ')}`}`,
    );
  }
  if (found.status !== 'pending')
    throw new ConfigurationError(`Withdrawal ${found.uuid} is ${found.status} already. Only a pending one can change`);
  const status = reason === null ? 'approved' : 'rejected';
  const decided: SandboxWithdrawal = {
    ...found,
    status,
    processed_at: new Date(world.clock.now()).toISOString(),
    ...(reason === null ? { tx_hash: world.random.uuid().replaceAll('-', '') } : { reject_reason: reason }),
  };
  store.withdrawals = store.withdrawals.map((row) => (row === found ? decided : row));
  world.log.note(`withdrawal ${found.uuid}  pending → ${status}${reason === null ? '' : `: ${reason}`}`);
  return decided;
}
