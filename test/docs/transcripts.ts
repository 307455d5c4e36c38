import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { blocksOf } from './blocks.ts';
import { isPrinted } from './modules.ts';
import type { Project } from './project.ts';
import { begin, openSurroundings } from './run.ts';

/** A `console` block: commands, each with what the page says that it prints. */
export interface Transcript {
  readonly page: string;
  readonly line: number;
  readonly steps: readonly { readonly command: string; readonly prints: string[] }[];
}

export function transcriptsOf(page: string, text: string): Transcript[] {
  return blocksOf(page, text)
    .filter(({ language }) => language === 'console')
    .map(({ line, code }) => {
      const steps: { command: string; prints: string[] }[] = [];
      for (const each of code.split('\n')) {
        if (each.startsWith('$ ')) steps.push({ command: each.slice(2), prints: [] });
        else if (steps.length > 0) steps.at(-1)?.prints.push(each);
        else throw new Error(`${page}:${line}: output without a command`);
      }
      return { page, line, steps };
    });
}

/** Runs the commands of a transcript in the folder of its page, beside one sandbox, and returns what each printed. */
export async function replay(project: Project, { page, steps }: Transcript): Promise<string[]> {
  const surroundings = await openSurroundings();
  const shown = (text: string) => surroundings.shown(text).replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:4010');
  const PATH = `${programs(project)}${delimiter}${surroundings.env['PATH']}`;
  const PAGE = project.folderOf(page);
  mkdirSync(PAGE, { recursive: true });
  const outputs: string[] = [];
  try {
    for (const { command, prints } of steps) {
      const stays = /\bsandbox(?: -.*)?$/.test(command); // a sandbox ends once it has printed what the page shows
      const script = `cd "$PAGE"; ${stays ? 'exec ' : ''}${command}`;
      const program = begin('bash', ['-c', script], project.empty(), { ...surroundings.env, PATH, PAGE });
      while (stays && program.isRunning() && !isPrinted(prints, shown(program.output()))) await pause(50);
      if (stays) program.stop();
      await program.ended();
      outputs.push(shown(program.output()));
    }
    return outputs;
  } finally {
    await surroundings.close();
  }
}

/** A folder with an `npx` that knows this package only. A sandbox takes any port, and its actions find that of the page. */
function programs(project: Project): string {
  const folder = join(project.folder, 'programs');
  mkdirSync(folder, { recursive: true });
  const main = join(project.folder, 'node_modules/merchant-invoicing/dist/cli/main.js');
  const script = `#!/usr/bin/env bash
shift
case "$1 $2" in
  'sandbox ' | 'sandbox -'*) exec node ${main} "$@" --port 0 ;;
  'sandbox '*) exec node ${main} "$@" --url "$MERCHANT_BASE_URL" ;;
  *) exec node ${main} "$@" ;;
esac
`;
  writeFileSync(join(folder, 'npx'), script);
  chmodSync(join(folder, 'npx'), 0o755);
  return `${folder}${delimiter}${dirname(process.execPath)}`;
}
