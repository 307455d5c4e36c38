import type { SandboxOptions } from '../../sandbox/index.ts';
import { createRandom, randomSeed } from '../../sandbox/state/random.ts';
import { portFrom, readArguments } from '../arguments.ts';
import { dialectFromFlags, shuffledDialect } from '../dialect-flags.ts';
import { misuse } from '../io.ts';
import { faultsFromFlags } from './fault-flags.ts';
import { SEED_INVOICES } from './seed-invoices.ts';

export const DEFAULT_PORT = 4010;
const MEND = 'merchant-invoicing sandbox --help';

/** What the flags of `sandbox` ask for. */
export interface SandboxFlags {
  readonly options: SandboxOptions;
  readonly port: number;
  readonly host: string;
  /** Names under which it may be reached, and to which webhooks may go. */
  readonly allowedHosts: readonly string[];
  readonly stateFile: string | null;
  readonly json: boolean;
  /** With `json`: every event, too. */
  readonly events: boolean;
}

export function sandboxFlags(args: readonly string[]): SandboxFlags {
  const { values, positionals } = readArguments(
    args,
    {
      port: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      'allow-host': { type: 'string', multiple: true, default: [] },
      'public-url': { type: 'string' },
      seed: { type: 'string' },
      frozen: { type: 'boolean', default: false },
      state: { type: 'string' },
      empty: { type: 'boolean', default: false },
      callback: { type: 'string' },
      dialect: { type: 'string', multiple: true, default: [] },
      'shuffle-unknowns': { type: 'boolean', default: false },
      fault: { type: 'string', multiple: true, default: [] },
      'no-magic': { type: 'boolean', default: false },
      key: { type: 'string' },
      secret: { type: 'string' },
      events: { type: 'boolean', default: false },
    },
    'sandbox',
  );
  const [extra] = positionals;
  if (extra !== undefined) throw misuse(`sandbox has no action ${JSON.stringify(extra)}`, MEND);
  if (values.state === '')
    throw misuse('--state needs the name of a file', 'merchant-invoicing sandbox --state sandbox.json');
  // A shuffled run can be repeated only when its seed is known, so it is chosen here and shown.
  const seed = seedFrom(values.seed) ?? (values['shuffle-unknowns'] ? randomSeed() : undefined);
  const dialect = {
    ...(values['shuffle-unknowns'] ? shuffledDialect(createRandom(`dialect ${seed}`).next) : {}),
    ...dialectFromFlags(values.dialect, MEND),
  };
  return {
    port: values.port === undefined ? DEFAULT_PORT : portFrom(values.port, MEND),
    host: values.host,
    allowedHosts: values['allow-host'],
    stateFile: values.state ?? null,
    json: values.json === true,
    events: values.events,
    options: {
      clock: values.frozen ? 'virtual' : 'real',
      magicOutcomes: !values['no-magic'],
      dialect,
      faults: faultsFromFlags(values.fault, seed, MEND),
      ...(seed === undefined ? {} : { seed }),
      ...(values.key === undefined ? {} : { apiKey: values.key }),
      ...(values.secret === undefined ? {} : { webhookSecret: values.secret }),
      ...(values.callback === undefined ? {} : { defaults: { callback_url: values.callback } }),
      ...(values['public-url'] === undefined ? {} : { url: values['public-url'] }),
      ...(values.empty ? {} : { seedData: { invoices: SEED_INVOICES } }),
      deliverTo: values['allow-host'],
    },
  };
}

function seedFrom(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
}
