// `npm run docs [-- --serve] [--port 8080] [--out FOLDER]`: builds the site of the documentation into site/. With --serve it
// serves it on loopback until Ctrl-C, on a free port unless one is named.
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSite } from './site/build-site.ts';
import { serveFolder } from './site/serve.ts';

const { values } = parseArgs({
  options: {
    serve: { type: 'boolean', default: false },
    port: { type: 'string', default: '0' },
    out: { type: 'string', default: 'site' },
  },
});
if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) throw new Error(`${values.port} is not a port`);
const folder = resolve(values.out);
await buildSite(folder);
if (values.serve) {
  const server = await serveFolder(folder, Number(values.port));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  console.log(`http://127.0.0.1:${port}/ – Ctrl-C ends it`);
  process.once('SIGINT', () => {
    server.close();
    server.closeAllConnections();
  });
}
