import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/contract/json.ts';
import { cli } from './command-line.ts';

/** The codes of design and interface, typed by hand. */
const CODES = [
  'VALIDATION_ERROR',
  'INVOICE_ALREADY_EXISTS',
  'SDK_CONFIGURATION',
  'SDK_INVALID_ARGUMENT',
  'SDK_API_KEY',
  'SDK_CONNECTION',
  'SDK_TLS',
  'SDK_ATTEMPT_TIMEOUT',
  'SDK_DEADLINE',
  'SDK_ABORTED',
  'SDK_REDIRECT',
  'SDK_UNREADABLE_BODY',
  'SDK_BODY_TOO_LARGE',
  'SDK_CONTRACT',
  'SDK_PAGE',
  'SDK_INVOICE_MISMATCH',
  'SDK_HTTP_403',
  'SDK_WEBHOOK_MISSING_HEADER',
  'SDK_WEBHOOK_MALFORMED_SIGNATURE',
  'SDK_WEBHOOK_MALFORMED_TIMESTAMP',
  'SDK_WEBHOOK_TIMESTAMP_TOO_OLD',
  'SDK_WEBHOOK_TIMESTAMP_TOO_NEW',
  'SDK_WEBHOOK_SIGNATURE_MISMATCH',
  'SDK_WEBHOOK_DUPLICATE_HEADER',
  'SDK_WEBHOOK_BODY_ALREADY_PARSED',
  'SDK_WEBHOOK_BODY_TOO_LARGE',
  'SDK_WEBHOOK_MALFORMED_PAYLOAD',
];

const MEMBERS = ['code', 'class', 'cause', 'remedy', 'example'];

describe('explain', () => {
  it.each(CODES)('%s has a cause, a remedy and an example', async (code) => {
    const { code: exit, out, err } = await cli(['explain', code, '--json']);
    expect([exit, err]).toEqual([0, '']);
    const explained: unknown = JSON.parse(out);
    if (!isObject(explained)) throw new Error('not an object');
    expect(Object.keys(explained)).toEqual(MEMBERS);
    expect(explained['code']).toBe(code);
    for (const member of MEMBERS) expect(String(explained[member]).length, member).toBeGreaterThan(5);
  });

  it('prints text without Markdown, no line wider than a terminal', async () => {
    const { out } = await cli(['explain', 'SDK_REDIRECT']);
    expect(out).toMatch(/^SDK_REDIRECT {2}UnexpectedResponseError\n\n {2}A 3xx arrived/);
    expect(out).toContain('\nRemedy\n  Set baseUrl to the final address.');
    expect(out).toContain('\nExample\n');
    expect(out).not.toMatch(/[`*]|\]\(/);
    const [text = ''] = out.split('\nExample\n');
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it.each(['signature_mismatch', 'sdk_webhook_signature_mismatch'])(
    'takes %s, as a report or a log shows it',
    async (text) => {
      const { out } = await cli(['explain', text]);
      expect(out).toContain('SDK_WEBHOOK_SIGNATURE_MISMATCH');
    },
  );

  it('says of a code of the service that the interface does not describe it', async () => {
    const { code, out } = await cli(['explain', 'ACCOUNT_FROZEN']);
    expect(code).toBe(0);
    expect(out).toContain("hasCode(error, 'ACCOUNT_FROZEN')");
  });

  it('without a code, lists all', async () => {
    const { code, out } = await cli(['explain']);
    expect(code).toBe(0);
    for (const each of CODES.filter((name) => name !== 'SDK_HTTP_403')) expect(out).toContain(`${each}\n  `);
  });

  it.each(['SDK_NOTHING', "x'); process.exit('", '\u001b[2J'])('refuses %j, which is no code', async (text) => {
    const { code, err } = await cli(['explain', text]);
    expect(code).toBe(2);
    expect(err).not.toContain('\u001b[2J');
  });
});
