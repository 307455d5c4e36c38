import { describe, expect, test } from 'vitest';
import {
  aborted,
  attemptTimeout,
  type CallContext,
  connectionFailure,
  deadlinePassed,
  type Failure,
  recordOf,
  unusableKey,
} from '../../../src/transport/failure.ts';

// What a failed attempt becomes, and the whole sentence that a merchant reads: what happened, and the way out.

const read: CallContext = {
  operation: 'rates.list',
  externalId: null,
  attempts: [],
  outcome: 'unknown',
  stoppedBy: 'attempts',
  isWrite: false,
};
const write: CallContext = { ...read, operation: 'invoices.create', isWrite: true };
const MAYBE = ' It may have been processed: repeat with the same external_id, or read it back.';

const asIs = (text: string) => text;
const coded = (code: string, message = 'no') => Object.assign(new Error(message), { code });
const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause });

test.each<[string, Failure, string, string]>([
  [
    'an attempt that took too long',
    attemptTimeout(10_000, 'unknown'),
    'SDK_ATTEMPT_TIMEOUT',
    'no complete answer within 10000 ms (option "timeout", body included).',
  ],
  [
    'a call that took too long',
    deadlinePassed(60_000, 'unknown'),
    'SDK_DEADLINE',
    'not finished within 60000 ms (option "deadline", all attempts and waits).',
  ],
  ['an abort', aborted('enough', 'unknown'), 'SDK_ABORTED', "aborted by the caller's signal."],
  [
    'a broken connection',
    connectionFailure(fetchFailed(coded('ECONNRESET', 'socket hang up')), true, asIs),
    'SDK_CONNECTION',
    'no answer from the service (ECONNRESET: socket hang up).',
  ],
  [
    'a certificate',
    connectionFailure(fetchFailed(coded('CERT_HAS_EXPIRED', 'certificate has expired')), true, asIs),
    'SDK_TLS',
    'the TLS connection could not be made (CERT_HAS_EXPIRED: certificate has expired).',
  ],
])('%s', (_name, failure, code, sentence) => {
  const outcome = failure.outcome;
  expect(recordOf(failure)).toEqual({ code, status: null, outcome });
  expect(failure).toMatchObject({ retryAfter: undefined });
  const error = failure.toError({ ...read, outcome });
  expect(error).toMatchObject({ code, operation: 'rates.list', outcome, stoppedBy: 'attempts' });
  expect(error.message).toBe(`rates.list: ${sentence}`);
  const written = failure.toError({ ...write, outcome: 'unknown' });
  expect(written.message).toBe(`invoices.create: ${sentence}${MAYBE} See docs/errors.md#${code.toLowerCase()}`);
  expect(failure.toError({ ...write, outcome: 'rejected' }).message).toBe(`invoices.create: ${sentence}`);
});

test('a key that is none', () => {
  const failure = unusableKey('the apiKey function failed');
  expect(recordOf(failure)).toEqual({ code: 'SDK_API_KEY', status: null, outcome: 'not_sent' });
  expect(failure.toError(write).message).toBe(
    'invoices.create: the apiKey function failed. No request was made with it. See docs/errors.md#sdk_api_key',
  );
});

