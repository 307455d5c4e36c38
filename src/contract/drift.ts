import type { Issue } from './codecs.ts';
import { Decimal } from './decimal.ts';
import { cameAsNumber } from './scalars.ts';

/**
 * Where a decoded answer departs from the interface in a way that was forgiven: amounts that came as JSON numbers.
 * One entry per member, however many items of a list have it: `items.*.amount`.
 */
export function driftsIn(decoded: unknown): Issue[] {
  const paths = new Set<string>();
  // A stack of our own: what the interface does not name is kept as it came, and may be nested without end.
  const open: { readonly value: unknown; readonly path: string }[] = [{ value: decoded, path: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (typeof value !== 'object' || value === null || value instanceof Date) continue;
    if (value instanceof Decimal) {
      if (cameAsNumber(value)) paths.add(path);
      continue;
    }
    for (const [name, member] of Object.entries(value)) {
      const step = Array.isArray(value) ? '*' : name;
      open.push({ value: member, path: path === '' ? step : `${path}.${step}` });
    }
  }
  return [...paths].sort().map((path) => ({ path, message: 'is a JSON number; the interface says decimal string' }));
}
