import { faultFromText } from '../../sandbox/actions.ts';
import { DIALECTS, type Dialect, type SandboxOptions, type SeedFault } from '../../sandbox/index.ts';
import { createRandom, randomSeed } from '../../sandbox/state/random.ts';
import { parseDialect, parsePort, readArguments } from '../arguments.ts';
import { COMMANDS } from '../commands.ts';
import { misuse } from '../io.ts';
import { DEMO_INVOICES } from './demo-invoices.ts';

const HELP = 'npx merchant-invoicing sandbox --help';

/** The flags of `sandbox`, parsed. */
export interface SandboxFlags {
  readonly options: SandboxOptions;
  readonly port: number;
  readonly host: string;
  /** Host names under which it can be reached, and to which it delivers webhooks. */
  readonly allowedHosts: readonly string[];
  readonly stateFile: string | null;
  readonly json: boolean;
  /** With `json`: also prints every event. */
  readonly events: boolean;
}

export function parseSandboxFlags(args: readonly string[]): SandboxFlags {
  const { values } = readArguments(COMMANDS.sandbox, args, 'sandbox');
  if (values.state === '')
    throw misuse('--state needs the name of a file', 'npx merchant-invoicing sandbox --state sandbox.json');
  // A shuffled run can be repeated only with its seed, so the seed is chosen here and shown.
  const seed = parseSeed(values.seed) ?? (values['shuffle-unknowns'] ? randomSeed() : undefined);
  const dialect = {
    ...(values['shuffle-unknowns'] ? randomDialect(createRandom(`dialect ${seed}`).next) : {}),
    ...parseDialect(values.dialect),
  };
  return {
    port: parsePort(values.port, HELP),
    host: values.host,
    allowedHosts: values['allow-host'],
    stateFile: values.state ?? null,
    json: values.json,
    events: values.events,
    options: {
      clock: values.frozen ? 'virtual' : 'real',
      dialect,
      faults: values.fault.map((flag) => parseFault(flag, seed)),
      seed,
      merchantName: values.merchant,
      apiKey: values.key,
      webhookSecret: values.secret,
      defaults: { callback_url: values.callback },
      url: values['public-url'],
      seedData: { invoices: values.demo ? DEMO_INVOICES : [] },
      deliverTo: values['allow-host'],
    },
  };
}

function parseSeed(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** One value of each dialect at random. */
function randomDialect(next: () => number): Partial<Dialect> {
  const chosen = Object.entries(DIALECTS).map(([name, { values }]) => [
    name,
    values[Math.floor(next() * values.length)],
  ]);
  return Object.fromEntries(chosen) as Partial<Dialect>; // each name has a value of its list
}

/** A fault as `--fault` writes it. Its chances come from the seed of the run. The sandbox checks it. */
function parseFault(flag: string, seed: number | string | undefined): SeedFault {
  const fault = faultFromText(flag) as SeedFault; // an unknown type is refused by the sandbox
  return fault.rate === undefined ? fault : { ...fault, seed: `${seed ?? 1} ${flag}` };
}
