import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { isMerchantError } from '../../errors/guards.ts';
import type { Sandbox, SandboxServer } from '../../sandbox/index.ts';
import { misuse } from '../io.ts';
import type { SandboxFlags } from './flags.ts';

const MAX_PORTS = 20;

/** Listens on the port, or on the next one that is free. Calls `say` with the reason. */
export async function listenNear(
  sandbox: Sandbox,
  { port, host, allowedHosts, say }: SandboxFlags & { readonly say: (line: string) => void },
): Promise<SandboxServer> {
  for (let at = port; at < port + MAX_PORTS && at <= 65_535; at += 1) {
    try {
      const server = await sandbox.listen({ port: at, host, allowedHosts });
      if (at !== port) {
        say(`${port} is used by ${holderOf(port)}, using ${at}. Actions need --url http://127.0.0.1:${at}`);
      }
      return server;
    } catch (error) {
      if (!isMerchantError(error)) throw error;
      if (/is in use/.test(error.message)) continue;
      throw misuse(error.message, 'npx merchant-invoicing sandbox --host 127.0.0.1 --port 4010');
    }
  }
  throw misuse(`no port from ${port} to ${port + MAX_PORTS - 1} is free`, 'npx merchant-invoicing sandbox --port 0');
}

/** The state of a listening socket in /proc/net/tcp. */
const LISTENING = '0A';

/** The program that listens on a port of this machine, as far as `/proc` shows it. */
function holderOf(port: number): string {
  try {
    const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'utf8').split('\n'));
    const fields = rows.map((row) => row.trim().split(/\s+/));
    const inode = fields.find(([, local = '', , state]) => local.endsWith(end) && state === LISTENING)?.[9];
    const pid =
      inode === undefined ? undefined : readdirSync('/proc').find((name) => hasSocket(name, `socket:[${inode}]`));
    // The file of the program, because /proc/PID/comm of Node is MainThread.
    if (pid !== undefined) {
      const program = basename(readlinkSync(`/proc/${pid}/exe`));
      return `${program} (pid ${pid}) in ${readlinkSync(`/proc/${pid}/cwd`)}`;
    }
  } catch {
    // No /proc on this system.
  }
  return 'another program';
}

function hasSocket(pid: string, socket: string): boolean {
  if (!/^\d+$/.test(pid)) return false;
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === socket);
  } catch {
    return false; // not readable for this user, or ended meanwhile
  }
}
