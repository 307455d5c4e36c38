import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { ROOT } from '../support/consumer.ts';
import { filesOf } from './blocks.ts';
import { compile } from './compile.ts';
import { startDocEngines } from './engines.ts';
import { RUN_FAULTS, TYPE_FAULTS } from './faults.ts';
import { inPairs } from './in-pairs.ts';
import { type DocModule, isPrinted, modulesOf, withoutCode } from './modules.ts';
import { readPages, USER_PAGES } from './pages.ts';
import { makeProject } from './project.ts';
import { run, runTests } from './run.ts';
import { replay, transcriptsOf } from './transcripts.ts';

// One page: npx vitest run test/docs/blocks.test.ts -t docs/stores.md

/** Pages that show no code that runs, and why. */
const WITHOUT_CODE: Readonly<Record<string, string>> = {
  'docs/README.md': 'the index',
  'docs/architecture.md': 'for contributors',
  'docs/architecture-decisions.md': 'for contributors',
  'docs/payment-page.md': 'pictures',
  'docs/performance.md': 'figures',
  'docs/policy.md': 'a promise',
  'docs/scale.md': 'figures',
  'docs/service-interface.md': 'the wire',
  'docs/testing.md': 'for contributors',
  'docs/threat-model.md': 'a table',
};

const pages = readPages(USER_PAGES);
const examples = globSync('examples/**/*.ts', { cwd: ROOT });
const codeOfExamples = new Set(examples.map((path) => readFileSync(join(ROOT, path), 'utf8').trimEnd()));
const isExample = (code: string): boolean => codeOfExamples.has(code);
const modules = [...pages].flatMap(([page, text]) => modulesOf(page, text, isExample));
const faulty = TYPE_FAULTS.flatMap(([page, text]) => modulesOf(page, text));
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
  findings = compile(project, [...modules, ...faulty]); // also writes the modules
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

describe('transcripts of the docs are what the commands print', () => {
  const transcripts = [...pages].flatMap(([page, text]) => transcriptsOf(page, text));
  it.concurrent.each(transcripts.map((each) => [`${each.page}:${each.line}`, each] as const))('%s', async (_, each) => {
    const outputs = await inPairs(() => replay(project, each));
    each.steps.forEach(({ prints }, index) => {
      const output = outputs[index] ?? '';
      if (!isPrinted(prints, output)) expect(output).toBe(`${prints.join('\n')}\n`);
    });
  });
});

it('each page has code that runs, or is listed with the reason', () => {
  const listed = Object.keys(WITHOUT_CODE).filter((page) => pages.has(page));
  expect(withoutCode(pages, isExample).sort()).toEqual(listed.sort());
});

describe('the checks notice', () => {
  it.each(TYPE_FAULTS)('%s', (name, _, fault) => {
    const module = faulty.find(({ page }) => page === name);
    expect(module && findings.get(module)).toEqual([expect.stringContaining(fault)]);
  });

  it.concurrent.each(RUN_FAULTS)('%s', async (name, text, said) => {
    const [module] = modulesOf(name, text);
    if (module === undefined) return expect.fail('no module');
    project.write(module.page, module.file, module.code);
    const { code, output } = await inPairs(() => run(project, module));
    expect(code === 0 && isPrinted(module.prints, output)).toBe(false);
    expect(output).toContain(said);
  });

  it('a test that fails, and one that is not there', async () => {
    project.write(
      'faulty.md',
      'a.test.ts',
      "import { expect, it } from 'vitest';\nit('fails', () => expect(1).toBe(2));\n",
    );
    const { statuses } = await inPairs(() => runTests(project, 'faulty.md', ['a.test.ts']));
    expect(statuses).toEqual(['failed']);
    expect((await inPairs(() => runTests(project, 'faulty.md', ['b.test.ts']))).statuses).toEqual([]);
  });

  it('a transcript of another version', async () => {
    const text =
      '```console\n$ npx merchant-invoicing --version\n0.0.9\n$ npx merchant-invoicing sandbox pay none\n…\n```\n';
    const [transcript] = transcriptsOf('page.md', text);
    if (transcript === undefined) return expect.fail('no transcript');
    const [version = '', paid = ''] = await inPairs(() => replay(project, transcript));
    expect(isPrinted(['0.0.9'], version)).toBe(false);
    expect(version).toBe(`${VERSION}\n`);
    expect(paid).toContain('none'); // the sandbox of the harness has answered
  });
});
