import type { SandboxEvent } from '../../sandbox/index.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { jsonLine, styleOf } from '../report.ts';
import { openStream } from './control.ts';
import { eventLines } from './screen.ts';

/** `sandbox events`: prints each event of a running sandbox until Ctrl-C, or until the sandbox stops. */
export async function followEvents(url: string, json: boolean, io: Io): Promise<ExitCode> {
  const style = styleOf(io);
  const show = (event: SandboxEvent): void => io.out(json ? jsonLine(event) : eventLines(event, style));
  const stream = await openStream(url, io.signal);
  if (!json) io.err(`  ${style.soft(`following ${url}, Ctrl-C ends it`)}\n`);
  let rest = '';
  try {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: ')) show(JSON.parse(line.slice(6)) as SandboxEvent); // the stream of a sandbox
    }
  } catch (error) {
    if (!io.signal.aborted && !(error instanceof TypeError)) throw error; // a TypeError is a broken connection
  }
  if (!io.signal.aborted) io.err(`  ${style.warn('the sandbox has stopped')}\n`);
  return EXIT.fine;
}
