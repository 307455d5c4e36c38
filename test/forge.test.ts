import { describe, expect, test } from 'vitest';
import { GENUINE } from '../scripts/forge/genuine.ts';
import { MUTATIONS } from '../scripts/forge/mutations.ts';
import { forge, handlerOf, type verifier } from '../scripts/forge.ts';

describe('the forge', () => {
  test('6,000 changed deliveries: none is accepted whose bytes and timestamp are not genuine', async () => {
    const report = await forge(20260131, 6_000);
    expect(report.forgeries).toEqual([]);
    // A run that tried only one thing, or broke everything, would prove nothing.
    expect(Object.keys(report.applied).sort()).toEqual(MUTATIONS.map(([name]) => name).sort());
    expect(report.harmless).toBeGreaterThan(200);
    expect(Object.keys(report.refused)).toEqual(
      expect.arrayContaining([
        'signature_mismatch',
        'malformed_signature',
        'malformed_timestamp',
        'malformed_payload',
        'missing_header',
        'duplicate_header',
      ]),
    );
  });

  test('a seed repeats its run', async () => {
    expect(await forge(7, 500)).toEqual(await forge(7, 500));
  });
});

describe('its judge', () => {
  const handle = handlerOf();

  test('finds a receiver that does not check the signature', async () => {
    const { forgeries } = await forge(1, 300, { verify: async () => 'accepted', handle });
    expect(forgeries).toHaveLength(20);
  });

  test('finds a receiver that lets the cut between timestamp and body move', async () => {
    // As where a timestamp may hold anything: the signature covers the joined text only.
    const genuine = new Set(
      GENUINE.map(({ timestamp, body }) => `${timestamp}.${Buffer.from(body).toString('latin1')}`),
    );
    const loose: typeof verifier = async ({ headers, body }) => {
      const joined = `${String(headers['X-Webhook-Timestamp'])}.${Buffer.from(body).toString('latin1')}`;
      return genuine.has(joined) ? 'accepted' : 'signature_mismatch';
    };
    const { forgeries } = await forge(1, 2_000, { verify: loose, handle });
    expect(forgeries.length).toBeGreaterThan(5);
    expect(forgeries.join()).toContain('cut at another dot');
  });

  test('fails where a genuine delivery is refused', async () => {
    await expect(forge(1, 1, { verify: async () => 'signature_mismatch', handle })).rejects.toThrow('genuine');
  });
});
