import { expect } from 'vitest';
import type { AnyMerchantError } from '../../src/errors/guards.ts';
import type { AnyDialect } from './stage.ts';

/** A code reaches the merchant in the envelope and in its bare error; else the SDK names the status. */
function codeIn({ failureBody }: AnyDialect, code: string, status: number): string {
  return failureBody === 'envelope' || failureBody === 'bare' ? code : `SDK_HTTP_${status}`;
}

export function expectUnauthorized(error: AnyMerchantError, dialect: AnyDialect): void {
  const [status, code] = dialect.failureCodes === 'general' ? [401, 'UNAUTHORIZED'] : [403, 'INVALID_API_KEY'];
  expect(error).toMatchObject({
    kind: 'authentication',
    code: codeIn(dialect, code, status),
    status,
    outcome: 'rejected',
    stoppedBy: 'not_retryable',
  });
  expect(error.attempts).toHaveLength(1);
}

export function expectNotFound(error: AnyMerchantError, dialect: AnyDialect, specific: string): void {
  const [status, code] = dialect.failureCodes === 'general' ? [404, 'NOT_FOUND'] : [410, specific];
  const isCoded = dialect.failureBody === 'envelope' || dialect.failureBody === 'bare';
  expect(error).toMatchObject({
    kind: isCoded ? 'not_found' : 'request', // a 404 without a code may be a proxy's
    answeredBy: isCoded ? 'service' : 'other',
    code: codeIn(dialect, code, status),
    status,
    outcome: 'rejected',
    stoppedBy: 'not_retryable',
  });
}

/** How a rate limit that shows no code is seen: by its status alone. */
export function rateLimitOf({ failureCodes, failureBody }: AnyDialect): {
  kind: 'rate_limit' | 'server';
  status: number;
} {
  const status = failureCodes === 'general' ? 429 : 503;
  const isSeen = status === 429 || failureBody === 'envelope' || failureBody === 'bare';
  return { kind: isSeen ? 'rate_limit' : 'server', status };
}

export function expectServerError(error: AnyMerchantError, dialect: AnyDialect): void {
  const [status, code] = dialect.failureCodes === 'general' ? [503, 'SERVICE_UNAVAILABLE'] : [500, 'INTERNAL_ERROR'];
  expect(error).toMatchObject({ kind: 'server', code: codeIn(dialect, code, status), status });
}

/** A time of the wire may have lost its milliseconds, and nothing more. */
export function expectTime(actual: Date | null, expected: string): void {
  expect(actual?.toISOString().slice(0, 19)).toBe(expected.slice(0, 19));
}
