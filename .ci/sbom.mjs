// Writes what the package is made of, for tools that look for advisories: `npm audit` cannot see what is inlined. The
// metafile of the build names that; decimal.js is a dependency and no part of it, and zod is reached without an edge.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const args = ['--output-reproducible', '--mc-type', 'library', '--output-file', '-', 'dist/metafile-esm.json'];
const bom = JSON.parse(execFileSync('cyclonedx-esbuild', args, { stdio: ['ignore', 'pipe', 'ignore'] }));

// The file that exports all of a room is in no package.
const isRoom = (ref) => ref.endsWith('.room');
bom.components = bom.components.filter((component) => !isRoom(component['bom-ref']));
bom.dependencies = bom.dependencies.filter(({ ref }) => !isRoom(ref));

const { version, license, description } = JSON.parse(readFileSync('node_modules/decimal.js/package.json', 'utf8'));
const purl = `pkg:npm/decimal.js@${version}`;
bom.components.push({
  type: 'library',
  name: 'decimal.js',
  version,
  'bom-ref': purl,
  description,
  scope: 'required',
  licenses: [{ license: { id: license } }],
  purl,
});
const self = bom.dependencies.find(({ ref }) => ref === bom.metadata.component['bom-ref']);
self.dependsOn = bom.components.map((component) => component['bom-ref']);
bom.dependencies.push({ ref: purl });

writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(bom, null, 2)}\n`);
