import { printable } from '../../printable.ts';
import { describeEvent, type SandboxEvent } from '../../sandbox/index.ts';
import { excerpt, type Paint, type Style } from '../style.ts';

/** What a terminal shows of an event: its line, and what a receiver that refused had to say. */
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
