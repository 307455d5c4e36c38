import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/consumer.ts';
import { filesOf } from './blocks.ts';
import { compile } from './compile.ts';
import { startDocEngines } from './engines.ts';
import { inPairs } from './in-pairs.ts';
import { type DocModule, isPrinted, modulesOf } from './modules.ts';
import { readPages, USER_PAGES } from './pages.ts';
import { makeProject } from './project.ts';
import { run, runTests } from './run.ts';

// One page: npx vitest run test/docs/blocks.test.ts -t docs/stores.md

/** Pages that show no code that runs, and why. */
const WITHOUT_CODE: Readonly<Record<string, string>> = {
  'docs/README.md': 'the index',
  'docs/architecture.md': 'for contributors',
  'docs/cli.md': 'commands',
  'docs/payment-page.md': 'pictures',
  'docs/performance.md': 'figures',
  'docs/policy.md': 'a promise',
  'docs/service-interface.md': 'the wire',
  'docs/testing.md': 'for contributors',
  'docs/threat-model.md': 'a table',
};

const pages = readPages(USER_PAGES);
const examples = new Set(
  globSync('examples/**/*.ts', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8').trimEnd()),
);
const modules = [...pages].flatMap(([page, text]) => modulesOf(page, text, (code) => examples.has(code)));
const project = makeProject();
const engines = await startDocEngines(modules);
afterAll(async () => {
  await engines.stop();
  project.remove();
});

for (const [page, text] of pages) {
  for (const [name, content] of filesOf(text)) project.write(page, name, content);
}
let findings: Map<DocModule, string[]>;
beforeAll(() => {
  findings = compile(project, modules); // also writes the modules
});

const named = (kinds: readonly string[]) =>
  modules
    .filter(({ kind }) => kinds.includes(kind))
    .map((module) => [`${module.page}:${module.line}`, module] as const);

describe('code of the docs compiles as a part of a strict project', () => {
  it.each([...pages.keys()])('%s', (page) => {
    expect(modules.filter((module) => module.page === page).flatMap((module) => findings.get(module))).toEqual([]);
  });
});

describe('code of the docs prints what it shows', () => {
  it.concurrent.each(named(['run', 'server', 'browser']))('%s', async (_, module) => {
    const env = await engines.envFor(module);
    if ('missing' in env) return void console.warn(`${module.page}:${module.line} is skipped: ${env.missing}`);
    const { code, output } = await inPairs(() => run(project, module, env));
    if (!isPrinted(module.prints, output)) expect(output).toBe(`${module.prints.join('\n')}\n`);
    expect(code).toBe(0);
  });
});

describe('tests of the docs pass', () => {
  const withTests = [...pages.keys()].filter((page) =>
    modules.some((each) => each.page === page && each.kind === 'vitest'),
  );
  it.each(withTests)('%s', async (page) => {
    const shown = modules.filter((each) => each.page === page && each.kind === 'vitest');
    for (const { code } of shown) expect(code).toContain('expect(');
    const files = shown.map(({ file }) => file);
    const { said, statuses } = await inPairs(() => runTests(project, page, files));
    expect(statuses, said).toEqual(files.map(() => 'passed'));
  });
});

describe('each page', () => {
  it('has code that runs, or is listed with the reason', () => {
    const withCode = new Set(modules.filter(({ kind }) => kind !== 'fragment').map(({ page }) => page));
    const isShown = (text: string) => [...examples].some((example) => text.includes(example));
    const without = [...pages].filter(([page, text]) => !withCode.has(page) && !isShown(text)).map(([page]) => page);
    expect(without).toEqual(Object.keys(WITHOUT_CODE).filter((page) => pages.has(page)));
  });
});
