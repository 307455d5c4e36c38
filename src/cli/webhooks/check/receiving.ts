import type { EventKind } from '../sample-event.ts';
import { type Check, mustAccept, mustBeQuick, mustRefuse } from './grades.ts';

// Receiver rules 2 and 4: what has to be taken, and how fast.

const SECRET =
  'Verify HMAC-SHA256 of `{X-Webhook-Timestamp}.{raw body}` with the secret of this check, on the bytes as they arrived.';
const END = 'Every final state is announced: answer 2xx to those you have nothing to do for, too.';

const first: Check = {
  id: 'accepts-paid',
  rule: 'receiver 2',
  title: 'accepts a paid invoice',
  async run(examiner) {
    const reply = await examiner.sendGood(await examiner.shot(await examiner.event('paid')));
    const finding = mustAccept([reply], SECRET);
    examiner.acceptsGood = finding.verdict === 'pass';
    return finding;
  },
};

function accepts(kind: EventKind, title: string, fix: string, rule: Check['rule'] = 'receiver 2'): Check {
  return {
    id: `accepts-${kind}`,
    rule,
    title,
    run: async (examiner) =>
      mustAccept([await examiner.sendGood(await examiner.shot(await examiner.event(kind)))], fix),
  };
}

const ADJUSTED =
  'When `adjusted` is true the delivery is as genuine as any: accept it, and fulfil against credited_usdt.';

const charset: Check = {
  id: 'accepts-charset',
  rule: 'receiver 2',
  title: 'accepts Content-Type with a charset',
  async run(examiner) {
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };
    const shot = await examiner.shot(await examiner.event('paid'), { headers });
    return mustAccept([await examiner.sendGood(shot)], 'Compare the media type only, without its parameters.');
  },
};

const members: Check = {
  id: 'accepts-further-members',
  rule: 'receiver 2',
  title: 'accepts members it does not know',
  async run(examiner) {
    const event = await examiner.event('paid');
    const body = `${event.body.slice(0, -1)},"risk_score":"0.10","note":"Größe 42 – naïve 支払い"}`;
    const shot = await examiner.shot({ ...event, body });
    return mustAccept([await examiner.sendGood(shot)], 'Ignore members you do not know: the service may add some.');
  },
};

const quick: Check = {
  id: 'answers-quickly',
  rule: 'receiver 2',
  title: 'answers quickly',
  run: (examiner) => Promise.resolve(mustBeQuick(examiner.slowest)),
};

const unknownEvent: Check = {
  id: 'acknowledges-unknown-event',
  rule: 'receiver 2',
  title: 'acknowledges an event it does not know',
  async run(examiner) {
    const event = await examiner.event('canceled');
    const body = event.body.replaceAll('invoice.canceled', 'invoice.refunded').replaceAll('"canceled"', '"refunded"');
    const finding = mustAccept([await examiner.sendGood(await examiner.shot({ ...event, body }))], '');
    if (finding.verdict === 'pass') return finding;
    const fix = 'Answer 2xx to a genuine event without a handler, and report it: else it comes seven times.';
    return { ...finding, verdict: 'advice', fix };
  },
};

const get: Check = {
  id: 'refuses-get',
  rule: 'receiver 2',
  title: 'takes POST only',
  async run(examiner) {
    const reply = await examiner.send({ method: 'GET', headers: {}, body: '' });
    const harm = 'GET is answered with 2xx, as if something had been received';
    return mustRefuse(examiner, [reply], { harm, fix: 'Answer 405 to other methods.', advice: true });
  },
};

/** Must be the first: whether good deliveries are accepted decides what the others prove. */
export const RECEIVING: readonly Check[] = [
  first,
  accepts('expired', 'accepts an expired invoice', END),
  accepts('canceled', 'accepts a canceled invoice', END),
  accepts('fail', 'accepts a failed invoice', END),
  charset,
  members,
  quick,
  unknownEvent,
  get,
  accepts('adjusted', 'accepts a payment below the order amount', ADJUSTED, 'receiver 4'),
  accepts('overpaid', 'accepts a payment above the order amount', ADJUSTED, 'receiver 4'),
];
