/** What a room of `src` may import besides itself. A slash at the end of a name stands for a folder. */
export interface Room {
  /** A folder, or a single file of `src`. */
  readonly holds: string;
  readonly may: readonly string[];
  /** Where an `import type` may go besides. */
  readonly mayType?: readonly string[];
}

/** Free of every room: whoever needs them takes them. A file of `src` that no row names is one of these. */
const GROUND = ['errors/', '(ground)'];
const CALL = ['transport/', 'contract/', 'options.ts', ...GROUND];

/** The import rules of the house, the closer match first. docs/architecture.md tells them. */
export const ROOMS: readonly Room[] = [
  { holds: 'contract/', may: [] },
  { holds: 'errors/', may: ['(ground)'], mayType: ['contract/'] },
  { holds: 'transport/', may: ['contract/', 'options.ts', ...GROUND] },
  { holds: 'resources/webhooks.ts', may: ['resources/', 'webhooks/', ...CALL] },
  { holds: 'resources/', may: CALL },
  { holds: 'options.ts', may: [...CALL, 'webhooks/'] },
  { holds: 'client.ts', may: [...CALL, 'resources/', 'webhooks/'] },
  {
    holds: 'index.ts',
    may: ['client.ts', 'contract/', ...GROUND],
    mayType: [...CALL, 'resources/', 'webhooks/'],
  },
  { holds: 'webhooks/', may: ['contract/', ...GROUND], mayType: ['client.ts', 'resources/', ...CALL] },
  { holds: 'reconcile/', may: ['webhooks/', 'contract/', ...GROUND], mayType: ['client.ts', 'resources/', ...CALL] },
  { holds: 'sandbox/', may: ['contract/', 'webhooks/', ...GROUND] },
  { holds: 'msw.ts', may: ['sandbox/', 'contract/', ...GROUND] },
  { holds: 'storm/', may: ['sandbox/', 'reconcile/', 'webhooks/', 'contract/', ...GROUND] },
  { holds: 'testing/', may: ['webhooks/', 'contract/', ...GROUND] },
  {
    holds: 'cli/',
    may: ['sandbox/', 'webhooks/', 'reconcile/', 'contract/', ...GROUND],
    mayType: ['index.ts', 'client.ts', ...CALL],
  },
  { holds: '(ground)', may: ['errors/', 'contract/values/'], mayType: ['contract/'] },
];

/** Packages, and the only places that may import them. */
export const PACKAGES: Readonly<Record<string, RegExp>> = {
  ky: /^(?:transport\/|client\.ts$)/,
  zod: /^contract\//,
  'decimal.js': /^contract\//,
  msw: /^msw\.ts$/,
  'csv-parse': /^cli\/reconcile\//,
};

/** Node built-ins outside of the command line: loaded at their first use, and in these places alone. */
export const BUILTINS: Readonly<Record<string, RegExp>> = {
  'node:crypto': /^webhooks\//,
  'node:http': /^sandbox\//,
};

/** What must not load together with an entry, however long the way. Imports that come later count for `even`. */
export const LIGHT: readonly { readonly entry: string; readonly without: RegExp; readonly even?: 'lazy' }[] = [
  { entry: 'index.ts', without: /^sandbox\/|^node:/ },
  { entry: 'webhooks/index.ts', without: /^ky$|^zod|^(?:client\.ts|transport\/|resources\/|sandbox\/)/, even: 'lazy' },
  { entry: 'reconcile/index.ts', without: /^ky$|^zod|^(?:client\.ts|transport\/|resources\/|sandbox\/)/, even: 'lazy' },
  { entry: 'sandbox/index.ts', without: /^ky$|^(?:client\.ts|transport\/|resources\/)/, even: 'lazy' },
  { entry: 'storm/index.ts', without: /^ky$|^(?:client\.ts|transport\/|resources\/)/, even: 'lazy' },
  { entry: 'testing/index.ts', without: /^ky$|^zod|^client\.ts|^sandbox\/(?:sandbox\.ts|service|http|page)/ },
];
