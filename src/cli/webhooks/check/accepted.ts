import { isAcknowledged, isUnreachable } from '../deliver.ts';
import type { EventKind, SampleEvent } from '../sample-event.ts';
import { diagnose } from './diagnosis.ts';
import { type Change, type Check, type Examiner, inconclusive, type Judgement, mustAccept } from './examiner.ts';

// The deliveries that a receiver must accept: receiver rules 2 and 4, and repeats, rule 3.

/** One genuine delivery that must be acknowledged. */
function accepts(
  id: string,
  title: string,
  fix: string,
  {
    rule = 'receiver 2',
    kind = 'paid',
    change = (event) => event,
    headers = {},
  }: {
    readonly rule?: Check['rule'];
    readonly kind?: EventKind;
    readonly change?: (event: SampleEvent) => SampleEvent;
    readonly headers?: NonNullable<Change['headers']>;
  } = {},
): Check {
  const run = async (examiner: Examiner): Promise<Judgement> =>
    mustAccept([await examiner.sendGenuine(change(await examiner.event(kind)), { headers })], fix);
  return { id, rule, title, run };
}

const SECRET =
  'Verify HMAC-SHA256 of `{X-Webhook-Timestamp}.{raw body}` with the secret of this check, on the bytes as they arrived.';
const FINAL = 'The service announces every final state: answer 2xx to those that need no work, too.';
const ADJUSTED = 'A delivery with `adjusted: true` is genuine: accept it, and fulfil against credited_usdt.';

const paid = accepts('accepts-paid', 'accepts a paid invoice', SECRET);

const first: Check = {
  ...paid,
  async run(examiner) {
    const event = await examiner.event('paid');
    const judgement = mustAccept([await examiner.sendGenuine(event)], SECRET);
    const [reply] = judgement.replies;
    examiner.acceptsGenuine = judgement.verdict === 'pass';
    if (examiner.acceptsGenuine || reply === undefined || isUnreachable(reply)) return judgement;
    const { cause, fix } = await diagnose(examiner, event, reply);
    return { ...judgement, why: cause, fix };
  },
};

const MAX_TIME = 5_000;

const quick: Check = {
  id: 'answers-quickly',
  rule: 'receiver 2',
  title: 'answers quickly',
  async run({ slowest }) {
    const time = `${slowest} ms for the slowest`;
    if (slowest <= MAX_TIME) return { verdict: 'pass', replies: [], why: time, fix: '' };
    const fix = 'Store the event, answer 2xx, and do the work afterwards.';
    return { verdict: 'fail', replies: [], why: `${time}. After 15 s the service sends it again`, fix };
  },
};

const unknown = accepts('acknowledges-unknown-event', 'acknowledges an event it does not know', '', {
  kind: 'canceled',
  change: ({ eventType, body }) => ({
    eventType,
    body: body.replaceAll('invoice.canceled', 'invoice.refunded').replaceAll('"canceled"', '"refunded"'),
  }),
});

const unknownEvent: Check = {
  ...unknown,
  async run(examiner) {
    const judgement = await unknown.run(examiner);
    if (judgement.verdict === 'pass') return judgement;
    const fix = 'Answer 2xx to a genuine event without a handler, and report it: otherwise it comes seven times.';
    return { ...judgement, verdict: 'advice', fix };
  },
};

const get: Check = {
  id: 'refuses-get',
  rule: 'receiver 2',
  title: 'takes POST only',
  async run(examiner) {
    const reply = await examiner.send({ method: 'GET', headers: {}, body: '' });
    const harm = 'GET is answered with 2xx, as if a delivery had arrived';
    return examiner.mustRefuse([reply], { harm, fix: 'Answer 405 to other methods.', advice: true });
  },
};

