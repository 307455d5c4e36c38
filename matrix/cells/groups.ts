import type { Group } from '../engine/cell.ts';
import { bundlers } from './bundlers.ts';
import { frameworks } from './frameworks.ts';
import { installers } from './installers.ts';
import { lowest } from './lowest.ts';
import { nodes } from './nodes.ts';
import { runtimes } from './runtimes.ts';
import { stores } from './stores.ts';
import { testRunners } from './test-runners.ts';
import { typescript } from './typescript.ts';

/** All groups, in the order in which they run. */
export const GROUPS: readonly Group[] = [
  nodes,
  testRunners,
  runtimes,
  typescript,
  bundlers,
  frameworks,
  stores,
  installers,
  lowest,
];
