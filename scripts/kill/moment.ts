import { AsyncLocalStorage } from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Point } from './decisions.ts';

/** The decision about the request that a receiver is working on. */
interface Moment {
  readonly dieAt: string;
  readonly stall: number;
}

const moments = new AsyncLocalStorage<Moment>();

/** Works on a request whose headers carry its fate. */
export function under<T>(headers: Record<string, string | string[] | undefined>, work: () => T): T {
  return moments.run({ dieAt: String(headers['x-die-at']), stall: Number(headers['x-stall'] ?? 0) }, work);
}

/** Ends this process as a power cut would, if that is the fate of the request at this point. */
export function reach(point: Point): void {
  if (moments.getStore()?.dieAt !== point) return;
  writeSync(1, `${point}\n`); // at once: nothing that is left to the event loop would leave this process
  process.kill(process.pid, 'SIGKILL');
}

/** Sits still for as long as was decided. */
export async function stall(): Promise<void> {
  const { stall: ms = 0 } = moments.getStore() ?? {};
  if (ms > 0) await pause(ms);
}
