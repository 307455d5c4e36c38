// What the terminal of a running sandbox shows: the banner, then one line for each event.

import { isSandboxSecret } from '../../../webhooks/verify/sandbox-secret.ts';
import { sentenceOf } from '../../sandbox/delivery/diagnose.ts';
import type { RequestEntry, Sandbox, SandboxEvent } from '../../sandbox/index.ts';
import { type Grade, markOf, oneLine, type Style, wrapped } from '../report.ts';

interface BannerFacts {
  readonly hasKeys: boolean;
  readonly hasSeed: boolean;
  readonly stateFile: string | undefined;
}

/** The lines of the screen when the sandbox listens. */
export function banner(sandbox: Sandbox, style: Style, { hasKeys, hasSeed, stateFile }: BannerFacts): string {
  const { url, apiKey, webhookSecret, frozen } = sandbox;
  const width = Math.max(34, url.length + 6);
  const clock = frozen ? 'frozen' : 'real time';
  const lines = [
    `${style.strong('SANDBOX')}  nothing here is real money`,
    '',
    `API        ${url.padEnd(width)}key     ${apiKey}`,
    `Dashboard  ${`${url}/`.padEnd(width)}secret  ${webhookSecret}`,
    `Clock      ${clock}${hasKeys ? `  (a: +1 min   A: +1 h   f: ${frozen ? 'let it run' : 'freeze'})` : ''}`,
    ...(hasSeed ? [`Seed       ${sandbox.seed}`] : []),
    ...(stateFile === undefined ? [] : [`State      ${stateFile}`]),
    '',
    'env   for node --env-file=.env, or for your shell',
    `      MERCHANT_BASE_URL=${url}`,
    `      MERCHANT_API_KEY=${apiKey}`,
    `      MERCHANT_WEBHOOK_SECRET=${webhookSecret}`,
    ...(isSandboxSecret(webhookSecret) ? ['      MERCHANT_SANDBOX=1'] : []),
    'try   npx merchant-invoicing sandbox create 25.00 EUR',
    hasKeys ? 'stop  Ctrl-C   reset  r   dashboard  o   send waiting webhooks  n   help  ?' : 'stop  Ctrl-C',
  ];
  return `${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

/** One line of the log. */
interface Line {
  /** Null for what is neither good nor bad. */
  readonly grade: Grade | null;
  /** What happened, and to which order, in two columns. */
  readonly subject: string;
  readonly result: string;
  /** Why, on lines of its own. Null if there is nothing to say. */
  readonly cause: string | null;
}

const SUBJECT = 36;
const RESULT = 31;

/**
 * Returns the function that writes an event as one line of 80 columns: time, what, order, result. The cause of a
 * refused request stands below it. So does the cause of a refused webhook, unless the previous attempt at the same
 * endpoint had the same cause. The function returns null for an event that another line shows as well.
 */
export function eventWriter(style: Style): (event: SandboxEvent) => string | null {
  const lastCauses = new Map<string, string | null>();
  return (event) => {
    const time = event.at.slice(11, 19);
    if (event.kind === 'note') return `${wrapped(oneLine(event.text, 300), 12, `${time}    `)}\n`;
    const line = lineOf(event);
    if (line === null) return null;
    const { grade, subject, result } = line;
    const mark = grade === null ? ' ' : markOf(grade, style);
    const shown = `${time}  ${mark} ${subject.padEnd(SUBJECT)} ${oneLine(result, RESULT)}`.trimEnd();
    const isRepeated = event.kind === 'attempt' && lastCauses.get(event.url) === line.cause;
    if (event.kind === 'attempt') lastCauses.set(event.url, line.cause);
    return line.cause === null || isRepeated ? `${shown}\n` : `${shown}\n${wrapped(oneLine(line.cause, 400), 12)}\n`;
  };
}

function lineOf(event: Exclude<SandboxEvent, { readonly kind: 'note' }>): Line | null {
  switch (event.kind) {
    case 'request': {
      const { status, code, fault, why, operation } = event;
      const isGood = status !== null && status < 400;
      if (isGood && operation === 'invoices.create') return null; // the line `created` shows it
      const cause = fault !== null ? `by the fault ${fault}` : isGood ? null : why;
      const result = [status ?? 'no response', code].filter((part) => part !== null).join(' ');
      return { grade: isGood ? null : 'fail', subject: oneLine(requestText(event), SUBJECT), result, cause };
    }
    case 'invoice': {
      const { external_id, from, to, paid, why } = event;
      const subject = subjectOf(from === null ? 'created' : to === 'success' ? 'paid' : to, external_id);
      const result = paid === null ? why : `${paid} in place of the amount`;
      return { grade: to === 'success' ? 'pass' : null, subject, result, cause: null };
    }
    case 'attempt': {
      const { success, attempt, max_attempts: most, status_code, duration_ms: ms, next_retry_at: next } = event;
      const later = next === null ? '' : `, next ${next.slice(11, 19)}`;
      return {
        grade: success ? 'pass' : 'fail',
        subject: subjectOf(`webhook ${attempt} of ${Math.max(attempt, most)}`, event.external_id),
        result: `${status_code ?? 'no response'}${status_code === null ? '' : ` in ${ms} ms`}${later}`,
        cause: event.cause === null ? null : sentenceOf(event.cause),
      };
    }
  }
}

function subjectOf(what: string, order: string): string {
  return `${what.padEnd(15)} ${oneLine(order, 20)}`;
}

/** Method and path without their common beginning, each long id cut. */
function requestText({ method, path, query }: RequestEntry): string {
  const segments = path.replace('/api/v1/external', '').split('/');
  return `${method} ${segments.map((each) => (each.length > 20 ? `${each.slice(0, 8)}…` : each)).join('/')}${query}`;
}
