// Writes two files about the code of others. THIRD-PARTY-LICENSES has the licence of each inlined package.
// dist/sbom.cdx.json is a CycloneDX list of these packages and of the dependencies. The source maps name
// what is inlined, so a package that gets inlined by accident is either listed or stops the build.
// Run after the bundler, by `npm run build`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const DIST = 'dist';
const FILE = 'THIRD-PARTY-LICENSES';

/** `../node_modules/@scope/name/lib/a.js` and nested installs: the last node_modules counts. */
function packageOf(source) {
  const path = source.replaceAll('\\', '/');
  const at = path.lastIndexOf('node_modules/');
  if (at === -1) return null;
  const words = path.slice(at).split('/');
  const depth = words[1].startsWith('@') ? 3 : 2;
  return path.slice(path.indexOf('node_modules/'), at) + words.slice(0, depth).join('/');
}

function inlinedPackages() {
  const maps = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((path) => /\.c?js\.map$/.test(path));
  if (maps.length === 0) throw new Error(`${DIST}/ has no source maps: run the bundler first`);
  const folders = maps.flatMap((path) => JSON.parse(readFileSync(`${DIST}/${path}`, 'utf8')).sources.map(packageOf));
  return [...new Set(folders.filter((folder) => folder !== null))].sort();
}

function entryOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((path) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(path));
  if (file === undefined) throw new Error(`${name} ${version} is inlined but has no licence file`);
  const text = readFileSync(`${folder}/${file}`, 'utf8').replaceAll('\r\n', '\n').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** A package as a component of the list. Nothing in it depends on the time or the machine. */
function componentOf(folder, form) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    licenses: [{ license: { id: license } }],
    purl,
    ...(form && { properties: [{ name: 'merchant-invoicing:form', value: form }] }),
  };
}

function softwareBillOfMaterials(inlined) {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const components = [
    ...inlined.map((folder) => componentOf(folder, 'inlined')),
    ...Object.keys(dependencies).map((name) => componentOf(`node_modules/${name}`, 'dependency')),
  ];
  const component = componentOf('.');
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component },
    components,
    dependencies: [
      { ref: component['bom-ref'], dependsOn: components.map((each) => each['bom-ref']) },
      ...components.map((each) => ({ ref: each['bom-ref'], dependsOn: [] })),
    ],
  };
}

const inlined = inlinedPackages();
const entries = inlined.map(entryOf);
if (entries.length === 0) throw new Error('no inlined package was found, but ky and zod should be');
const rule = `\n${'-'.repeat(80)}\n\n`;
writeFileSync(
  FILE,
  `The published files of this package contain code of the following packages.\n${rule}${entries.join(rule)}`,
);
writeFileSync(`${DIST}/sbom.cdx.json`, `${JSON.stringify(softwareBillOfMaterials(inlined), null, 2)}\n`);
console.log(`${FILE}: ${entries.map((entry) => entry.slice(0, entry.indexOf('\n'))).join(', ')}`);
