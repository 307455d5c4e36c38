import type { Import, ImportKind, SourceFile } from './source-graph.ts';

// The import rules of the house, over a graph of sources. Each violation is one line that names file and rule.

/** What any room but the contract may use: free of everything else. */
export const EVERYWHERE: readonly string[] = ['checks.ts', 'callbacks.ts', 'printable.ts', 'errors/'];

/** What reads a dialect file. */
const DIALECT_FILE = 'dialect-file/';

/** What carries a call, from the resource to the transport. */
const CLIENT_PARTS = ['call/', 'client-options.ts', 'client-parts.ts', 'version.ts'];

export interface Room {
  /** A folder, with a slash at its end, or a single file of `src`. */
  readonly holds: string;
  /** What the room is for: printed in docs/architecture.md. */
  readonly purpose: string;
  /** Where a run-time import may go besides the room itself. A slash at the end stands for a folder. */
  readonly may: readonly string[];
  /** Where an `import type` may go besides. */
  readonly mayType?: readonly string[];
}

/** What every room of the sandbox may use. */
const SANDBOX_GROUND = ['sandbox/wire-types.ts', 'sandbox/option-checks.ts', 'contract/', ...EVERYWHERE];
const SANDBOX_PARTS = ['sandbox/world.ts', 'sandbox/dialect/', 'sandbox/state/'];

/** The rooms of the sandbox, from its ground to its top. None of them imports a later one. */
const SANDBOX_ROOMS: readonly Room[] = [
  {
    holds: 'sandbox/wire-types.ts',
    purpose: 'Resources and deliveries as the sandbox gives them to its user.',
    may: [],
    mayType: ['contract/', 'sandbox/state/faults.ts'],
  },
  { holds: 'sandbox/option-checks.ts', purpose: 'Checks of options and durations.', may: EVERYWHERE },
  {
    holds: 'sandbox/dialect/',
    purpose: 'The points that the interface leaves open, and the forms of values on the wire.',
    may: SANDBOX_GROUND,
  },
  {
    holds: 'sandbox/state/',
    purpose: 'The data of a sandbox: clock, records, log, faults, random ids. It knows no rules of the business.',
    may: SANDBOX_GROUND,
  },
  {
    holds: 'sandbox/options.ts',
    purpose: 'The options of `createSandbox`.',
    may: [],
    mayType: [DIALECT_FILE, 'sandbox/state/', 'sandbox/dialect/', ...SANDBOX_GROUND],
  },
  {
    holds: 'sandbox/settings.ts',
    purpose: 'The options, checked and completed.',
    may: [DIALECT_FILE, 'sandbox/options.ts', 'sandbox/state/', 'sandbox/dialect/', ...SANDBOX_GROUND],
  },
  {
    holds: 'sandbox/world.ts',
    purpose: 'The parts of one sandbox: settings, clock, records, log. The rooms below receive it.',
    may: ['sandbox/settings.ts', 'sandbox/state/', ...SANDBOX_GROUND],
  },
  {
    holds: 'sandbox/business/',
    purpose: 'The moves of an invoice: amounts, methods, rates, expiry, payment.',
    may: [...SANDBOX_PARTS, ...SANDBOX_GROUND],
  },
  {
    holds: 'sandbox/delivery/',
    purpose: 'Webhooks: payload, signature, attempts, retries, and the cause of a refusal.',
    may: [
      'webhooks/verify/signature.ts',
      'webhooks/verify/hmac.ts',
      DIALECT_FILE,
      'sandbox/settings.ts',
      ...SANDBOX_PARTS,
      ...SANDBOX_GROUND,
    ],
    mayType: ['webhooks/'],
  },
  {
    holds: 'sandbox/service/',
    purpose: 'The endpoints: routes, checks of requests, handlers and answers.',
    may: ['sandbox/delivery/', 'sandbox/business/', ...SANDBOX_PARTS, ...SANDBOX_GROUND],
  },
  {
    holds: 'sandbox/http/',
    purpose: 'The two ways in: an HTTP server, and a `fetch` without a port.',
    may: ['sandbox/service/', ...SANDBOX_PARTS, ...SANDBOX_GROUND],
  },
  {
    holds: 'sandbox/page/',
    purpose: 'The payment page and the dashboard.',
    may: ['sandbox/service/', 'sandbox/delivery/', 'sandbox/business/', ...SANDBOX_PARTS, ...SANDBOX_GROUND],
    mayType: ['sandbox/api.ts'],
  },
  {
    holds: 'sandbox/',
    purpose: 'The service, played locally. `start.ts` makes its parts and `sandbox.ts` connects them.',
    may: [DIALECT_FILE, 'contract/', 'webhooks/verify/signature.ts', 'webhooks/verify/hmac.ts', ...EVERYWHERE],
    mayType: ['webhooks/'],
  },
];

