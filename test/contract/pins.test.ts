import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

// The public interfaces are written by hand and pinned to the schemas at compile time. A pin that accepts everything
// would look the same, so the compiler is asked about broken ones.

const root = fileURLToPath(new URL('../../', import.meta.url));
const options: ts.CompilerOptions = {
  ...ts.parseJsonConfigFileContent(ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config, ts.sys, root)
    .options,
  skipLibCheck: true,
};

const HEAD = `import { decimal, flag, integer, listOf, namesOf, nullable, openEnum, resource, shapeOf, text, timestamp } from '../../src/contract/values/codecs.ts';
import type { Decimal } from '../../src/contract/values/decimal.ts';
import type { OpenEnum } from '../../src/contract/types.ts';
interface Order {
  readonly id: string;
  readonly amount: Decimal | null;
  readonly status: OpenEnum<'open'>;
  readonly lines: readonly { readonly count: number }[];
}
interface Query { readonly page?: number | null | undefined; readonly status?: string | null | undefined }
const line = resource({ count: integer });
`;
const USED =
  'export const used = { decimal, flag, integer, listOf, namesOf, nullable, openEnum, resource, shapeOf, text, timestamp, line };\nexport type Used = [Order, Query];\n';

const right = {
  id: 'text',
  amount: 'nullable(decimal)',
  status: "openEnum<'open'>(['open'])",
  lines: 'listOf(line)',
};
const pin = (members: Record<string, string>) =>
  `export const shape = shapeOf<Order>()({ ${Object.entries(members).map(([name, codec]) => `${name}: ${codec}`)} });`;
const { lines: _lines, ...withoutLines } = right;
const names = (...list: string[]) =>
  `export const query = namesOf<Query>()({ ${list.map((name) => `${name}: text`)} });`;

const SNIPPETS: Readonly<Record<string, string>> = {
  right: pin(right),
  extra: pin({ ...right, note: 'text' }),
  missing: pin(withoutLines),
  wrongType: pin({ ...right, id: 'integer' }),
  notNullable: pin({ ...right, amount: 'decimal' }),
  nullableToo: pin({ ...right, id: 'nullable(text)' }),
  wrongWords: pin({ ...right, status: "openEnum<'closed'>(['closed'])" }),
  plainText: pin({ ...right, status: 'text' }),
  wrongItem: pin({ ...right, lines: 'listOf(text)' }),
  deepWrong: pin({ ...right, lines: 'listOf(resource({ count: text }))' }),
  deepExtra: pin({ ...right, lines: 'listOf(resource({ count: integer, more: text }))' }),
  namesRight: names('page', 'status'),
  namesExtra: names('page', 'status', 'limit'),
  namesMissing: names('page'),
  namesTypo: names('page', 'statuss'),
};

/** All snippets in one program, because starting the compiler is what takes the time. */
function errorsOf(snippets: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  const pathOf = (name: string) => `${root}test/contract/${name}.pin.ts`;
  const texts = new Map(Object.entries(snippets).map(([name, text]) => [pathOf(name), `${HEAD}${USED}${text}\n`]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const text = texts.get(path);
    return text === undefined ? getSourceFile(path, ...rest) : ts.createSourceFile(path, text, ts.ScriptTarget.ES2022);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return Object.fromEntries(
    Object.keys(snippets).map((name) => {
      const file = program.getSourceFile(pathOf(name));
      const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
      return [
        name,
        found.map(({ code, messageText }) => `${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
      ];
    }),
  );
}

describe('a pin', () => {
  const errors = errorsOf(SNIPPETS);

  it.each(['right', 'namesRight'])('accepts what is equal: %s', (name) => {
    expect(errors[name]).toEqual([]);
  });

  it.each(Object.keys(SNIPPETS).filter((name) => !name.toLowerCase().endsWith('right')))('refuses %s', (name) => {
    expect(errors[name]).toHaveLength(1);
    expect(errors[name]?.[0]).toMatch(/^(2322|2345) .*never/); // a mismatch with the pin, not a slip in the snippet
  });
});
