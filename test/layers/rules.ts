/** What a room of `src` may import besides itself. A slash at the end of a name stands for a folder. */
export interface Room {
  /** A folder, or a single file of `src`. */
  readonly holds: string;
  readonly may: readonly string[];
  /** Where an `import type` may go besides. */
  readonly mayType?: readonly string[];
}

const CALL = ['transport/', 'contract/', 'options.ts', 'errors/'];
/** What the tools may take of the rooms above them. */
const SHOP = [
  'webhooks/',
  'contract/',
  'errors/',
  'tools/html.ts',
  'tools/shell.ts',
  'tools/story.ts',
  'tools/style.ts',
];

/** The import rules of the house, the closer match first. docs/architecture.md tells them. */
export const ROOMS: readonly Room[] = [
  { holds: 'contract/', may: [] },
  { holds: 'errors/', may: ['contract/json.ts'], mayType: ['contract/'] },
  { holds: 'transport/', may: ['contract/', 'errors/'] },
  { holds: 'lookup/', may: ['contract/', 'errors/'] },
  { holds: 'resources/', may: ['lookup/', ...CALL] },
  { holds: 'options.ts', may: CALL },
  { holds: 'client.ts', may: [...CALL, 'resources/'] },
  {
    holds: 'index.ts',
    may: ['client.ts', 'contract/', 'errors/', 'resources/minor-units.ts', 'resources/order-of.ts'],
    mayType: [...CALL, 'resources/', 'webhooks/'],
  },
  { holds: 'webhooks/', may: ['lookup/', 'contract/', 'errors/'], mayType: ['client.ts', 'resources/', ...CALL] },
  {
    holds: 'reconcile/',
    may: ['lookup/', 'webhooks/', 'contract/', 'errors/'],
    mayType: ['client.ts', 'resources/', ...CALL],
  },
  { holds: 'tools/sandbox/', may: SHOP },
  { holds: 'tools/msw.ts', may: ['tools/sandbox/', 'contract/', 'errors/'] },
  { holds: 'tools/storm/', may: ['tools/sandbox/', 'reconcile/', ...SHOP] },
  { holds: 'tools/testing/', may: ['transport/', 'webhooks/', 'contract/', 'errors/'] },
  {
    holds: 'tools/cli/',
    may: ['tools/sandbox/', 'reconcile/', ...SHOP],
    mayType: ['index.ts', 'client.ts', ...CALL],
  },
  { holds: 'tools/story.ts', may: ['contract/'] },
  { holds: 'tools/html.ts', may: [] },
  { holds: 'tools/shell.ts', may: [] },
  { holds: 'tools/style.ts', may: [] },
];

/** Packages, and the only places that may import them. */
export const PACKAGES: Readonly<Record<string, RegExp>> = {
  ky: /^(?:transport\/|client\.ts$)/,
  zod: /^contract\//,
  'decimal.js': /^contract\//,
  msw: /^tools\/msw\.ts$/,
  'csv-parse': /^tools\/cli\/reconcile\//,
};

/** Node built-ins outside of the command line: loaded at their first use, and in these places alone. */
export const BUILTINS: Readonly<Record<string, RegExp>> = {
  'node:crypto': /^webhooks\//,
  'node:fs': /^tools\/storm\//,
  'node:http': /^tools\/sandbox\//,
};

/** What must not load together with an entry, however long the way. Imports that come later count for `even`. */
export const LIGHT: readonly { readonly entry: string; readonly without: RegExp; readonly even?: 'lazy' }[] = [
  { entry: 'index.ts', without: /^tools\/|^webhooks\/|^node:/, even: 'lazy' },
  { entry: 'webhooks/index.ts', without: /^ky$|^zod|^(?:client\.ts|transport\/|resources\/|tools\/)/, even: 'lazy' },
  { entry: 'reconcile/index.ts', without: /^ky$|^zod|^(?:client\.ts|transport\/|resources\/|tools\/)/, even: 'lazy' },
  { entry: 'tools/sandbox/index.ts', without: /^ky$|^(?:client\.ts|transport\/|resources\/)/, even: 'lazy' },
  { entry: 'tools/storm/index.ts', without: /^ky$|^(?:client\.ts|transport\/|resources\/)/, even: 'lazy' },
  { entry: 'tools/testing/index.ts', without: /^ky$|^client\.ts|^tools\/(?:sandbox|storm|cli)\// },
];

/** The entries of production as they are built, and the sources that never load with them, however long the way. */
export const PRODUCTION: Readonly<Record<string, RegExp>> = {
  index: /^(?:tools|webhooks)\//,
  webhooks: /^(?:tools|transport|resources)\/|^client\.ts$|^options\.ts$/,
  reconcile: /^(?:tools|transport|resources)\/|^client\.ts$|^options\.ts$/,
};