/** The rooms, the closer match first. */
export const ROOMS: readonly Room[] = [
  {
    holds: 'contract/',
    purpose:
      'The data on the wire, declared once for both directions: types, codecs, endpoints. The only folder that imports zod.',
    may: [],
  },
  { holds: 'checks.ts', purpose: 'Checks of options, for every room but the contract.', may: ['errors/'] },
  { holds: 'callbacks.ts', purpose: 'Calls to functions of the merchant that only observe.', may: [] },
  { holds: 'printable.ts', purpose: 'Text from outside, with control characters escaped.', may: [] },
  {
    holds: 'plain.ts',
    purpose: 'Results as data without classes.',
    may: ['contract/values/decimal.ts', ...EVERYWHERE],
  },
  { holds: 'tracing.ts', purpose: 'The tracing channels, where the platform has them.', may: [] },
  { holds: 'version.ts', purpose: 'The version of the package.', may: [] },
  { holds: 'errors/codes.ts', purpose: 'The codes of errors, in groups.', may: [] },
  {
    holds: 'errors/',
    purpose: 'The error classes, their codes, and the functions that recognise them.',
    may: [],
    mayType: ['contract/types.ts'],
  },
  {
    holds: 'call/',
    purpose: 'One call as its caller sees it: a promise with several views, and the walk over pages.',
    may: ['transport/', 'contract/', ...EVERYWHERE],
  },
  {
    holds: DIALECT_FILE,
    purpose: 'The file that describes one service: its form, and the options that it pins.',
    may: EVERYWHERE,
  },
  {
    holds: 'client-options.ts',
    purpose: 'The types of the options of the client, and the checks of those that a call cannot override.',
    may: [DIALECT_FILE, 'webhooks/verify/secrets.ts', 'transport/', 'contract/', ...EVERYWHERE],
  },
  {
    holds: 'client-parts.ts',
    purpose: 'The parts of a client, and those that a client of `withOptions` shares with it.',
    // The rules of the probe, which a client with a dialect file and onDrift loads later.
    may: [
      DIALECT_FILE,
      'client-options.ts',
      'webhooks/verify/secrets.ts',
      'transport/',
      'probe/strict/departures.ts',
      ...EVERYWHERE,
    ],
  },
  {
    holds: 'transport/',
    purpose:
      'One call over HTTP: options, attempts, retries, answers and failures. `transport.ts` is the only importer of ky.',
    may: ['contract/', 'version.ts', 'tracing.ts', ...EVERYWHERE],
    mayType: [DIALECT_FILE],
  },
  {
    holds: 'resources/webhooks.ts',
    purpose: 'The sub-client for webhooks: deliveries, resending, and the receiver with the secret of the client.',
    may: ['resources/', 'webhooks/', 'transport/', 'contract/', ...CLIENT_PARTS, ...EVERYWHERE],
  },
  {
    holds: 'resources/',
    purpose: 'The sub-clients, one thin object for each.',
    may: ['transport/', 'contract/', ...CLIENT_PARTS, ...EVERYWHERE],
  },
  {
    holds: 'client.ts',
    purpose: 'The client: checks its options, builds one transport and hands it to the sub-clients.',
    may: [DIALECT_FILE, 'resources/', 'transport/', 'contract/', ...CLIENT_PARTS, ...EVERYWHERE],
    mayType: ['webhooks/'],
  },
  {
    holds: 'index.ts',
    purpose: 'The entry `merchant-invoicing`.',
    may: ['client.ts', 'contract/values/decimal.ts', 'plain.ts', ...EVERYWHERE],
    mayType: [DIALECT_FILE, 'contract/', 'resources/', 'transport/', 'webhooks/', ...CLIENT_PARTS],
  },
  {
    holds: 'webhooks/clock.ts',
    purpose: 'The clock of a receiver or a store, from its option.',
    may: EVERYWHERE,
  },
  {
    holds: 'webhooks/event/',
    purpose:
      'The events: their types, and the decoder of their payloads. It takes from the contract only what is free of zod.',
    may: ['contract/', ...EVERYWHERE],
  },
  {
    holds: 'webhooks/verify/secrets.ts',
    purpose: 'The rule for webhook secrets, which the client uses as well.',
    may: EVERYWHERE,
    mayType: ['webhooks/verify/'],
  },
  {
    holds: 'webhooks/verify/',
    purpose: 'The signature, the timestamp and the headers of a delivery, and `signWebhook`.',
    may: [DIALECT_FILE, 'webhooks/event/', 'webhooks/clock.ts', 'contract/', ...EVERYWHERE],
  },
  {
    holds: 'webhooks/stores/',
    purpose: 'The stores that remember which events are done.',
    may: ['webhooks/clock.ts', ...EVERYWHERE],
  },
  {
    holds: 'webhooks/conformance/',
    purpose: 'The checks that any store must pass.',
    may: EVERYWHERE,
    mayType: ['webhooks/stores/'],
  },
  {
    holds: 'webhooks/handle/',
    purpose: 'One request, and one event, through the store and the function of the merchant.',
    may: ['webhooks/verify/', 'webhooks/event/', 'contract/', 'tracing.ts', ...EVERYWHERE],
    mayType: ['webhooks/stores/'],
  },
  {
    holds: 'webhooks/catch-up/',
    purpose: 'The events of an outage, played from the list of invoices.',
    may: ['webhooks/handle/', 'webhooks/event/', 'contract/', ...EVERYWHERE],
    mayType: ['webhooks/stores/', 'resources/'],
  },
  {
    holds: 'webhooks/handler.ts',
    purpose: 'The webhook handler: requests and catch-up over one set of options.',
    may: ['webhooks/handle/', 'webhooks/catch-up/', 'webhooks/verify/', ...EVERYWHERE],
  },
  {
    holds: 'webhooks/adapters/',
    purpose: 'The handler for fetch, Node and Lambda.',
    may: ['webhooks/handle/', 'webhooks/verify/', 'webhooks/event/', 'contract/json.ts', ...EVERYWHERE],
    mayType: ['webhooks/handler.ts'],
  },
  {
    holds: 'webhooks/',
    purpose: 'The receiver of webhooks: the entry `merchant-invoicing/webhooks`.',
    may: ['contract/', 'plain.ts', ...EVERYWHERE],
    mayType: [DIALECT_FILE, 'client.ts', 'resources/', ...CLIENT_PARTS],
  },
  ...SANDBOX_ROOMS,
  {
    holds: 'reconcile/',
    purpose: 'The orders of a shop against the invoices of the service: the entry `merchant-invoicing/reconcile`.',
    may: ['webhooks/catch-up/invoice-event.ts', 'webhooks/clock.ts', 'contract/', ...EVERYWHERE],
    mayType: ['resources/'],
  },
  {
    holds: 'msw.ts',
    purpose: 'The entry `merchant-invoicing/msw`: the sandbox behind msw.',
    may: ['sandbox/', 'contract/values/hosts.ts', ...EVERYWHERE],
  },
  {
    holds: 'probe/',
    purpose: 'The questions to a service, and the rules that infer its dialect from the answers.',
    may: [DIALECT_FILE, 'sandbox/dialect/', 'contract/', 'version.ts', ...EVERYWHERE],
  },
  {
    holds: 'testing/',
    purpose:
      'The entry `merchant-invoicing/testing`: fakes, signed requests, matchers. It loads neither the client nor a decoder of zod.',
    may: [
      'call/',
      'transport/arguments.ts',
      'transport/failure.ts',
      'transport/retry.ts',
      'webhooks/event/',
      'webhooks/verify/signature.ts',
      'webhooks/conformance/',
      'sandbox/business/money.ts',
      'sandbox/state/seed-data.ts',
      'contract/',
      'plain.ts',
      ...EVERYWHERE,
    ],
    mayType: ['transport/', 'sandbox/wire-types.ts'],
  },
  {
    holds: 'cli/',
    purpose: 'The command line. Each command loads what it needs when it runs.',
    may: ['probe/', DIALECT_FILE, 'sandbox/', 'webhooks/', 'reconcile/', 'contract/', 'version.ts', ...EVERYWHERE],
    mayType: ['client.ts', ...CLIENT_PARTS],
  },
];

