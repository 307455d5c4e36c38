import type { RequestListener } from 'node:http';
import { goodReceiver, handWritten } from './receivers.ts';

/** A receiver with one mistake, and what `webhooks check` says of it. `…` stands for what differs between two runs. */
export interface BrokenReceiver {
  readonly mistake: string;
  readonly cause: string;
  readonly remedy: string;
  readonly listener: RequestListener;
}

export const SECRET = 'whsec_of_the_shop';
export const API_KEY = 'sk_of_the_shop_1234';

const answers =
  (status: number, text: string, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (request, response) =>
    void request.resume().on('end', () => response.writeHead(status, headers).end(text));

const LOG = 'Look into the log of the receiver for this request.';
const GUARD = 'A protection against forged forms (CSRF) refused it';
const EXEMPT = 'exempt this route from it.';

export const BROKEN_RECEIVERS: readonly BrokenReceiver[] = [
  {
    mistake: 'It redirects',
    cause: 'A redirect is not followed, it counts as a failure',
    remedy: 'Make the final address the callback_url: /login',
    listener: answers(308, '', { Location: '/login' }),
  },
  {
    mistake: 'It does its work before it answers',
    cause: 'no answer in time',
    remedy: 'Verify, store the event, answer 2xx, and do the work afterwards.',
    listener: () => undefined,
  },
  {
    mistake: 'A CSRF guard protects it (403)',
    cause: GUARD,
    remedy: EXEMPT,
    listener: answers(403, '{"error":"Invalid CSRF token"}'),
  },
  {
    mistake: 'A CSRF guard protects it (419)',
    cause: GUARD,
    remedy: EXEMPT,
    listener: answers(419, 'Page Expired'),
  },
  {
    mistake: 'A login protects it (401)',
    cause: 'The answer asks for a login (WWW-Authenticate)',
    remedy: 'the endpoint is behind authentication. A webhook carries a signature and no login.',
    listener: answers(401, 'Unauthorized', { 'WWW-Authenticate': 'Basic realm="shop"' }),
  },
  {
    mistake: 'The path is wrong (404)',
    cause: 'The receiver knows no /webhook',
    remedy: 'compare the path of the callback_url with your route.',
    listener: answers(404, 'Not found'),
  },
  {
    mistake: 'The route is for GET only (405)',
    cause: 'The receiver knows /webhook but takes no POST there.',
    remedy: 'Correct it, then run this check again.',
    listener: answers(405, ''),
  },
  {
    mistake: 'It crashes (500)',
    cause: 'the receiver failed',
    remedy: LOG,
    listener: answers(500, 'TypeError'),
  },
  {
    mistake: 'It takes no JSON (415)',
    cause: 'The receiver does not take application/json.',
    remedy: 'Correct it, then run this check again.',
    listener: answers(415, ''),
  },
  {
    mistake: 'It has another secret',
    cause: 'it refuses the signature (401), and none of the usual mistakes explains it',
    remedy: 'Compare the secret of the receiver with the one of this check, character by character.',
    listener: goodReceiver('whsec_another_one_here'),
  },
  {
    mistake: 'Its secret ends with a line break',
    cause: 'the receiver’s secret ends with a line break',
    remedy: 'Trim it where it is read from a file or the environment.',
    listener: handWritten(`${SECRET}\n`),
  },
  {
    mistake: 'Its secret is the API key',
    cause: 'the receiver’s secret is the API key',
    remedy: 'The webhook secret is another value of the dashboard.',
    listener: handWritten(API_KEY),
  },
  {
    mistake: 'It leaves the timestamp out',
    cause: 'the receiver signs the body alone',
    remedy: 'The signed text is {timestamp}.{body}.',
    listener: handWritten(SECRET, { bodyOnly: true }),
  },
];
