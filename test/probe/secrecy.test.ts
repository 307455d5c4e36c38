import { describe, expect, it } from 'vitest';
import { withVerdicts } from '../../src/probe/dialect-content.ts';
import { type Door, runProbe } from '../../src/probe/run.ts';
import { stepsOf } from '../../src/probe/steps.ts';
import { verdictsOf } from '../../src/probe/verdict.ts';
import { doorTo, learned, livedInAccount } from './account.ts';

// A service that puts a marker into every place where it writes text of its own. No marker may come into the file.

const MARKER = 'zqmarker';
/** Texts whose form decides something. They get no marker, and are searched for themselves. */
const FORM =
  /^(?:-?\d+(?:\.\d+)?|\d{4}-\d\d-\d\d.*|[0-9a-f-]{36}|pending|success|fail|expired|canceled|approved|rejected|delivered|failed|delivering|buy|sell)$/;

/** A JSON value with a marked member in each object, and a marker in each text without a form. */
function marked(value: unknown, spared: ReadonlySet<string>, name = ''): unknown {
  if (typeof value === 'string') return FORM.test(value) || spared.has(name) ? value : `${MARKER} ${value}`;
  if (Array.isArray(value)) return value.map((item) => marked(item, spared));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, inner]) => [key, marked(inner, spared, key)]);
  return { ...Object.fromEntries(members), [`${MARKER}_member`]: `${MARKER} value` };
}

function markingDoor(door: Door, spared: readonly string[]): Door {
  return {
    ...door,
    async send(method, request) {
      const { status, headers, text } = await door.send(method, request);
      const more = new Headers([...headers, ['X-Marker', MARKER], ['Server', MARKER]]);
      try {
        return { status, headers: more, text: JSON.stringify(marked(JSON.parse(text), new Set(spared))) };
      } catch {
        return { status, headers: more, text: text.replace('</h1>', ` ${MARKER}</h1>`) };
      }
    },
  };
}

describe('no value of the service is in the log or in the file', () => {
  it.each([
    ['with the ids of the merchant', ['external_id', 'customer_id', 'code', 'callback_url'], {}],
    ['with marked codes and ids', [], {}],
    [
      'with other dialects',
      ['external_id'],
      { deliveryNames: 'short', conflictDetails: 'extra', authBody: 'html', invoiceRead: 'named' },
    ],
  ] as const)('%s', async (_, spared, dialect) => {
    const account = await livedInAccount(dialect);
    const door = markingDoor(doorTo(account), spared);
    const options = { conflict: 'order-paid', create: 'probe-1', resend: 'order-paid' };
    const { log } = await runProbe(stepsOf(options), door, { pace: 0 });
    const arrived = account.arrived.map(({ headers, body, at }) => {
      const changed = JSON.stringify(marked(JSON.parse(body), new Set(spared)));
      return { headers: { ...headers, 'X-Marker': MARKER, 'X-Webhook-Event': MARKER }, body: changed, at };
    });
    const all = [...log, ...learned({ ...account, arrived })];
    const text = JSON.stringify([all, withVerdicts(null, verdictsOf(all))]);
    expect(all.length).toBeGreaterThan(100);
    expect(text).not.toMatch(new RegExp(MARKER, 'i'));
    const { sandbox } = account;
    const secrets = [sandbox.apiKey, sandbox.webhookSecret, sandbox.url];
    const ids = ['order-paid', 'order-refused-1'].flatMap((id) => Object.values(sandbox.invoice(id)));
    for (const value of [...secrets, ...ids]) {
      if (typeof value === 'string' && value.length > 7) expect(text).not.toContain(value);
    }
    await sandbox.close();
  });
});
