// Writes dist/types: one declaration per source file, for import (.d.ts) and for require (.d.cts), each with a map into
// the shipped src/. The bundler builds JavaScript only: its declarations are one file without maps, and declare values
// that do not exist. Only what an entry of package.json reaches is written. Run by `npm run build`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const SRC = join(ROOT, 'src');
const TYPES = join(ROOT, 'dist/types');

/** The two module forms: what a declaration's file and its relative imports end in. */
const FORMS = [
  { declaration: '.d.ts', specifier: '.js' },
  { declaration: '.d.cts', specifier: '.cjs' },
] as const;
type Form = (typeof FORMS)[number];

/** The sources of the declarations that package.json names in the form: `./dist/types/msw.d.ts` is `src/msw.ts`. */
function entriesOf({ declaration }: Form): string[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly exports: unknown };
  const paths = JSON.stringify(exports).matchAll(/"\.\/dist\/types\/([^"]+?)(\.d\.c?ts)"/g);
  return [...paths].filter(([, , end]) => end === declaration).map(([, path]) => join(SRC, `${path}.ts`));
}

/** Where the text names a relative source: in import and export declarations, and in `import('./a.ts').A`. */
function relativeSpecifiers(text: string): ts.StringLiteral[] {
  const found: ts.StringLiteral[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) && /^\.\.?\/.*\.ts$/.test(node.text)) {
      const { parent } = node;
      const isImportType = ts.isLiteralTypeNode(parent) && ts.isImportTypeNode(parent.parent);
      if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || isImportType) found.push(node);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.d.ts', text, ts.ScriptTarget.Latest, true));
  return found;
}

function withSpecifiers(text: string, end: string): string {
  let written = text;
  for (const literal of relativeSpecifiers(text).reverse()) {
    const at = literal.getEnd() - 1; // before the closing quote
    written = written.slice(0, at - '.ts'.length) + end + written.slice(at);
  }
  return written;
}

/** Declaration and map of one source, as the compiler writes them. */
function emitted(program: ts.Program, path: string): { readonly text: string; readonly map: string } {
  const source = program.getSourceFile(path);
  if (source === undefined) throw new Error(`${path} is named by a declaration, but is not a source`);
  let text = '';
  let map = '';
  const { diagnostics } = program.emit(
    source,
    (file, content) => {
      if (file.endsWith('.map')) map = content;
      else text = content;
    },
    undefined,
    true,
  );
  const [problem] = diagnostics;
  if (problem !== undefined) throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`);
  return { text: text.replace(/\/\/# sourceMappingURL=.*\s*$/, ''), map };
}

function compile(): ts.Program {
  const { config, error } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, ROOT, {
    noEmit: false,
    emitDeclarationOnly: true,
    declaration: true,
    declarationMap: true,
    rootDir: SRC,
    outDir: TYPES,
  });
  return ts.createProgram(entriesOf(FORMS[0]), options);
}

const program = compile();
const counts = FORMS.map((form) => {
  const reached = new Set(entriesOf(form));
  for (const path of reached) {
    const { text, map } = emitted(program, path);
    for (const { text: name } of relativeSpecifiers(text)) reached.add(resolve(dirname(path), name));
    const file = join(TYPES, path.slice(SRC.length + 1).replace(/\.ts$/, form.declaration));
    const name = file.slice(dirname(file).length + 1);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${withSpecifiers(text, form.specifier)}//# sourceMappingURL=${name}.map\n`);
    writeFileSync(`${file}.map`, JSON.stringify({ ...(JSON.parse(map) as object), file: name }));
  }
  return `${reached.size} ${form.declaration}`;
});
console.log(`dist/types: ${counts.join(', ')}`);
