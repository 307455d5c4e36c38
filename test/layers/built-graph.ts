import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

/** What a built entry pulls in when it is loaded. */
export interface BuiltGraph {
  /** The chunks of the package itself, the entry first. */
  readonly chunks: readonly string[];
  /** Packages and node built-ins that load with the entry. */
  readonly externals: readonly string[];
  /** The sources whose code the chunks hold, as their source maps say: `src/contract/types.ts`, `node_modules/ky/…`. */
  readonly sources: readonly string[];
}

function loadsOf(path: string, text: string): string[] {
  const names: string[] = [];
  const isRequire = (node: ts.Node) =>
    ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'require';
  const visit = (node: ts.Node): void => {
    // `() => require(…)` loads later: it is what the build makes of `import()` in CommonJS.
    if (ts.isArrowFunction(node) && isRequire(node.body)) return;
    const specifier =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && ts.isIdentifier(node.expression) && /require/i.test(node.expression.text)
          ? node.arguments[0]
          : undefined;
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) names.push(specifier.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, false, ts.ScriptKind.JS));
  return names;
}

function sourcesOf(root: string, built: string): string[] {
  const chunk = built.replace(/^cjs\//, ''); // it holds the code of this ES module, and has no map
  const path = `${root}/${chunk}.map`;
  if (!existsSync(path)) throw new Error(`${chunk} has no source map, so its contents cannot be told`);
  const { sources } = JSON.parse(readFileSync(path, 'utf8')) as { readonly sources: readonly string[] };
  return sources.map((source) => posix.join('dist', posix.dirname(chunk), source));
}

/** Follows the static imports of a built file through its chunks. What is imported later is left out. */
export function readBuilt(root: string, entry: string): BuiltGraph {
  const chunks = new Set([entry]);
  const externals = new Set<string>();
  for (const chunk of chunks) {
    for (const name of loadsOf(chunk, readFileSync(`${root}/${chunk}`, 'utf8'))) {
      if (name.startsWith('.')) chunks.add(posix.join(posix.dirname(chunk), name));
      else externals.add(name);
    }
  }
  const sources = new Set([...chunks].flatMap((chunk) => sourcesOf(root, chunk)));
  return { chunks: [...chunks], externals: [...externals].sort(), sources: [...sources].sort() };
}
