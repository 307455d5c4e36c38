import { AsyncLocalStorage } from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Point } from './decisions.ts';
import type { WorkPoint } from './queues/work-fate.ts';

/** The decision about the request or the job that a process is working on. */
interface Moment {
  readonly dieAt: string | null;
  readonly stall: number;
}

const moments = new AsyncLocalStorage<Moment>();

/** Works on a request or a job with this fate. */
export function under<T>(moment: Moment, work: () => T): T {
  return moments.run(moment, work);
}

/** Ends this process as a power cut would, if that is the fate of the request or the job at this point. */
export function reach(point: Point | WorkPoint): void {
  if (moments.getStore()?.dieAt !== point) return;
  writeSync(1, `${point}\n`); // at once: nothing that is left to the event loop would leave this process
  process.kill(process.pid, 'SIGKILL');
}

/** Sits still for as long as was decided. */
export async function stall(): Promise<void> {
  const { stall: ms = 0 } = moments.getStore() ?? {};
  if (ms > 0) await pause(ms);
}
