import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
  '.mts': 'text/plain; charset=utf-8',
};

/** Serves the files of a folder on loopback. Resolves when the server listens. Rejects if the port is in use. */
export function serveFolder(folder: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    answer(folder, request, response).catch(() => response.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server));
  });
}

async function answer(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '' } = request;
  if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405, { Allow: 'GET, HEAD' });
  const path = pathOf(url);
  const found = path === null ? null : await fileIn(folder, path);
  if (found === null) return refuse(response, 404);
  if (found === 'folder') return refuse(response, 301, { Location: `${url.replace(/\?.*$/, '')}/` });
  response.writeHead(200, {
    'Content-Type': TYPES[extname(found)] ?? 'application/octet-stream',
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  });
  if (method === 'HEAD') response.end();
  else
    createReadStream(found)
      .on('error', () => response.destroy())
      .pipe(response);
}

function refuse(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers }).end(`${status}\n`);
}

/** The decoded path of a request, or null for one that cannot name a file. */
function pathOf(url: string): string | null {
  try {
    const path = decodeURIComponent(url.replace(/[?#].*$/, ''));
    return path.startsWith('/') && !path.includes('\0') ? path : null;
  } catch {
    return null; // a percent sign without two digits
  }
}

/** The file that the path names, links followed, or null if it is not inside the folder. */
async function fileIn(folder: string, path: string): Promise<string | 'folder' | null> {
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, path.endsWith('/') ? `${path}index.html` : path));
    const inside = relative(root, file);
    if (inside === '..' || inside.startsWith(`..${sep}`)) return null;
    return (await stat(file)).isDirectory() ? 'folder' : file;
  } catch {
    return null; // there is no such file
  }
}
