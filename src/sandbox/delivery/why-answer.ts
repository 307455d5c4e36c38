import type { EndedAttempt } from './why.ts';

/** An answer that some software is known to give, and what it means. Null of a member: any. */
interface Sign {
  readonly status: readonly number[] | null;
  readonly body: RegExp;
  readonly meaning: string;
}

/** Texts that frameworks write by themselves: the merchant's own code has not been reached. */
const SIGNS: readonly Sign[] = [
  { status: [404], body: /Cannot POST \//, meaning: 'Express has no POST route at this path.' },
  { status: [404], body: /"Route POST:\S+ not found"/, meaning: 'Fastify has no POST route at this path.' },
  {
    status: [400, 403, 419, 422],
    body: /csrf|InvalidAuthenticityToken|page expired/i,
    meaning: 'A protection against forged forms (CSRF) refused it: exempt this route from it.',
  },
  {
    status: [403],
    body: /Blocked (?:request\.|hosts?:)/,
    meaning: 'The development server refuses this host name: allow it there, or use 127.0.0.1 in the callback_url.',
  },
  {
    status: null,
    body: /Missing (?:or invalid )?X-Webhook-Timestamp|X-Webhook-Timestamp (?:is )?missing/i,
    meaning:
      'The receiver says that X-Webhook-Timestamp is missing, and it was sent: something on the way takes it off, or the name is read in another case.',
  },
];

/** The cause as far as status, headers and known texts of an answer prove it. */
export function causeInAnswer({ status_code, response_body, response_headers, request }: EndedAttempt): string | null {
  const status = status_code ?? 0;
  const sign = SIGNS.find((each) => (each.status?.includes(status) ?? true) && each.body.test(response_body ?? ''));
  if (sign !== undefined) return sign.meaning;
  if (response_headers?.['www-authenticate'] !== undefined) {
    return 'The answer asks for a login (WWW-Authenticate): a guard stands before the endpoint. A webhook brings its signature and no login.';
  }
  const path = new URL(request?.url ?? 'http://localhost').pathname;
  switch (status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308: {
      const to = response_headers?.['location'];
      return `A redirect is not followed, it counts as a failure${to === undefined ? '' : `. Make the final address the callback_url: ${to}`}`;
    }
    case 404:
      return `The receiver knows no ${path}: compare the path of the callback_url with your route.`;
    case 405:
      return `The receiver knows ${path} but takes no POST there.`;
    case 413:
      return 'The receiver found the body too large; webhooks here are below 1 kB.';
    case 415:
      return 'The receiver does not take application/json.';
    case 502:
    case 504:
      return 'A proxy answered: the application behind it did not.';
    default:
      return null;
  }
}
