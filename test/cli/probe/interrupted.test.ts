import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readDialectFile, valuesOf } from '../../../src/dialect-file/dialect-file.ts';
import { livedInAccount } from '../../probe/account.ts';
import { relayTo } from '../../probe/relay.ts';

const BIN = fileURLToPath(new URL('../../../src/cli/bin.ts', import.meta.url));

it('leaves what was learned so far at Ctrl-C, and says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'merchant-interrupted-'));
  const file = join(folder, 'dialect.json');
  const { sandbox } = await livedInAccount({});
  const relay = await relayTo(sandbox);
  const env = { ...process.env, MERCHANT_BASE_URL: relay.url, MERCHANT_API_KEY: sandbox.apiKey };
  const child = spawn(process.execPath, [BIN, 'probe', '--file', file, '--pace', '200'], { env });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await relay.reached(4);
  child.kill('SIGINT');
  expect(await ended).toBe(1);
  expect(out).toMatch(
    /interrupted after \d+ requests: the rest was not asked\. .*dialect\.json holds what was learned so far/,
  );
  expect(relay.asked.length).toBeLessThan(20);
  const fail = (problem: string): never => {
    throw new Error(problem);
  };
  expect(valuesOf(readDialectFile(file, fail))).toMatchObject({ successFlag: 'present', dateHeader: 'present' });
  expect(readdirSync(folder)).toEqual(['dialect.json']); // no draft is left
  await relay.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});
