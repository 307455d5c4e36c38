import type { Import, ImportKind, SourceFile } from './source-graph.ts';

// The import rules of the house, over a graph of sources. Each violation is one line that names file and rule.

/** The error family, in as many files as it needs: errors.ts, error-codes.ts, … */
const ERRORS = ['error*'];

/** Free of everything: any room but the contract may use them. */
const EVERYWHERE = ['checks.ts', 'printable.ts'];

/** Parts of the client that carry a call: neither the front doors nor the client itself. */
const CLIENT_PARTS = [
  'call.ts',
  'call-options.ts',
  'call-site.ts',
  'client-options.ts',
  'pagination.ts',
  'pagination-gaps.ts',
  'pagination-problems.ts',
  'pagination-tally.ts',
  'pagination-walk.ts',
  'version.ts',
];

interface Zone {
  readonly name: string;
  readonly holds: (path: string) => boolean;
  /** Where a run-time import may go. A slash at the end stands for a folder, a star for any end. */
  readonly may: readonly string[];
  /** Where an `import type` may go besides. */
  readonly mayType: readonly string[];
}

const folder = (name: string) => (path: string) => path.startsWith(`${name}/`);
const file =
  (...names: string[]) =>
  (path: string) =>
    names.includes(path);

const ZONES: readonly Zone[] = [
  { name: 'contract', holds: folder('contract'), may: ['contract/'], mayType: [] },
  { name: 'everywhere', holds: file(...EVERYWHERE), may: EVERYWHERE, mayType: [] },
  { name: 'error codes', holds: file('error-codes.ts'), may: [], mayType: [] },
  { name: 'errors', holds: (path) => /^error[s-]/.test(path), may: ERRORS, mayType: ['contract/types.ts'] },
  {
    name: 'transport',
    holds: folder('transport'),
    may: ['transport/', 'contract/', ...ERRORS, ...EVERYWHERE, 'version.ts'],
    mayType: CLIENT_PARTS,
  },
  {
    name: 'webhooks',
    holds: folder('webhooks'),
    may: ['webhooks/', 'contract/', ...ERRORS, ...EVERYWHERE],
    mayType: ['client.ts', 'resources/', ...CLIENT_PARTS],
  },
  {
    name: 'sandbox',
    holds: folder('sandbox'),
    may: ['sandbox/', 'contract/', 'webhooks/signature.ts', ...ERRORS, ...EVERYWHERE],
    mayType: ['webhooks/'],
  },
  {
    name: 'resources/webhooks',
    holds: file('resources/webhooks.ts'),
    may: ['resources/', 'webhooks/', 'transport/', 'contract/', ...CLIENT_PARTS, ...ERRORS, ...EVERYWHERE],
    mayType: [],
  },
  {
    name: 'resources',
    holds: folder('resources'),
    may: ['resources/', 'transport/', 'contract/', ...CLIENT_PARTS, ...ERRORS, ...EVERYWHERE],
    mayType: [],
  },
  {
    name: 'client parts',
    holds: file(...CLIENT_PARTS),
    may: ['transport/', 'contract/', ...CLIENT_PARTS, ...ERRORS, ...EVERYWHERE],
    mayType: [],
  },
  {
    name: 'client',
    holds: file('client.ts'),
    may: ['resources/', 'transport/', 'contract/', ...CLIENT_PARTS, ...ERRORS, ...EVERYWHERE],
    mayType: ['webhooks/'],
  },
  {
    name: 'index',
    holds: file('index.ts'),
    may: ['client.ts', 'contract/decimal.ts', ...ERRORS, ...EVERYWHERE],
    mayType: ['contract/', 'resources/', 'transport/', 'webhooks/', ...CLIENT_PARTS],
  },
  { name: 'msw', holds: file('msw.ts'), may: ['sandbox/', ...ERRORS, ...EVERYWHERE], mayType: [] },
  {
    name: 'cli',
    holds: folder('cli'),
    may: ['cli/', 'sandbox/', 'webhooks/', 'contract/', 'version.ts', ...ERRORS, ...EVERYWHERE],
    mayType: ['client.ts', ...CLIENT_PARTS],
  },
];

/** Packages, and who may import them at run time. */
const PACKAGES: readonly { readonly name: RegExp; readonly may: (path: string) => boolean }[] = [
  { name: /^ky$/, may: file('transport/transport.ts') },
  { name: /^zod(?:\/|$)/, may: folder('contract') },
  { name: /^decimal\.js$/, may: folder('contract') },
  { name: /^msw(?:\/|$)/, may: file('msw.ts') },
];

/** Node built-ins: never at load time outside of the command line, and lazily only where a room needs them. */
function builtinProblem(path: string, { to, kind }: Import): string | null {
  if (folder('cli')(path) || kind === 'type') return null;
  if (kind === 'value') return `${path} loads ${to} with itself: node built-ins are loaded where they are used`;
  const isAllowed =
    (to === 'node:crypto' && folder('webhooks')(path)) || (to === 'node:http' && folder('sandbox')(path));
  return isAllowed ? null : `${path} loads ${to}: only webhooks may load node:crypto, only sandbox node:http`;
}

function isWithin(to: string, places: readonly string[]): boolean {
  return places.some((place) => (/[/*]$/.test(place) ? to.startsWith(place.replace('*', '')) : to === place));
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
  const zone = ZONES.find(({ holds }) => holds(path));
  if (zone === undefined) return `${path} belongs to no layer`;
  if (folder('cli')(path) && kind === 'lazy') return null; // the command line loads the client when a command needs it
  if (isWithin(to, zone.may) || (kind === 'type' && isWithin(to, zone.mayType))) return null;
  return `${path} imports ${to}: ${zone.name} must not${kind === 'type' ? '' : ' at run time'}`;
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

function cycleProblems(graph: readonly SourceFile[]): string[] {
  const cyclic = graph.filter(({ path, imports }) =>
    imports.some(({ to, kind }) => kind === 'value' && (to === path || loadedWith(graph, to).has(path))),
  );
  return cyclic.map(({ path }) => `${path} imports itself in a circle`);
}

/** webhooks must stay light, so what it takes from contract may not load zod, however deep. */
function weightProblems(graph: readonly SourceFile[]): string[] {
  return graph
    .filter(({ path }) => folder('webhooks')(path))
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
    ...graph.flatMap(formProblems),
  ];
}
