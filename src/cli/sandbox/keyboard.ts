import { isMerchantError } from '../../errors/guards.ts';
import { printable } from '../../printable.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Io, Keyboard } from '../io.ts';

const HELP = `
  a   clock + 1 minute      A   clock + 1 hour      f   freeze the clock, or let it run
  n   try waiting webhooks now                      r   reset: back to the beginning
  o   open the dashboard                            q   stop, as Ctrl-C

`;

/** The targets of the keys. */
export interface KeyTargets {
  readonly io: Pick<Io, 'out' | 'open'>;
  readonly sandbox: Sandbox;
  readonly changed: () => void;
  readonly stop: () => void;
  /** True after a first press of r. The second one resets. */
  readonly armed: { reset: boolean };
}

/** Performs the action of a pressed key. Never rejects. */
export async function onKey(key: string, { io, sandbox, changed, stop, armed }: KeyTargets): Promise<void> {
  const say = (text: string): void => io.out(`  ${text}\n`);
  const isSecond = armed.reset;
  armed.reset = false;
  const clock = (): string => `clock ${sandbox.now().toISOString().slice(0, 19).replace('T', ' ')}`;
  const move = async (duration: string): Promise<void> => {
    await sandbox.advance(duration);
    say(`${clock()}  (+${duration})`);
  };
  const actions: Readonly<Record<string, () => unknown>> = {
    a: () => move('1m'),
    A: () => move('1h'),
    f() {
      if (sandbox.frozen) sandbox.unfreeze();
      else sandbox.freeze();
      say(`${clock()}  ${sandbox.frozen ? 'is frozen (f: let it run)' : 'runs'}`);
    },
    r() {
      const count = sandbox.invoices().length;
      if (count > 0 && !isSecond) {
        armed.reset = true;
        say(`r again removes ${count} ${count === 1 ? 'invoice' : 'invoices'}, any other key keeps them`);
        return;
      }
      sandbox.reset();
      say('reset: back to the beginning');
    },
    n: () => tryNow(sandbox, say),
    o: () => io.open(`${sandbox.url}/`),
    '?': () => io.out(HELP),
    q: stop,
    '\u0003': stop,
    '\u0004': stop,
  };
  const action = Object.hasOwn(actions, key) ? actions[key] : undefined;
  if (action === undefined) return;
  try {
    await action();
    changed();
  } catch (error) {
    say(isMerchantError(error) ? error.message : 'that did not work');
  }
}

/** Asks on a terminal, where only y means yes. */
export function confirmed(question: string, keyboard: Keyboard, out: Io['out']): Promise<boolean> {
  out(`  ${question} y/N `);
  return new Promise((resolve) => {
    const release = keyboard.listen((key) => {
      release();
      out(`${printable(key)}\n`);
      resolve(key === 'y' || key === 'Y');
    });
  });
}

async function tryNow(sandbox: Sandbox, say: (text: string) => void): Promise<void> {
  const waiting = sandbox.deliveries().filter(({ next_retry_at }) => next_retry_at !== null);
  if (waiting.length === 0) say('no webhook is waiting');
  await Promise.all(waiting.map(({ invoice_uuid }) => sandbox.resend(invoice_uuid)));
}
