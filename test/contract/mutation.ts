import type { Check, Issue } from '../../src/contract/values/check.ts';

/** What a decoded value must be. Throws with the issues, so that a failing test shows them. */
export function decoded<T>(check: Check<T>, wire: unknown): T {
  const result = check(wire);
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.issues)}`);
  return result.value;
}

/** The issues of a value that must be refused. */
export function refused(check: Check<unknown>, wire: unknown): readonly Issue[] {
  const result = check(wire);
  if (result.ok) throw new Error('accepted, but must be refused');
  return result.issues;
}

type Tree = Record<string, unknown>;

function parentOf(root: unknown, path: string): { parent: Tree; name: string } {
  const steps = path.split('.');
  const name = steps.pop() ?? '';
  let parent = root as Tree; // fixtures are trees of plain objects, and each path is typed by hand beside them
  for (const step of steps) parent = parent[step] as Tree;
  if (!Object.hasOwn(parent, name)) throw new Error(`the fixture has no ${path}`);
  return { parent, name };
}

/** The fixture with one member left out. */
export function without(fixture: unknown, path: string): unknown {
  const copy = structuredClone(fixture);
  const { parent, name } = parentOf(copy, path);
  delete parent[name];
  return copy;
}

/** The fixture with one member changed. */
export function changed(fixture: unknown, path: string, value: unknown): unknown {
  const copy = structuredClone(fixture);
  const { parent, name } = parentOf(copy, path);
  parent[name] = value;
  return copy;
}
