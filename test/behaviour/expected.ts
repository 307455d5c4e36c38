import { expect } from 'vitest';
import type { AnyMerchantError } from '../../src/errors/guards.ts';
import type { FailureBody } from '../../src/sandbox/dialect/dialects.ts';
import type { Dialect } from '../../src/sandbox/index.ts';

/** A code reaches the merchant in the envelope and in its bare error; else the SDK names the status. */
export function codeIn(body: FailureBody, code: string, status: number): string {
  return body === 'envelope' || body === 'bare' ? code : `SDK_HTTP_${status}`;
}

export function expectUnauthorized(error: AnyMerchantError, { authStatus, authCode, authBody }: Dialect): void {
  expect(error).toMatchObject({
    kind: authStatus === 400 ? 'request' : 'authentication',
    code: codeIn(authBody, authCode, authStatus),
    status: authStatus,
    outcome: 'rejected',
    stoppedBy: 'not_retryable',
  });
  expect(error.attempts).toHaveLength(1);
}

export function expectNotFound(error: AnyMerchantError, dialect: Dialect, specific: string): void {
  const { notFoundStatus, notFoundCode, notFoundBody } = dialect;
  expect(error).toMatchObject({
    kind: notFoundStatus === 400 ? 'request' : 'not_found',
    code: codeIn(notFoundBody, notFoundCode === 'general' ? 'NOT_FOUND' : specific, notFoundStatus),
    status: notFoundStatus,
    outcome: 'rejected',
    stoppedBy: 'not_retryable',
  });
}

/** How a rate limit that shows no code is seen: by its status alone. */
export function rateLimitKind(dialect: Dialect): 'rate_limit' | 'server' | 'authentication' {
  const { rateLimitStatus, rateLimitBody } = dialect;
  if (rateLimitStatus === 429 || rateLimitBody === 'envelope' || rateLimitBody === 'bare') return 'rate_limit';
  return rateLimitStatus === 503 ? 'server' : 'authentication';
}

export function expectServerError(error: AnyMerchantError, dialect: Dialect): void {
  const { serverStatus, serverCode, serverBody } = dialect;
  expect(error).toMatchObject({
    kind: 'server',
    code: codeIn(serverBody, serverCode, serverStatus),
    status: serverStatus,
  });
}

/** A time of the wire may have lost its milliseconds, and nothing more. */
export function expectTime(actual: Date | null, expected: string): void {
  expect(actual?.toISOString().slice(0, 19)).toBe(expected.slice(0, 19));
}
