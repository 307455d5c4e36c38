import type { Sandbox } from '../../sandbox/index.ts';
import { MAGIC_OUTCOMES } from '../../sandbox/index.ts';
import type { Style } from '../style.ts';

/** What stands on the screen when the sandbox listens. */
export function banner(
  sandbox: Sandbox,
  style: Style,
  { keys, magic, seed, stateFile }: { keys: boolean; magic: boolean; seed: boolean; stateFile: string | null },
): string {
  const { url, apiKey, webhookSecret, frozen } = sandbox;
  const width = Math.max(34, url.length + 6);
  const clock = frozen ? 'stands still' : 'real time';
  const lines = [
    `${style.strong(style.warn('SANDBOX'))}  nothing here is real money, nothing leaves this machine`,
    '',
    `API        ${url.padEnd(width)}key     ${apiKey}`,
    `Dashboard  ${`${url}/`.padEnd(width)}secret  ${webhookSecret}`,
    `Clock      ${clock}${keys ? `  (a: +1 min   A: +1 h   f: ${frozen ? 'let it run' : 'freeze'})` : ''}`,
    ...(seed ? [`Seed       ${sandbox.seed}`] : []),
    ...(stateFile === null ? [] : [`State      ${stateFile}`]),
    ...(magic
      ? [`Magic      order ids with ${MAGIC_OUTCOMES.map(({ prefix }) => prefix).join(' ')} end by themselves`]
      : []),
    '',
    `try   curl -s -H 'X-Api-Key: ${apiKey}' ${url}/api/v1/external/payment-methods`,
    keys ? 'stop  Ctrl-C     reset  r     open dashboard  o     retry webhooks now  n     help  ?' : 'stop  Ctrl-C',
  ];
  return `${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}
