import { helpFor } from '../help.ts';
import { EXIT, type ExitCode, type Io, misuse } from '../io.ts';

/** `webhooks check | send | verify`. */
export async function webhooksCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const [action, ...rest] = args;
  switch (action) {
    case 'check':
      return (await import('./check.ts')).webhooksCheck(rest, io);
    case 'send':
      return (await import('./send.ts')).webhooksSend(rest, io);
    case 'verify':
      return (await import('./verify.ts')).webhooksVerify(rest, io);
    case undefined:
      io.err(helpFor(['webhooks']));
      return EXIT.misuse;
    default:
      throw misuse(
        `webhooks has no action ${JSON.stringify(action)}; it has check, send and verify`,
        'merchant-invoicing webhooks check http://127.0.0.1:3000/webhook',
      );
  }
}
