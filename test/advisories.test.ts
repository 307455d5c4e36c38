import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from './support/free-port.ts';

// The step of the gate, the night and the release that looks for advisories, over a package of ky and a tool.

const SCRIPT = join(import.meta.dirname, '../.ci/advisories.mjs');
const KY = { name: 'ky', version: '2.1.0' };
const TOOL = { name: 'left-tool', version: '1.0.0' };
/** The script asks for a package that has advisories, so that it notices a registry without any. */
const KNOWN = { name: 'minimist', version: '0.0.8' };

/** What a registry knows: the severity of the advisory of a package. Null: it has no address for advisories. */
type Known = Readonly<Record<string, string>> | null;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'merchant-invoicing-advisories-'));
  const manifest = { name: 'project', version: '1.0.0', devDependencies: { [TOOL.name]: TOOL.version } };
  const packages = { '': manifest, [`node_modules/${TOOL.name}`]: { version: TOOL.version, dev: true } };
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/sbom.cdx.json'), JSON.stringify({ components: [KY] }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function startRegistry(known: Known) {
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const name = request.url?.slice(1) ?? '';
    const version = [KY, TOOL, KNOWN].find((each) => each.name === name)?.version;
    const json = (value: unknown) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value));
    if (request.method === 'POST' && known !== null) {
      const asked: object = JSON.parse(
        String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body),
      );
      const found = Object.entries(known).filter(([each]) => each in asked);
      const advisory = { id: 1, title: 'Some weakness', url: 'https://example.com/1', vulnerable_versions: '<99' };
      json(Object.fromEntries(found.map(([each, severity]) => [each, [{ ...advisory, severity }]])));
    } else if (version !== undefined) {
      json({ name, 'dist-tags': { latest: version }, versions: { [version]: { name, version } } });
    } else response.writeHead(request.method === 'POST' ? 405 : 404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function run(registry: string, ...flags: string[]): Promise<{ code: number; stdout: string }> {
  const env = {
    ...process.env,
    npm_config_registry: registry,
    npm_config_cache: join(folder, `cache-${new URL(registry).port}`),
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [SCRIPT, ...flags], { cwd: folder, env }, (_, stdout) =>
      resolve({ code: child.exitCode ?? -1, stdout }),
    );
  });
}

const ours = 'Advisories of ky 2.1.0: ';
const tools = 'Advisories of 1 packages of the tools: ';
it.each<[what: string, known: Known | 'unreachable', codes: readonly [gate: number, strict: number], told: string[]]>([
  ['without an address for advisories', null, [0, 1], [`${ours}not looked: the registry answered 405`]],
  ['that is not reached', 'unreachable', [0, 1], [`${ours}not looked: request to`, 'ECONNREFUSED']],
  ['that knows no advisory at all', {}, [0, 1], [`${ours}not looked: the registry knows no advisory of minimist`]],
  ['without an advisory of ours', { minimist: 'critical' }, [0, 0], [`${ours}none\n`, `${tools}none\n`]],
  [
    'with a low one of what is inlined',
    { minimist: 'critical', ky: 'low' },
    [1, 1],
    [`${ours}1\n  ky <99: low: Some weakness https://example.com/1\n`, `${tools}none\n`],
  ],
  [
    'with a high one of a tool',
    { minimist: 'critical', [TOOL.name]: 'high' },
    [0, 1],
    [`${ours}none\n`, `${tools}1\n  left-tool <99: high: Some weakness`],
  ],
  ['with a moderate one of a tool', { minimist: 'critical', [TOOL.name]: 'moderate' }, [0, 0], [`${tools}1\n`]],
])('a registry %s', async (_, known, codes, told) => {
  const server = known === 'unreachable' ? null : await startRegistry(known);
  const address = server?.address();
  const port = typeof address === 'object' && address !== null ? address.port : await freePort();
  const registry = `http://127.0.0.1:${port}/`;
  const runs = await Promise.all([run(registry), run(registry, '--strict')]);
  server?.close();
  expect(runs.map(({ code }) => code)).toEqual(codes);
  for (const { stdout } of runs) {
    for (const text of told) expect(stdout).toContain(text);
    if (stdout.includes('not looked')) expect(stdout).not.toContain(': none');
  }
});
