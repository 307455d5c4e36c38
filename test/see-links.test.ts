import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const INTERFACE = 'docs/service-interface.md';

/** The heading behind each anchor of a Markdown page, by GitHub's rules. */
function anchorsOf(page: string): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/```[\s\S]*?```/g, '');
  for (const [, heading = ''] of text.matchAll(/^#+ (.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.set(anchor, heading);
  }
  return anchors;
}

/** A reference to another symbol; typedoc resolves it. */
const SYMBOL = /^\{@link [\w.]+\}$/;
const LINK = /^\[(?<text>[^\]]+)\]\((?<path>[^)#]+)(?:#(?<anchor>[^)]+))?\)$/;

const files = globSync('src/**/*.ts', { cwd: ROOT });
const references = files.flatMap((file) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/@see (.*?)(?: \*\/)?$/gm)].map(([, target = '']) => ({
    file,
    target,
  })),
);

describe('a reference of a comment', () => {
  const anchors = anchorsOf(INTERFACE);
  const links = references.filter(({ target }) => !SYMBOL.test(target));

  it('is a link to a page of docs/', () => {
    expect(links.length).toBeGreaterThan(60);
    expect(links.filter(({ target }) => !LINK.test(target))).toEqual([]);
  });

  it.each(links)('resolves: $file, $target', ({ file, target }) => {
    const { text, path = '', anchor } = LINK.exec(target)?.groups ?? {};
    const page = relative(ROOT, join(ROOT, dirname(file), path)).replaceAll('\\', '/');
    expect(
      [INTERFACE, 'docs/cli.md', 'docs/going-live.md'],
      'run "node scripts/see-links.ts" after a file has moved',
    ).toContain(page);
    if (page === INTERFACE) expect({ anchor, heading: anchors.get(anchor ?? '') }).toEqual({ anchor, heading: text });
  });
});

describe('each public method of the client', () => {
  const path = join(ROOT, 'src/client.ts');
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [path] }, ts.sys, ROOT);
  const program = ts.createProgram([path], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);

  const methods = (source === undefined ? [] : checker.getExportsOfModule(checkedModule(source)))
    .filter(({ name }) => name === 'MerchantClient')
    .flatMap((client) => checker.getDeclaredTypeOfSymbol(client).getProperties())
    .flatMap((resource) =>
      checker
        .getTypeOfSymbol(resource)
        .getProperties()
        .filter(({ name }) => !name.startsWith('#'))
        .filter((member) => checker.getTypeOfSymbol(member).getCallSignatures().length > 0)
        .map((member) => ({
          method: `${resource.name}.${member.name}`,
          see: member
            .getJsDocTags(checker)
            .filter(({ name }) => name === 'see')
            .map(({ text }) => ts.displayPartsToString(text)),
        })),
    );

  function checkedModule(file: ts.SourceFile): ts.Symbol {
    const symbol = checker.getSymbolAtLocation(file);
    if (symbol === undefined) throw new Error(`${file.fileName} is no module`);
    return symbol;
  }

  it('is found', () => {
    expect(methods.map(({ method }) => method)).toEqual(
      expect.arrayContaining(['invoices.create', 'withdrawals.get', 'rates.list', 'webhooks.handler']),
    );
  });

  it.each(methods)('$method refers to the interface', ({ see }) => {
    expect(see.join('\n')).toContain('service-interface.md#');
  });
});