describe('whatever fetch rejects with', () => {
  const of = (thrown: unknown, sent = true) => connectionFailure(thrown, sent, asIs);

  test.each([
    ['ECONNREFUSED', 'SDK_CONNECTION', 'not_sent', 'unanswered'],
    ['ENOTFOUND', 'SDK_CONNECTION', 'not_sent', 'unanswered'],
    ['EAI_AGAIN', 'SDK_CONNECTION', 'not_sent', 'unanswered'],
    ['UND_ERR_CONNECT_TIMEOUT', 'SDK_CONNECTION', 'not_sent', 'unanswered'],
    ['ECONNRESET', 'SDK_CONNECTION', 'unknown', 'unanswered'],
    ['EPIPE', 'SDK_CONNECTION', 'unknown', 'unanswered'],
    ['UND_ERR_SOCKET', 'SDK_CONNECTION', 'unknown', 'unanswered'],
    ['ETIMEDOUT', 'SDK_CONNECTION', 'unknown', 'unanswered'],
    ['CERT_HAS_EXPIRED', 'SDK_TLS', 'not_sent', 'never'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SDK_TLS', 'not_sent', 'never'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'SDK_TLS', 'not_sent', 'never'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SDK_TLS', 'not_sent', 'never'],
    ['HOSTNAME_MISMATCH', 'SDK_TLS', 'not_sent', 'never'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'SDK_TLS', 'not_sent', 'never'],
    ['EPROTO', 'SDK_TLS', 'not_sent', 'never'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'SDK_TLS', 'not_sent', 'never'],
    ['INVALID_CA', 'SDK_TLS', 'not_sent', 'never'],
    // A TLS record that is bad in the middle: the request may have been read.
    ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'SDK_TLS', 'unknown', 'never'],
    ['CRL_HAS_EXPIRED', 'SDK_TLS', 'unknown', 'never'],
    ['EPROTONOSUPPORT', 'SDK_CONNECTION', 'unknown', 'unanswered'],
    ['MY_CERT_', 'SDK_CONNECTION', 'unknown', 'unanswered'],
  ])('%s', (code, sdkCode, outcome, retryClass) => {
    expect(of(fetchFailed(coded(code)))).toMatchObject({ code: sdkCode, outcome, retryClass });
  });

  test.each(['bad port', 'unknown scheme', 'URL scheme must be "http"', 'Failed to parse URL from x', 'Invalid URL'])(
    'an address that is not tried: %s',
    (message) => {
      expect(of(fetchFailed(new Error(message)))).toMatchObject({ outcome: 'not_sent', retryClass: 'never' });
      expect(of(fetchFailed(new Error(`the ${message}`)))).toMatchObject({ outcome: 'unknown' });
    },
  );

  test('before the request was handed over: never sent, never repeated', () => {
    expect(of(new Error('no'), false)).toMatchObject({ outcome: 'not_sent', retryClass: 'never' });
    expect(of(new Error('no'))).toMatchObject({ outcome: 'unknown', retryClass: 'unanswered' });
  });

  test('a connection that was not made, by the call that failed', () => {
    const connect = Object.assign(coded('ETIMEDOUT'), { syscall: 'connect' });
    expect(of(fetchFailed(connect))).toMatchObject({ outcome: 'not_sent' });
    expect(of(fetchFailed(Object.assign(coded('ETIMEDOUT'), { syscall: 'read' })))).toMatchObject({
      outcome: 'unknown',
    });
  });

  test('several addresses: not sent only where none was reached', () => {
    const all = new AggregateError([coded('ECONNREFUSED'), coded('EHOSTUNREACH')].map(withConnect));
    expect(of(fetchFailed(all))).toMatchObject({ outcome: 'not_sent' });
    const one = new AggregateError([coded('ECONNREFUSED'), coded('ECONNRESET')]);
    expect(of(fetchFailed(one))).toMatchObject({ outcome: 'unknown' });
  });

  test.each([undefined, null, 'text', 7, {}, { message: 7 }, { code: 7 }, { cause: null }])('%j', (thrown) => {
    const failure = of(thrown);
    expect(failure).toMatchObject({ code: 'SDK_CONNECTION', outcome: 'unknown' });
    expect(failure.toError(read).message).toBe('rates.list: no answer from the service (fetch failed).');
  });

  test('a cause that is its own cause, and sixteen of them', () => {
    const round = new Error('round');
    round.cause = round;
    expect(of(round).toError(read).message).toContain('(round)');
    let deep: Error = coded('ECONNREFUSED', 'deepest');
    for (let level = 0; level < 14; level += 1) deep = new Error(`level ${level}`, { cause: deep });
    expect(of(deep)).toMatchObject({ outcome: 'not_sent' }); // the fifteenth
    for (let level = 0; level < 2; level += 1) deep = new Error(`level ${level}`, { cause: deep });
    expect(of(deep)).toMatchObject({ outcome: 'unknown' });
  });

  test('what it says is redacted, cut, and kept as a copy', () => {
    const thrown = fetchFailed(coded('ECONNRESET', `key sk_1 ${'x'.repeat(400)}`));
    const error = connectionFailure(thrown, true, (text) => text.replace('sk_1', '[redacted]')).toError(read);
    expect(error.message).toContain('ECONNRESET: key [redacted] xxx');
    expect(error.message.length).toBeLessThan(360);
    expect(error.cause).not.toBe(thrown.cause);
    expect(error.cause).toMatchObject({
      code: 'ECONNRESET',
      message: expect.stringMatching(/^key \[redacted\] x{2,300}$/),
    });
    expect(of(new Error('no code')).toError(read).cause).not.toHaveProperty('code');
  });

  test('a code that the text says already is not said twice', () => {
    const refused = coded('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1');
    expect(of(fetchFailed(refused)).toError(read).message).toBe(
      'rates.list: no answer from the service (connect ECONNREFUSED 127.0.0.1:1).',
    );
  });
});

function withConnect(error: Error): Error {
  return Object.assign(error, { syscall: 'connect' });
}