const isIn = (place: string, path: string): boolean => (place.endsWith('/') ? path.startsWith(place) : path === place);
const folder = (name: string) => (path: string) => isIn(`${name}/`, path);

/** Packages, and who may import them at run time. */
const PACKAGES: readonly { readonly name: RegExp; readonly may: (path: string) => boolean }[] = [
  { name: /^ky$/, may: (path) => path === 'transport/transport.ts' },
  { name: /^zod(?:\/|$)/, may: folder('contract') },
  { name: /^decimal\.js$/, may: folder('contract') },
  { name: /^msw(?:\/|$)/, may: (path) => path === 'msw.ts' },
  { name: /^vitest$/, may: (path) => path === 'testing/vitest.ts' },
];

/** Node built-ins that a room may load at their first use. */
const LAZY_BUILTINS: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['webhooks/'],
  'node:http': ['sandbox/'],
  'node:fs': ['reconcile/', DIALECT_FILE],
  'node:os': ['reconcile/'],
  'node:diagnostics_channel': ['tracing.ts'],
};

/** Node built-ins: never at load time outside of the command line, and lazily only where a room needs them. */
function builtinProblem(path: string, { to, kind }: Import): string | null {
  if (folder('cli')(path) || kind === 'type') return null;
  if (kind === 'value') return `${path} loads ${to} with itself: node built-ins are loaded where they are used`;
  const rooms = LAZY_BUILTINS[to] ?? [];
  if (rooms.some((room) => isIn(room, path))) return null;
  return `${path} loads ${to}: ${rooms.length === 0 ? 'no room' : `only ${rooms.join(', ')}`} may`;
}

