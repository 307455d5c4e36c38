import * as module from 'node:module';
import { reach, under } from '../moment.ts';
import type { Message } from '../processes.ts';
import type { Fault } from '../receiver.ts';
import { type ShopAddress, withShop } from '../shop.ts';
import { workFate } from './work-fate.ts';

// The worker of a queue as a separate process that kills itself.

/** The setup of a worker, as JSON in its first argument. */
export interface WorkerSetup {
  readonly shop: ShopAddress;
  readonly seed: string;
  readonly fault: Fault;
}

const { shop: address, seed, fault }: WorkerSetup = JSON.parse(process.argv[2] ?? '');
const send = (message: Message): void => void process.send?.(message);
process.on('disconnect', () => process.exit(0));

const queue = await withShop(address, (shop) => shop.queue);
if (queue === undefined) throw new Error(`${address.kind} has no queue`);
await queue.work(async ({ event, attempt, credit, creditAlone }) => {
  send({ report: attempt === 1 ? 'job begun' : 'job begun again' });
  const { dieAt, killIn, blocks } = workFate(seed, event.external_id, attempt);
  await under({ dieAt, stall: 0 }, async () => {
    if (killIn !== null) send({ killIn });
    reach('job_begun');
    if (blocks) block(queue.lock);
    await (fault === 'write_outside' ? creditAlone() : credit());
    reach('job_written');
  });
});
module.flushCompileCache(); // the next start is faster, and this process will not end in a way that saves anything

/** Stops the whole process, as a long computation does, until its lock has expired and another worker has the job. */
function block(lock: number): void {
  send({ report: 'worker blocked' });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * lock);
}
