import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LockFiles } from '../../../src/cli/sandbox/lock-files.ts';
import { holderOfState, lockState, takeLock } from '../../../src/cli/sandbox/state-lock.ts';
import { createRandom } from '../../../src/sandbox/state/random.ts';
import { scaled } from '../../support/scaled.ts';

const LOCK = 'shop.json.lock';
const DEAD = JSON.stringify({ pid: 1, url: 'http://127.0.0.1:1', token: tokenOf(1) });

function tokenOf(pid: number): string {
  return `00000000-0000-4000-8000-00000000000${pid}`;
}

/** A process that waits before each of its file operations until the test lets it go on. */
interface Actor {
  readonly pid: number;
  result: 'running' | 'holds' | 'released' | 'refused' | 'killed';
  step: (() => void) | null;
}

/** Two or three processes over one folder in memory, which take turns as the test says. */
class Stage {
  readonly disk: Map<string, string>;
  readonly actors: Actor[];

  constructor(lock: string | null, count: number) {
    this.disk = new Map(lock === null ? [] : [[LOCK, lock]]);
    this.actors = Array.from({ length: count }, (_, at) => ({ pid: at + 2, result: 'running', step: null }));
    for (const actor of this.actors) void this.#start(actor);
  }

  async #start(actor: Actor): Promise<void> {
    const { disk } = this;
    const turn = () =>
      new Promise<void>((resolve) => {
        actor.step = resolve;
      });
    const files: LockFiles = {
      async read(path) {
        await turn();
        return disk.get(path) ?? null;
      },
      async create(path, text) {
        await turn();
        if (disk.has(path)) return false;
        disk.set(path, text);
        return true;
      },
      async replace(path, text) {
        await turn();
        disk.set(path, text);
      },
      async remove(path) {
        await turn();
        disk.delete(path);
      },
    };
    const own = { pid: actor.pid, url: '', token: tokenOf(actor.pid) };
    const taken = await takeLock(LOCK, own, files, ({ pid }) => {
      const other = this.actors.find((each) => each.pid === pid);
      return other !== undefined && other.result !== 'killed';
    });
    actor.result = taken === true ? 'holds' : 'refused';
  }

  /** The processes that wait for their turn. */
  async ready(): Promise<Actor[]> {
    for (let ticks = 0; ticks < 10; ticks += 1) await Promise.resolve();
    return this.actors.filter(({ step, result }) => step !== null && result === 'running');
  }

  go(actor: Actor): void {
    const { step } = actor;
    actor.step = null;
    step?.();
  }

  /** It does nothing more. The others see that it has ended. */
  kill(actor: Actor): void {
    actor.step = null;
    actor.result = 'killed';
  }

  release(actor: Actor): void {
    this.disk.delete(LOCK);
    actor.result = 'released';
  }

  of(result: Actor['result']): readonly Actor[] {
    return this.actors.filter((actor) => actor.result === result);
  }
}

/** Runs every order of turns, and gives each end. The same turns must lead to the same end. */
async function everyOrder(make: () => Promise<Stage>, onEnd: (stage: Stage) => void): Promise<number> {
  let path: { choice: number; of: number }[] = [];
  for (let runs = 1; ; runs += 1) {
    const stage = await make();
    for (let depth = 0; ; depth += 1) {
      const ready = await stage.ready();
      if (ready.length === 0) break;
      const point = path[depth] ?? { choice: 0, of: ready.length };
      path[depth] = point;
      stage.go(chosen(ready, point.choice));
      await stage.ready();
      expect(stage.of('holds').length).toBeLessThanOrEqual(1);
    }
    onEnd(stage);
    const open = path.map(({ choice, of }) => choice + 1 < of).lastIndexOf(true);
    if (open === -1) return runs;
    path = path.slice(0, open + 1).map((point, at) => (at === open ? { ...point, choice: point.choice + 1 } : point));
  }
}

function chosen(ready: readonly Actor[], at: number): Actor {
  const actor = ready[at];
  if (actor === undefined) throw new Error('the processes did not behave the same in two runs');
  return actor;
}

function expectOneHolder(stage: Stage): void {
  const [winner] = stage.of('holds');
  expect(stage.of('holds')).toHaveLength(1);
  expect(JSON.parse(stage.disk.get(LOCK) ?? '')).toMatchObject({ pid: winner?.pid });
}

