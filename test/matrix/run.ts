// `npm run test:matrix [-- node jest] [-- --short] [-- --list]`: uses the packed package in many runtimes, tools and versions.
// A word is a part of the names of cells. `--short` links development dependencies and installs nothing.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CELLS, type Cell, LINKS, PROJECTS } from './cells.ts';
import { toCommonJs } from './scenario.ts';

/** A limit against hanging. A busy machine takes ten times as long as an idle one. */
const LIMIT_SECONDS = 600;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
});
const root = resolve(import.meta.dirname, '../..');
const fixtures = join(import.meta.dirname, 'fixtures');
const titleOf = ({ group, name }: Cell): string => `${group}: ${name}`;
const chosen = CELLS.filter((cell) => {
  const title = titleOf(cell).toLowerCase();
  const isNamed = positionals.length === 0 || positionals.some((word) => title.includes(word.toLowerCase()));
  return isNamed && (cell.isShort === true || !values.short);
});

/** Runs a program until it ends or its time does, then ends what it started, and returns its output if it failed. */
async function run(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const [program = '', ...rest] = words;
  const child = spawn(program, rest, {
    cwd,
    env: { ...environment(), ...env },
    detached: true, // a process group of its own, which can be ended as a whole
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const endGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // all of its processes have ended
    }
  };
  const timer = setTimeout(endGroup, LIMIT_SECONDS * 1_000);
  const code = await new Promise<number | null>((end) => {
    child.once('error', (error) => {
      output += error.message;
      end(1);
    });
    child.once('close', end);
  });
  clearTimeout(timer);
  endGroup();
  return code === 0 ? null : `ended with ${code ?? 'its time'}\n${output.slice(-4_000)}`;
}

/** What programs need, and the settings of package registries: no other setting of the machine changes a result. */
function environment(): Record<string, string> {
  const kept =
    /^(?:PATH|HOME|TMPDIR|LANG|USER|NODE_EXTRA_CA_CERTS|(?:https?|no|all)_proxy|npm_config_(?:registry|cache|cafile))$/i;
  const own = Object.entries(process.env).flatMap(([name, value]) => (kept.test(name) ? [[name, value ?? '']] : []));
  return {
    ...Object.fromEntries(own),
    CI: '1',
    NO_COLOR: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
  };
}

function packInto(folder: string): string {
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', words, { cwd: root, encoding: 'utf8' })) as [
    { filename: string },
  ]; // the response of npm pack
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder]);
  return join(folder, filename);
}

/** Makes the folder of a project: its dependencies, the files of the cells, and the unpacked package. */
async function prepare(name: string, folder: string, unpacked: string): Promise<void> {
  const at = join(folder, name);
  const packageJson = (path: string): { dependencies: Record<string, string> } =>
    JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const dependencies = { ...packageJson(unpacked).dependencies, ...PROJECTS[name] };
  cpSync(fixtures, at, { recursive: true });
  writeFileSync(join(at, 'scenario.cjs'), toCommonJs(readFileSync(join(at, 'scenario.mjs'), 'utf8')));
  writeFileSync(
    join(at, 'package.json'),
    JSON.stringify({ private: true, dependencies: values.short ? {} : dependencies }),
  );
  if (values.short) {
    for (const dependency of Object.keys(dependencies)) {
      const [from, to] = [
        join(root, 'node_modules', LINKS[dependency] ?? dependency),
        join(at, 'node_modules', dependency),
      ];
      mkdirSync(dirname(to), { recursive: true });
      if (existsSync(from)) symlinkSync(from, to, 'junction');
    }
  } else {
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
    const failure = await run(['npm', 'install', ...flags], at);
    if (failure !== null) throw new Error(`npm could not install the project ${name}: ${failure}`);
    if ('bun' in dependencies) await run(['npm', 'rebuild', 'bun'], at); // its script puts the program in its place
  }
  cpSync(unpacked, join(at, 'node_modules/merchant-invoicing'), { recursive: true });
}

/** The program of a cell: a Node by its name, or a file of the project. */
function programOf(folder: string, word: string): string {
  if (word === 'node' || (word === 'node24' && values.short)) return process.execPath;
  return /^node\d+$/.test(word) ? join(folder, 'node_modules', word, 'bin/node') : join(folder, word);
}

async function play(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'merchant-invoicing-matrix-'));
  const failed: string[] = [];
  try {
    const tarball = packInto(folder);
    for (const project of new Set(chosen.map((cell) => cell.project))) {
      const cells = chosen.filter((cell) => cell.project === project);
      const broken = await prepare(project, folder, join(folder, 'package')).then(
        () => null,
        (error: unknown) => String(error),
      );
      for (const cell of cells) {
        const at = join(folder, project);
        const [program = '', ...words] = cell.run;
        const began = performance.now();
        const failure =
          broken ?? (await run([programOf(at, program), ...words], at, { MATRIX_TARBALL: tarball, ...cell.env }));
        const seconds = ((performance.now() - began) / 1_000).toFixed(1);
        console.log(`${failure === null ? 'ok  ' : 'FAIL'} ${titleOf(cell)} (${seconds} s)`);
        if (failure !== null) {
          failed.push(titleOf(cell));
          console.log(failure.replace(/^/gm, '     '));
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`\n${chosen.length} cells, ${failed.length} failed${failed.map((title) => `\n- ${title}`).join('')}`);
  return failed.length === 0 ? 0 : 1;
}

if (chosen.length === 0) throw new Error(`no cell is named like ${positionals.join(', ')}. --list prints all cells`);
if (values.list) for (const cell of chosen) console.log(`${titleOf(cell)}${cell.isShort ? ' (short)' : ''}`);
else process.exitCode = await play();
