import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { AnyRow } from '../rows/row.ts';
import { peerVersions } from './install.ts';
import type { Entry } from './ratios.ts';

/** One measured row. */
export interface Measured extends Pick<AnyRow, 'id' | 'title' | 'measure' | 'baseline' | 'ours' | 'goal' | 'stretch'> {
  readonly mode: 'look' | 'verdict';
  readonly date: string;
  readonly entries: readonly Entry[];
}

/** The contents of `bench/results.json`. It holds no path and no name of a host. */
export interface Results {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  readonly versions: Readonly<Record<string, string>>;
  readonly rows: readonly Measured[];
}

const FILE = new URL('../results.json', import.meta.url);
const DIGITS = 4;

function keptRows(): readonly Measured[] {
  try {
    const kept: Results = JSON.parse(readFileSync(FILE, 'utf8'));
    return kept.rows;
  } catch {
    return []; // the first run
  }
}

/** Writes a row into the file, in the order of the table. The others stay as they were. */
export function writeRow(measured: Measured, order: readonly string[]): void {
  const all = new Map([...keptRows(), measured].map((row) => [row.id, row]));
  const results: Results = {
    machine: { cpu: cpus()[0]?.model.trim() ?? 'unknown', cores: cpus().length, node: process.version },
    versions: peerVersions(),
    rows: order.flatMap((id) => all.get(id) ?? []),
  };
  const short = (_: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
  writeFileSync(FILE, `${JSON.stringify(results, short, 2)}\n`);
}
