import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Pool, type PoolConfig } from 'pg';
import { type Engine, findProgram, startServer, stopServer, temporaryFolder, userNamed } from './engine-process.ts';

/** What a pg Pool takes. */
export interface PostgresAddress {
  /** The folder of the unix socket. */
  readonly host: string;
  readonly port?: number;
  readonly user: string;
  readonly database: string;
}

/** Debian keeps the server's programs out of the PATH, one folder for each version. */
function debianFolders(): string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(root, version, 'bin'));
}

/**
 * Starts a real PostgreSQL in a temporary folder, reached by a unix socket, and on a port of loopback if one is given. As
 * root it runs as user postgres.
 */
export async function startPostgres(port?: number): Promise<Engine<PostgresAddress>> {
  const initdb = findProgram('initdb', debianFolders());
  const postgres = findProgram('postgres', debianFolders());
  if (initdb === null || postgres === null) {
    return { missing: 'PostgreSQL is not installed (Debian: apt-get install postgresql)' };
  }
  const { folder, remove } = temporaryFolder('pg');
  const user = process.getuid?.() === 0 ? userNamed('postgres') : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const cluster = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
  execFileSync(initdb, cluster, { ...user, cwd: folder, stdio: 'pipe' });
  const at = port === undefined ? {} : { port };
  const settings = {
    listen_addresses: port === undefined ? '' : '127.0.0.1',
    ...at,
    unix_socket_directories: folder,
    fsync: 'off', // its processes are never killed here, only ours are
    max_connections: '100',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = await startServer(postgres, ['-D', data, ...flags], 'ready to accept connections', user);
  return {
    missing: null,
    connection: { host: folder, ...at, user: 'postgres', database: 'postgres' },
    async stop() {
      await stopServer(server, 'SIGINT'); // "fast shutdown", in the words of PostgreSQL
      remove();
    },
  };
}

/** A pool that survives the end of its server: pg tells an idle connection's loss to the pool, as an `error` event. */
export function openPool(config: PoolConfig): Pool {
  return new Pool(config).on('error', () => undefined);
}
