import { isReceipt } from '../deliver.ts';
import type { Examiner } from './examiner.ts';
import { type Check, type Finding, mustAccept } from './grades.ts';

// Receiver rule 3: the same event can arrive more than once.

const NO_OP = 'Answer 2xx to what you have handled already, and do nothing: any other answer brings it again.';

function repeat(id: string, title: string, again: (examiner: Examiner) => Promise<Finding>): Check {
  return { id, rule: 'receiver 3', title, run: again };
}

/** Sends one event, then sends it again with something about it changed. */
function twice(id: string, title: string, change: { readonly id?: string; readonly later?: number }): Check {
  return repeat(id, title, async (examiner) => {
    const event = await examiner.event('paid');
    const deliveryId = crypto.randomUUID();
    const began = examiner.settings.now();
    const one = await examiner.shot(event, { id: deliveryId, timestamp: began });
    const two = await examiner.shot(event, { id: change.id ?? deliveryId, timestamp: began + (change.later ?? 0) });
    const replies = [await examiner.sendGood(one), await examiner.sendGood(two)];
    return mustAccept(replies, NO_OP);
  });
}

const atOnce = repeat('repeat-at-once', 'the same delivery twice at once', async (examiner) => {
  const shot = await examiner.shot(await examiner.event('paid'));
  const replies = await Promise.all([examiner.sendGood(shot), examiner.sendGood(shot)]);
  const busy = replies.filter(({ status }) => status === 409 || status === 429 || status === 503);
  // "Not now" to one of them is right, too: it comes again when the other has been handled.
  if (replies.some(isReceipt) && busy.length === 1) {
    return { verdict: 'pass', replies, why: 'one of them waits for the other', fix: '' };
  }
  return mustAccept(replies, NO_OP);
});

const alive = repeat('still-alive', 'accepts a good delivery after all this', async (examiner) =>
  mustAccept(
    [await examiner.sendGood(await examiner.shot(await examiner.event('paid')))],
    'A hostile delivery has broken it: catch what a request throws.',
  ),
);

export const REPEATS: readonly Check[] = [
  twice('repeat-same', 'the same delivery again is acknowledged', {}),
  twice('repeat-restamped', 'the same delivery, stamped and signed anew', { later: 2_000 }),
  twice('repeat-other-id', 'the same event under another X-Webhook-Id', { id: crypto.randomUUID() }),
  atOnce,
  alive,
];