/** Begins with the genuine delivery that decides what the refusals prove. */
export const ACCEPTED: readonly Check[] = [
  first,
  accepts('accepts-expired', 'accepts an expired invoice', FINAL, { kind: 'expired' }),
  accepts('accepts-canceled', 'accepts a canceled invoice', FINAL, { kind: 'canceled' }),
  accepts('accepts-fail', 'accepts a failed invoice', FINAL, { kind: 'fail' }),
  accepts(
    'accepts-charset',
    'accepts Content-Type with a charset',
    'Compare the media type only, without its parameters.',
    { headers: { 'Content-Type': 'application/json; charset=utf-8' } },
  ),
  accepts(
    'accepts-further-members',
    'accepts members it does not know',
    'Ignore members you do not know: the service may add some.',
    {
      change: ({ eventType, body }) => ({
        eventType,
        body: `${body.slice(0, -1)},"risk_score":"0.10","note":"Größe 42 – naïve 支払い"}`,
      }),
    },
  ),
  quick,
  unknownEvent,
  get,
  accepts('accepts-adjusted', 'accepts a payment below the order amount', ADJUSTED, {
    rule: 'receiver 4',
    kind: 'adjusted',
  }),
  accepts('accepts-overpaid', 'accepts a payment above the order amount', ADJUSTED, {
    rule: 'receiver 4',
    kind: 'overpaid',
  }),
];

export const rawBytes = accepts(
  'accepts-raw-bytes',
  'verifies the raw bytes (spaces, escapes)',
  "Verify before parsing. Express: express.raw({ type: 'application/json' }) on this route. Others: docs/webhooks.md.",
  {
    rule: 'authentication 3',
    change: ({ eventType, body }) => ({
      eventType,
      body: `${JSON.stringify(JSON.parse(body), null, 2).replaceAll('success', '\\u0073uccess')}\n`,
    }),
  },
);

export const rotation: Check = {
  id: 'accepts-each-secret',
  rule: 'authentication 3',
  title: 'accepts old and new secret while they are rotated',
  async run(examiner) {
    const [, ...others] = examiner.options.secrets;
    if (others.length === 0) return inconclusive('give --secret twice to check a rotation');
    const replies = [];
    for (const secret of others) replies.push(await examiner.sendGenuine(await examiner.event('paid'), { secret }));
    return mustAccept(replies, 'Verify with a list of secrets until the old one is no longer in use.');
  },
};

const NO_OP = 'Answer 2xx to an event that you have handled, and do nothing: after any other answer it comes again.';

/** Sends one event twice, the second time with a change. */
function twice(id: string, title: string, { id: otherId, later = 0 }: { id?: string; later?: number }): Check {
  const run = async (examiner: Examiner): Promise<Judgement> => {
    const event = await examiner.event('paid');
    const deliveryId = crypto.randomUUID();
    const timestamp = examiner.options.now();
    const replies = [
      await examiner.sendGenuine(event, { id: deliveryId, timestamp }),
      await examiner.sendGenuine(event, { id: otherId ?? deliveryId, timestamp: timestamp + later }),
    ];
    return mustAccept(replies, NO_OP);
  };
  return { id, rule: 'receiver 3', title, run };
}

const atOnce: Check = {
  id: 'repeat-at-once',
  rule: 'receiver 3',
  title: 'the same delivery twice at once',
  async run(examiner) {
    const event = await examiner.event('paid');
    const change = { id: crypto.randomUUID(), timestamp: examiner.options.now() };
    const replies = await Promise.all([examiner.sendGenuine(event, change), examiner.sendGenuine(event, change)]);
    const busy = replies.filter(({ status }) => status === 409 || status === 429 || status === 503);
    // One of them may be refused as busy: it comes again after the other has been handled.
    if (replies.some(isAcknowledged) && busy.length === 1) {
      return { verdict: 'pass', replies, why: 'one of them waits for the other', fix: '' };
    }
    return mustAccept(replies, NO_OP);
  },
};

/** After all others, because any answer can hold a secret. */
export const DISCREET: Check = {
  id: 'keeps-secrets',
  rule: 'authentication 3',
  title: 'no answer holds the secret or the expected signature',
  async run({ hasLeaked }) {
    if (!hasLeaked) return { verdict: 'pass', replies: [], why: '', fix: '' };
    const fix = 'Answer a refusal with a status and nothing else. Write the details into a log without the secret.';
    return { verdict: 'fail', replies: [], why: 'anyone can ask for it, and forge deliveries with it', fix };
  },
};

export const REPEATS: readonly Check[] = [
  twice('repeat-same', 'the same delivery again is acknowledged', {}),
  twice('repeat-restamped', 'the same delivery, stamped and signed anew', { later: 2_000 }),
  twice('repeat-other-id', 'the same event under another X-Webhook-Id', { id: crypto.randomUUID() }),
  atOnce,
  accepts(
    'still-alive',
    'accepts a genuine delivery after all this',
    'A forged delivery has broken the receiver: catch what a request throws.',
    { rule: 'receiver 3' },
  ),
  DISCREET,
];
