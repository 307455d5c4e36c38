import { describe, expect, it } from 'vitest';
import { type Outage, playOutage } from '../scripts/simulate/outage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const OUTAGE: Outage = {
  store: 'memory',
  ordersPerDay: 1_000,
  outage: 6 * HOUR,
  receivers: 2,
  pool: 10,
  catchUp: 0,
  work: 50,
  slowWork: 90_000,
  slowShare: 0.04,
  costs: { processor: 0.2, operation: 0.5 },
  seed: 20260131,
  fault: 'none',
};

describe('a simulated outage of six hours', () => {
  it('loses nothing and fulfils nothing twice, by redeliveries alone', async () => {
    const { twice, lost, missed, drained, longestWait, attempts, counts } = await playOutage(OUTAGE);
    expect({ twice, lost, failed: attempts.failed }).toEqual({ twice: [], lost: [], failed: 0 });
    expect(missed).toBeGreaterThan(200);
    // For an order at the beginning of the outage, the first attempt after it comes 516 minutes after the first one.
    expect(longestWait).toBeGreaterThan(500 * MINUTE);
    expect(longestWait).toBeLessThan(518 * MINUTE); // a slow function adds 90 seconds
    expect(drained).toBeGreaterThan(5 * HOUR);
    // Functions that outlast the answer, and claims that outlive their process, occurred.
    expect(counts['duplicate_running']).toBeGreaterThan(5);
    expect(counts['completed_late']).toBeGreaterThan(5);
  });

  it('is made up for in minutes by catchUp, beside live traffic', async () => {
    const { twice, lost, drained, longestWait, counts } = await playOutage({ ...OUTAGE, catchUp: 32 });
    expect({ twice, lost }).toEqual({ twice: [], lost: [] });
    expect(drained).toBeLessThan(20 * MINUTE);
    expect(longestWait).toBeLessThan(7 * HOUR);
    expect(counts['by catchUp']).toBeGreaterThan(150);
    expect(counts['done before catchUp']).toBeGreaterThan(0);
    expect(counts['taken_over']).toBeGreaterThan(0);
  });

  it('is the same for the same seed', async () => {
    const short = { ...OUTAGE, outage: HOUR, catchUp: 4 };
    expect(await playOutage(short)).toEqual(await playOutage(short));
  });
});

describe('a planted fault', () => {
  it('is noticed: a store that loses the lease of a slow function', async () => {
    const { twice } = await playOutage({ ...OUTAGE, fault: 'lost_lease' });
    expect(twice.length).toBeGreaterThan(0);
  });

  it('does no harm where the writes are in the transaction of the store', async () => {
    const { twice, lost } = await playOutage({ ...OUTAGE, store: 'sqlite', fault: 'lost_lease' });
    expect({ twice, lost }).toEqual({ twice: [], lost: [] });
  });

  it('is noticed, and ends, although catchUp goes on', async () => {
    const { lost, drained } = await playOutage({ ...OUTAGE, slowShare: 0.9, catchUp: 4, fault: 'done_at_claim' });
    expect(lost.length).toBeGreaterThan(0);
    expect(drained).toBe(Number.POSITIVE_INFINITY);
  });

  it('is noticed: a store that counts an event as done when it is claimed', async () => {
    const { lost } = await playOutage({ ...OUTAGE, ordersPerDay: 2_000, slowShare: 0.9, fault: 'done_at_claim' });
    expect(lost.length).toBeGreaterThan(0);
  });
});
