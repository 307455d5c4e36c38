import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { isMerchantError } from '../../errors/classes.ts';
import type { Sandbox, SandboxServer } from '../../sandbox/index.ts';
import { misuse } from '../io.ts';

const TRIES = 20;

/** Listens on the port, or on the next one that is free; `say` is told why. */
export async function listenNear(
  sandbox: Sandbox,
  {
    port,
    host,
    allowedHosts,
    say,
  }: {
    readonly port: number;
    readonly host: string;
    readonly allowedHosts: readonly string[];
    readonly say: (line: string) => void;
  },
): Promise<SandboxServer> {
  for (let at = port; at < port + TRIES && at <= 65_535; at += 1) {
    try {
      const server = await sandbox.listen({ port: at, host, allowedHosts });
      if (at !== port) say(`${port} is used by ${holderOf(port)}; using ${at}`);
      return server;
    } catch (error) {
      if (!isMerchantError(error)) throw error;
      if (/is in use/.test(error.message)) continue;
      throw misuse(error.message, 'merchant-invoicing sandbox --host 127.0.0.1 --port 4010');
    }
  }
  throw misuse(`no port from ${port} to ${port + TRIES - 1} is free`, 'merchant-invoicing sandbox --port 0');
}

const LISTENING = '0A';

/** Who listens on a port of this machine, where the system tells it without asking another program. */
function holderOf(port: number): string {
  try {
    const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'utf8').split('\n'));
    const fields = rows.map((row) => row.trim().split(/\s+/));
    const inode = fields.find(([, local = '', , state]) => local.endsWith(end) && state === LISTENING)?.[9];
    const pid = inode === undefined ? undefined : readdirSync('/proc').find((name) => holds(name, `socket:[${inode}]`));
    // The program's file, not /proc/PID/comm: Node calls its thread MainThread there.
    if (pid !== undefined) return `${basename(readlinkSync(`/proc/${pid}/exe`))} (pid ${pid})`;
  } catch {
    // No /proc on this system.
  }
  return 'another program';
}

function holds(pid: string, socket: string): boolean {
  if (!/^\d+$/.test(pid)) return false;
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === socket);
  } catch {
    return false; // not ours to see, or gone meanwhile
  }
}
