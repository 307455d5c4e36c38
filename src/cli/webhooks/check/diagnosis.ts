import { findMistake } from '../../../sandbox/delivery/cause-search.ts';
import { isAcknowledged, type Reply } from '../deliver.ts';
import type { SampleEvent } from '../sample-event.ts';
import type { Examiner } from './examiner.ts';

/** Why a genuine delivery is not accepted, and what to do. */
export interface Diagnosis {
  readonly cause: string;
  readonly fix: string;
}

/** Finds one cause. A clear answer decides. Otherwise it sends requests that only a receiver with one mistake accepts. */
export async function diagnose(examiner: Examiner, event: SampleEvent, reply: Reply): Promise<Diagnosis> {
  const { timeout, apiKey, secrets, dialect, now, url } = examiner.options;
  const { status, problem, text, location, asksForLogin } = reply;
  if (problem === 'time-out') {
    const cause = `it does not answer within ${timeout / 1000} s`;
    return { cause, fix: 'Verify, store the event, answer 2xx, and do the work afterwards.' };
  }
  if (status === null) return { cause: `the connection ends without an answer (${problem})`, fix: LOOK };
  if (status >= 300 && status < 400) {
    const target = location !== null && URL.canParse(location, url) ? new URL(location, url).href : 'another address';
    const cause = `it redirects to ${target}, and the service follows no redirect`;
    return { cause, fix: `Give the final address as callback_url, and keep logins away from this route.` };
  }
  if (status === 404) {
    return {
      cause: 'there is no route at this path',
      fix: 'Compare the path of the address with the route, with its prefix and its last slash.',
    };
  }
  if (status === 405) return { cause: 'the route does not take POST', fix: 'Register the handler for POST.' };
  if (status === 419 || /csrf|xsrf|forgery token|cross.site request/i.test(text)) {
    return {
      cause: 'a CSRF guard refuses it: the service has no session and no token',
      fix: 'Exempt this route from the guard. The signature takes its place.',
    };
  }
  if (asksForLogin) {
    return {
      cause: 'a login protects this route, and the service cannot log in',
      fix: 'Exempt this route from the login. The signature takes its place.',
    };
  }
  const [secret = ''] = secrets;
  const sign = async () => {
    const { headers, body } = await examiner.request(event);
    return { url, method: 'POST' as const, headers, body };
  };
  const { proven, text: found } = await findMistake({
    settings: { webhookSecret: secret, dialect, wallClock: now },
    apiKey,
    right: sign,
    async accepts(request) {
      const answer = await examiner.send(request);
      return answer.status === null ? null : isAcknowledged(answer);
    },
  });
  if (proven) return splitText(found.replace(/^Proven by trial: /, ''));
  if (status >= 500) return { cause: `the receiver fails with ${status}`, fix: LOOK };
  if (status === 415 || status === 400) return { cause: `it refuses the delivery as malformed (${status})`, fix: LOOK };
  const cause = `it refuses the signature (${status}), and none of the usual mistakes explains it`;
  return { cause, fix: 'Compare the secret of the receiver with the one of this check, character by character.' };
}

const LOOK = 'Look into the log of the receiver for this request.';

/** A sentence of the search: its first part is the cause, the rest the remedy. */
function splitText(text: string): Diagnosis {
  const at = text.indexOf('. ');
  if (at === -1) return { cause: text.replace(/\.$/, ''), fix: 'Correct it, then run this check again.' };
  return { cause: text.slice(0, at), fix: text.slice(at + 2) };
}
