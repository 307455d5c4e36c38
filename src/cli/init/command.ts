// The folder `init` is one command: it writes the first files of a project that receives payments.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shellWord } from '../../sandbox/page/deliveries/copies.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS } from '../commands.ts';
import { EXIT, type ExitCode, finding, type Io, misuse } from '../io.ts';
import { meant } from '../meant.ts';
import { styleOf } from '../report.ts';
import { projectFiles } from './files.ts';
import { FRAMEWORKS, type FrameworkName, frameworkOf } from './frameworks.ts';

const FIX = 'npx merchant-invoicing init --help';

/** `init`: writes `.env.example`, a receiver and a test, and says what is next. */
export async function initCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments(COMMANDS.init, args, 'init');
  const { folder } = values;
  const dependencies = dependenciesOf(folder);
  const name = parseFramework(values.framework) ?? frameworkOf(dependencies);
  const isTypeScript = existsSync(join(folder, 'tsconfig.json'));
  const files = projectFiles(name, isTypeScript).map((file) => ({
    ...file,
    isNew: write(folder, file.path, file.text),
  }));
  const [, receiver, test] = files.map(({ path }) => path);
  const steps = [
    ...(dependencies.has('merchant-invoicing') ? [] : ['npm install merchant-invoicing']),
    `node --test ${shellWord(test ?? '')}`,
    FRAMEWORKS[name].next,
    'npx merchant-invoicing sandbox --callback http://127.0.0.1:3000/webhook',
    'npx merchant-invoicing webhooks check http://127.0.0.1:3000/webhook',
  ];
  if (values.json) {
    const written = files.map(({ path, isNew }) => ({ path, written: isNew }));
    io.out(`${JSON.stringify({ framework: name, files: written, next: steps })}\n`);
    return EXIT.fine;
  }
  const style = styleOf(io);
  for (const { path, isNew } of files) {
    io.out(`  ${isNew ? style.good('✓ wrote') : style.warn('! kept ')} ${path}${isNew ? '' : ' (it exists)'}\n`);
  }
  io.out(`\n  ${style.strong(`Next, with ${FRAMEWORKS[name].title}`)}\n`);
  for (const [at, step] of steps.entries()) io.out(`  ${at + 1}. ${step.replaceAll('\n', '\n     ')}\n`);
  io.out(
    `\n  Write your fulfilment into onPaid of ${receiver}. Node reads .env with --env-file, and most frameworks have a loader.\n`,
  );
  return EXIT.fine;
}

function parseFramework(given: string | undefined): FrameworkName | undefined {
  if (given === undefined) return undefined;
  const names = Object.keys(FRAMEWORKS) as FrameworkName[]; // the keys of the table are its names
  const found = names.find((name) => name === given.toLowerCase());
  if (found !== undefined) return found;
  const why = meant(given, names) || `, only ${names.join(', ')}`;
  throw misuse(`there is no framework ${JSON.stringify(given)}${why}`, FIX);
}

/** The packages that the project names. A project without package.json has none. */
function dependenciesOf(folder: string): ReadonlySet<string> {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) {
    if (existsSync(folder)) return new Set();
    throw misuse(`there is no folder ${folder}`, FIX);
  }
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8')) as Readonly<
      Record<string, object>
    >;
    return new Set([...Object.keys(dependencies ?? {}), ...Object.keys(devDependencies ?? {})]);
  } catch {
    throw misuse(`${path} is not JSON`, `npx merchant-invoicing init --framework http`);
  }
}

/** Writes a file that does not exist yet. Returns false for one that does. */
function write(folder: string, path: string, text: string): boolean {
  const target = join(folder, path);
  try {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text, { flag: 'wx' });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // of node:fs
    if (code === 'EEXIST') return false;
    throw finding(`${target} cannot be written: ${message}`, FIX);
  }
}