function isWithin(to: string, places: readonly string[]): boolean {
  return places.some((place) => isIn(place, to));
}

function importProblem(path: string, edge: Import, known: ReadonlySet<string>): string | null {
  const { to, kind } = edge;
  if (to === '(computed)') return `${path} imports a computed name`;
  if (to.startsWith('node:')) return builtinProblem(path, edge);
  if (!to.endsWith('.ts')) {
    const entry = PACKAGES.find(({ name }) => name.test(to));
    if (entry === undefined) return `${path} imports the package ${to}`;
    return entry.may(path) ? null : `${path} imports ${to}, which is not its business`;
  }
  if (!known.has(to)) return `${path} imports ${to}, which does not exist`;
  const room = ROOMS.find(({ holds }) => isIn(holds, path));
  if (room === undefined) return `${path} belongs to no room`;
  if (folder('cli')(path) && kind === 'lazy') return null; // the command line loads the client when a command needs it
  const may = [room.holds, ...room.may, ...(kind === 'type' ? (room.mayType ?? []) : [])];
  if (isWithin(to, may)) return null;
  return `${path} imports ${to}: ${room.holds} must not${kind === 'type' ? '' : ' at run time'}`;
}

/** Every file that loads together with this one; lazy imports count on request. */
export function loadedWith(
  graph: readonly SourceFile[],
  start: string,
  kinds: readonly ImportKind[] = ['value'],
): ReadonlySet<string> {
  const files = new Map(graph.map((source) => [source.path, source]));
  const reached = new Set([start]);
  for (const path of reached) {
    for (const { to, kind } of files.get(path)?.imports ?? []) if (kinds.includes(kind)) reached.add(to);
  }
  return reached;
}

const FOLDER_LIMIT = 16;

function folderProblems(graph: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of graph) {
    const name = path.slice(0, path.lastIndexOf('/') + 1);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > FOLDER_LIMIT)
    .map(([name, count]) => `${name || 'src/'} has ${count} files, more than ${FOLDER_LIMIT}`);
}

/** Imports of types count: whoever reads one file of a circle must read all of them. */
function cycleProblems(graph: readonly SourceFile[]): string[] {
  const kinds: readonly ImportKind[] = ['value', 'type'];
  return graph
    .filter(({ path, imports }) =>
      imports.some(({ to, kind }) => kinds.includes(kind) && (to === path || loadedWith(graph, to, kinds).has(path))),
    )
    .map(({ path }) => `${path} imports itself in a circle`);
}

/** webhooks, testing and reconcile must stay light, so what they take from contract may not load zod, however deep. */
function weightProblems(graph: readonly SourceFile[]): string[] {
  return graph
    .filter(({ path }) => folder('webhooks')(path) || folder('testing')(path) || folder('reconcile')(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ to, kind }) => kind !== 'type' && folder('contract')(to))
        .filter(({ to }) => [...loadedWith(graph, to, ['value', 'lazy'])].some((name) => /^zod(?:\/|$)/.test(name)))
        .map(({ to }) => `${path} imports ${to}, which loads zod`),
    );
}

const VAGUE = /(?:^|[-/])(?:utils?|helpers?|common|managers?|base|misc|shared|stuff)(?=[-./]|$)/;
const LINES_MAX = 250;

function formProblems({ path, lines }: SourceFile): string[] {
  return [
    ...(VAGUE.test(path) ? [`${path} has a name that says nothing`] : []),
    ...(lines > LINES_MAX ? [`${path} has ${lines} lines, more than ${LINES_MAX}`] : []),
  ];
}

/** Everything in the graph that is against the rules, one line each. */
export function violations(graph: readonly SourceFile[]): string[] {
  const known = new Set(graph.map(({ path }) => path));
  return [
    ...graph.flatMap(({ path, imports }) => imports.flatMap((edge) => importProblem(path, edge, known) ?? [])),
    ...cycleProblems(graph),
    ...weightProblems(graph),
    ...folderProblems(graph),
    ...graph.flatMap(formProblems),
  ];
}