describe('processes that want one state file', () => {
  it.each([
    ['without a lock', null, 2],
    ['with the lock of a process that has ended', DEAD, 2],
    ['with a lock that is half written', '{"pid', 2],
    ['with the lock of another program', '[]', 2],
    ['without a lock, three of them', null, 3],
  ])('%s: one of them gets it in every order of their steps, and leaves only the lock', async (_, lock, count) => {
    const winners = new Set<number>();
    await everyOrder(
      async () => new Stage(lock, count),
      (stage) => {
        expectOneHolder(stage);
        expect([...stage.disk.keys()]).toEqual([LOCK]);
        for (const { pid } of stage.of('holds')) winners.add(pid);
      },
    );
    expect(winners.size).toBe(count);
  });

  it.each([1, 2, 3, 4])('a takeover that is killed after step %i is taken over in turn', async (steps) => {
    const make = async (): Promise<Stage> => {
      const stage = new Stage(DEAD, 3);
      const first = chosen(stage.actors, 0);
      for (let step = 0; step < steps; step += 1) {
        await stage.ready();
        stage.go(first);
      }
      await stage.ready();
      if (first.result !== 'running') throw new Error(`it has ended after ${steps} steps`);
      stage.kill(first);
      return stage;
    };
    await everyOrder(make, expectOneHolder);
  });

  it('never have two holders when they are killed and released at random moments', async () => {
    const { next } = createRandom('state lock');
    for (let run = 0; run < scaled(4_000); run += 1) {
      const stage = new Stage(next() < 0.8 ? DEAD : null, 4);
      for (;;) {
        const ready = await stage.ready();
        const active = [...ready, ...stage.of('holds')];
        if (ready.length === 0) break;
        const actor = chosen(active, Math.floor(next() * active.length));
        if (next() < 0.05) stage.kill(actor);
        else if (actor.result === 'holds') stage.release(actor);
        else stage.go(actor);
        await stage.ready();
        expect(stage.of('holds').length, `run ${run}`).toBeLessThanOrEqual(1);
      }
    }
  });
});

describe('the lock on a disk', () => {
  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'merchant-invoicing-lock-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  it.each([null, DEAD.replace('"pid":1', '"pid":4194303'), '{"pid'])(
    'is taken once of ten times at once: %s',
    async (lock) => {
      const path = folder();
      const file = join(path, 'shop.json');
      if (lock !== null) writeFileSync(`${file}.lock`, lock);
      const all = await Promise.allSettled(Array.from({ length: 10 }, () => lockState(file)));
      const taken = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(taken).toHaveLength(1);
      expect(readdirSync(path)).toEqual(['shop.json.lock']);
      await taken[0]?.tell('http://127.0.0.1:4010');
      expect(await holderOfState(file)).toMatchObject({ pid: process.pid, url: 'http://127.0.0.1:4010' });
      await taken[0]?.release();
      expect(readdirSync(path)).toEqual([]);
      await (await lockState(file)).release();
    },
  );

  it('of another sandbox stays when one is released whose lock the user has removed', async () => {
    const file = join(folder(), 'shop.json');
    const first = await lockState(file);
    rmSync(`${file}.lock`);
    const second = await lockState(file);
    await second.tell('http://127.0.0.1:4011');
    await first.release();
    expect(await holderOfState(file)).toMatchObject({ url: 'http://127.0.0.1:4011' });
    await second.release();
  });

  it('of a sandbox without a token is respected', async () => {
    const file = join(folder(), 'shop.json');
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: process.ppid, url: 'http://127.0.0.1:4012' }));
    await expect(lockState(file)).rejects.toThrow(
      `is kept by the sandbox at http://127.0.0.1:4012 (pid ${process.ppid})`,
    );
  });

  it('is taken also where a network file system repeats the link, and says that the file exists', async () => {
    const disk = new Map<string, string>();
    const files: LockFiles = {
      read: async (path) => disk.get(path) ?? null,
      async create(path, text) {
        if (!disk.has(path)) disk.set(path, text);
        return false;
      },
      replace: async (path, text) => void disk.set(path, text),
      remove: async (path) => void disk.delete(path),
    };
    const own = { pid: 2, url: '', token: tokenOf(2) };
    const isAlive = ({ pid }: { readonly pid: number }): boolean => pid === 2;
    expect(await takeLock(LOCK, own, files, isAlive)).toBe(true);
    disk.set(LOCK, DEAD);
    expect(await takeLock(LOCK, own, files, isAlive)).toBe(true);
    expect([...disk.keys()]).toEqual([LOCK]);
  });

  it('names no file outside of its folder, whatever its token says', async () => {
    const path = folder();
    const file = join(path, 'shop.json');
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: 4_194_303, url: '', token: '/../../evil' }));
    await (await lockState(file)).release();
    expect(readdirSync(path)).toEqual([]);
  });
});
