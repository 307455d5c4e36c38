import { isSandboxSecret } from '../../environment.ts';
import { printable } from '../../printable.ts';
import type { Sandbox, SandboxEvent } from '../../sandbox/index.ts';
import { describeEvent } from '../../sandbox/state/log.ts';
import { excerpt, type Paint, type Style } from '../report.ts';

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
    `${style.strong(style.warn('SANDBOX'))}  nothing here is real money, nothing leaves this machine`,
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
    `try   curl -s -H 'X-Api-Key: ${apiKey}' ${url}/api/v1/external/payment-methods`,
    hasKeys ? 'stop  Ctrl-C     reset  r     open dashboard  o     retry webhooks now  n     help  ?' : 'stop  Ctrl-C',
  ];
  return `${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

/** An event as a terminal shows it, with the answer of a receiver that refused a delivery. */
export function eventLines(event: SandboxEvent, style: Style): string {
  const line = paintOf(event, style)(describeEvent(event).split('\n').map(printable).join('\n'));
  if (event.kind !== 'attempt' || event.success || !event.response_body) return `${line}\n`;
  return `${line}\n${style.soft(`          it said: ${excerpt(event.response_body)}`)}\n`;
}

function paintOf(event: SandboxEvent, style: Style): Paint {
  switch (event.kind) {
    case 'request':
      return event.status !== null && event.status < 400 ? style.soft : style.warn;
    case 'invoice':
      return style.strong;
    case 'attempt':
      return event.success ? style.good : style.bad;
    case 'note':
      return style.warn;
  }
}
