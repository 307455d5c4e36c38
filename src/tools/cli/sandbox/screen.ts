// What the terminal of a running sandbox shows: the banner, then one line for each event.

import { printable } from '../../../errors/printable.ts';
import { isSandboxSecret } from '../../../webhooks/verify/sandbox-secret.ts';
import type { Sandbox, SandboxEvent } from '../../sandbox/index.ts';
import { type Line, lineOf } from '../../sandbox/lines.ts';
import { markOf, type Style, wrapped } from '../report.ts';

/** The lines of the screen when the sandbox listens. */
export function banner(sandbox: Sandbox, style: Style, hasSeed: boolean): string {
  const { url, apiKey, webhookSecret, frozen } = sandbox;
  const width = Math.max(34, url.length + 6);
  const clock = frozen ? 'frozen' : 'real time';
  const lines = [
    `${style.strong('SANDBOX')}  nothing here is real money`,
    '',
    `API        ${url.padEnd(width)}key     ${apiKey}`,
    `Dashboard  ${`${url}/`.padEnd(width)}secret  ${webhookSecret}`,
    `Clock      ${clock}`,
    ...(hasSeed ? [`Seed       ${sandbox.seed}`] : []),
    '',
    'env   for node --env-file=.env, or for your shell',
    `      MERCHANT_BASE_URL=${url}`,
    `      MERCHANT_API_KEY=${apiKey}`,
    `      MERCHANT_WEBHOOK_SECRET=${webhookSecret}`,
    ...(isSandboxSecret(webhookSecret) ? ['      MERCHANT_SANDBOX=1'] : []),
    'try   npx merchant-invoicing sandbox create 25.00 EUR',
    'stop  Ctrl-C',
  ];
  return `${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

/**
 * Returns the function that writes an event as one line of 80 columns: time, what, order, result. The cause of a
 * refused request stands below it. So does the cause of a refused webhook, unless the previous attempt at the same
 * endpoint had the same cause. The function returns null for an event that another line shows as well.
 */
export function eventWriter(style: Style): (event: SandboxEvent) => string | null {
  const lastCauses = new Map<string, string | null>();
  return (event) => {
    const line = lineOf(event);
    if (line === null) return null;
    const isRepeated = event.kind === 'attempt' && lastCauses.get(event.url) === line.cause;
    if (event.kind === 'attempt') lastCauses.set(event.url, line.cause);
    return `${lineText(isRepeated ? { ...line, cause: null } : line, style)}\n`;
  };
}

/** A line of an event or an action with its time, its mark and its cause. */
export function lineText({ at, grade, text, cause }: Line, style: Style): string {
  const time = at === null ? '' : `${at.slice(11, 19)}  `;
  const mark = grade === null ? ' ' : markOf(grade, style);
  const indent = time.length + 2;
  const first = wrapped(printable(text), indent, `${time}${mark} `).trimEnd();
  return cause === null ? first : `${first}\n${wrapped(printable(cause), indent)}`;
}
