import { runAction } from '../../sandbox/actions.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { type Io, type Keyboard, messageOf } from '../io.ts';

const HELP = `
  a   clock + 1 minute      A   clock + 1 hour      f   freeze the clock, or let it run
  n   send waiting webhooks now                     r   reset: back to the beginning
  o   open the dashboard                            q   stop, as Ctrl-C

`;

interface KeyTargets {
  readonly io: Pick<Io, 'out' | 'open'>;
  readonly sandbox: Sandbox;
  readonly changed: () => void;
  readonly stop: () => void;
}

/** Performs the action of each pressed key. Returns a function that stops listening. */
export function listenToKeys(keyboard: Keyboard, { io, sandbox, changed, stop }: KeyTargets): () => void {
  const say = (text: string): void => io.out(`  ${text}\n`);
  const act = async (name: string, fields: Readonly<Record<string, string>> = {}): Promise<void> =>
    say((await runAction(sandbox, name, fields)).text);
  let isArmed = false; // after a first press of r: the second one resets

  const actions: Readonly<Record<string, (isSecond: boolean) => unknown>> = {
    a: () => act('advance', { duration: '1m' }),
    A: () => act('advance', { duration: '1h' }),
    f: () => act(sandbox.frozen ? 'unfreeze' : 'freeze'),
    r(isSecond) {
      const count = sandbox.invoices().length;
      if (count === 0 || isSecond) return act('reset');
      isArmed = true;
      say(`r again removes ${count} ${count === 1 ? 'invoice' : 'invoices'}, any other key keeps them`);
    },
    async n() {
      const waiting = sandbox.deliveries().filter(({ next_retry_at }) => next_retry_at !== null);
      if (waiting.length === 0) say('no webhook is waiting');
      await Promise.all(waiting.map(({ invoice_uuid }) => sandbox.resend(invoice_uuid)));
    },
    o: () => io.open(`${sandbox.url}/`),
    '?': () => io.out(HELP),
    q: stop,
    '\u0003': stop,
    '\u0004': stop,
  };
  const press = async (key: string): Promise<void> => {
    const isSecond = isArmed;
    isArmed = false;
    if (!Object.hasOwn(actions, key)) return;
    try {
      await actions[key]?.(isSecond);
      changed();
    } catch (error) {
      say(messageOf(error));
    }
  };
  return keyboard.listen((key) => void press(key));
}
