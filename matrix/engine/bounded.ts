import { spawn } from 'node:child_process';

export interface Ended {
  /** Null if the time ended first. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface BoundedOptions {
  readonly cwd: string;
  readonly seconds: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The end of an output is kept, which has the reason of a failure. */
const KEPT = 200_000;

/**
 * Runs a program until it ends or its time does, and then ends all processes that it started. The environment is small, so
 * that no setting of the machine or of `npm run` changes a result.
 */
export async function runBounded(words: readonly string[], { cwd, seconds, env = {} }: BoundedOptions): Promise<Ended> {
  const [program = '', ...rest] = words;
  const child = spawn(program, rest, {
    cwd,
    env: { ...baseEnvironment(), ...env },
    detached: true, // a separate process group, which can be ended as a whole
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout = (stdout + text).slice(-KEPT);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-KEPT);
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child.pid);
  }, seconds * 1_000);
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      stderr += error.message;
      resolve(1);
    });
    child.once('close', (ended) => resolve(isLate ? null : (ended ?? 1)));
  });
  clearTimeout(timer);
  endGroup(child.pid); // what the program left behind
  return { code, stdout, stderr };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // all of its processes have ended
  }
}

/** The parts of the environment that programs need, and the settings of package registries. */
const KEPT_NAMES =
  /^(?:PATH|HOME|TMPDIR|LANG|USER|LOGNAME|NODE_EXTRA_CA_CERTS|(?:https?|no|all)_proxy|npm_config_(?:registry|cache|cafile))$/i;

function baseEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => KEPT_NAMES.test(name));
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ''])),
    NO_COLOR: '1',
    CI: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    MERCHANT_BASE_URL: '',
  };
}
