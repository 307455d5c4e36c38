import { describe, expect, test } from 'vitest';
import { endpoints } from '../../../src/contract/endpoints.ts';
import { type Checked, check, integer, parameters } from '../../../src/contract/values/codecs.ts';
import { readAnswer } from '../../../src/transport/answer.ts';
import type { CallContext, Failure } from '../../../src/transport/failure.ts';
import { hiding } from '../../../src/transport/hide.ts';
import type { Answer } from '../../../src/transport/http.ts';
import { outcomeOf } from '../../../src/transport/retry.ts';
import { runtimeOf } from '../../../src/transport/runtime.ts';
import type { Reading } from '../../../src/transport/scope.ts';

// One answer, read: the whole sentence of each failure, and what of the answer is in it.

const context: CallContext = {
  operation: 'rates.list',
  externalId: null,
  attempts: [],
  outcome: 'rejected',
  stoppedBy: 'not_retryable',
  isWrite: false,
};
const reading: Reading<unknown> = {
  endpoint: endpoints['invoices.create'],
  data: check(() => parameters({ id: integer })),
  pageSize: null,
  externalId: null,
  client: {
    runtime: runtimeOf({ now: () => Date.UTC(2026, 0, 31) }),
    drift: null,
  },
};
const answer = (status: number, raw: string, more: Partial<Answer> = {}): Answer => ({
  status,
  headers: new Headers(),
  requestId: 'req-7',
  raw,
  cut: false,
  receivedAt: 0,
  broken: false,
  redirected: false,
  hide: hiding(['sk_live_1']),
  ...more,
});

function failureOf(given: Answer, more: Partial<Reading<unknown>> = {}): Failure {
  const read = readAnswer(given, { ...reading, ...more });
  if (read.ok) throw new Error('must fail');
  return read.failure;
}

describe('a success that is none', () => {
  test.each<[string, Answer, object, string]>([
    [
      'larger than the cap',
      answer(200, '{"da', { cut: true }),
      { code: 'SDK_BODY_TOO_LARGE', retryClass: 'never', outcome: 'unknown' },
      'the answer is larger than 10 MiB (HTTP 200). See docs/errors.md#sdk_body_too_large',
    ],
    [
      'broken off',
      answer(200, '{"da', { broken: true }),
      { code: 'SDK_UNREADABLE_BODY', retryClass: 'unanswered', outcome: 'unknown' },
      'the body of the answer broke off or is not UTF-8 (HTTP 200). See docs/errors.md#sdk_unreadable_body',
    ],
    [
      'no JSON',
      answer(201, '<html>'),
      { code: 'SDK_UNREADABLE_BODY', retryClass: 'unanswered', outcome: 'unknown' },
      'the body of the answer is not JSON (HTTP 201). See docs/errors.md#sdk_unreadable_body',
    ],
    [
      'a member of another type',
      answer(200, '{"data":{"id":"seven"}}'),
      { code: 'SDK_CONTRACT', retryClass: 'never', outcome: 'unknown' },
      'the answer is not what the interface describes: id must be an integer (HTTP 200). See docs/errors.md#sdk_contract',
    ],
    [
      'something else as a whole',
      answer(200, '{"data":[1]}'),
      { code: 'SDK_CONTRACT', retryClass: 'never', outcome: 'unknown' },
      'the answer is not what the interface describes: data must be an object (HTTP 200). See docs/errors.md#sdk_contract',
    ],
    [
      'a redirect',
      answer(302, '', { headers: new Headers({ location: 'https://elsewhere.example/a?b=c' }) }),
      { code: 'SDK_REDIRECT', retryClass: 'never', outcome: 'unknown' },
      'the service redirects to https://elsewhere.example. Redirects are not followed, because the API key would be sent too. Set baseUrl to the final address (HTTP 302). See docs/errors.md#sdk_redirect',
    ],
    [
      'a redirect to nowhere',
      answer(399, ''),
      { code: 'SDK_REDIRECT', retryClass: 'never', outcome: 'unknown' },
      'the service redirects. Redirects are not followed, because the API key would be sent too. Set baseUrl to the final address (HTTP 399). See docs/errors.md#sdk_redirect',
    ],
    [
      'a redirect to a path',
      answer(300, '', { headers: new Headers({ location: '/there' }) }),
      { code: 'SDK_REDIRECT', outcome: 'unknown' },
      'the service redirects. Redirects are not followed, because the API key would be sent too. Set baseUrl to the final address (HTTP 300). See docs/errors.md#sdk_redirect',
    ],
    [
      'a redirect as browsers show it',
      answer(0, ''),
      { code: 'SDK_REDIRECT', outcome: 'unknown' },
      'the service redirects. Redirects are not followed, because the API key would be sent too. Set baseUrl to the final address (HTTP 0). See docs/errors.md#sdk_redirect',
    ],
  ])('%s', (_name, given, expected, sentence) => {
    const failure = failureOf(given);
    expect(failure).toMatchObject({ ...expected, status: given.status, retryAfter: undefined });
    const error = failure.toError(context);
    expect(error.message).toBe(`rates.list: ${sentence}`);
    expect(error).toMatchObject({ kind: 'unexpected_response', status: given.status, requestId: 'req-7' });
  });

  test('names what was found, by path, and the body, without the key', () => {
    const error = failureOf(answer(200, '{"data":{"sk_live_1":1}}')).toError(context);
    expect(error).toMatchObject({
      raw: '{"data":{"[redacted]":1}}',
      issues: [
        { path: 'id', message: 'is required' },
        { path: '[redacted]', message: 'is not a parameter of this call' },
      ],
    });
    expect(error.message).toContain('id is required');
  });

  test('without a finding says no more than that', () => {
    const data = Object.assign((): Checked<unknown> => ({ ok: false, issues: [] }));
    expect(failureOf(answer(200, '{}'), { data }).toError(context).message).toBe(
      'rates.list: the answer is not what the interface describes (HTTP 200). See docs/errors.md#sdk_contract',
    );
  });

  test.each([100, 199, 400, 599])('HTTP %i is a refusal, whatever its body', (status) => {
    expect(failureOf(answer(status, '{"data":{"id":7}}')).toError(context)).toMatchObject({
      code: `SDK_HTTP_${status}`,
    });
  });
});

describe('a success', () => {
  test.each([200, 201, 202, 206, 299])('is HTTP %i with what the interface describes', (status) => {
    const seen: unknown[] = [];
    const body = { success: true, data: { id: 7 } };
    const drift = {
      begin: () => undefined,
      report(_endpoint: unknown, decoded: unknown) {
        seen.push(decoded);
        return [];
      },
    };
    const client = { ...reading.client, drift };
    const read = readAnswer(answer(status, JSON.stringify(body)), { ...reading, client });
    expect(read).toEqual({ ok: true, value: { id: 7 } });
    expect(seen).toEqual([body]);
  });

  test.each(['null', '7', '"text"', '[]', 'true'])('is not %s', (raw) => {
    expect(failureOf(answer(200, raw))).toMatchObject({ code: 'SDK_CONTRACT' });
  });
});

describe('the words of a refusal', () => {
  const refused = (status: number, body: unknown) => failureOf(answer(status, JSON.stringify(body))).toError(context);

  test.each<[string, unknown, string, string]>([
    ['a code as the error', { error: 'NO_FUNDS' }, 'NO_FUNDS', ' "NO_FUNDS"'],
    ['words as the error', { error: 'No funds' }, 'SDK_HTTP_400', ' "No funds"'],
    ['a word that is no code', { error: 'aNO_FUNDS' }, 'SDK_HTTP_400', ' "aNO_FUNDS"'],
    ['a number as the error', { error: 7 }, 'SDK_HTTP_400', ''],
    ['a list as the error', { error: ['NO_FUNDS'] }, 'SDK_HTTP_400', ''],
    ['code and message outside', { code: 'NO_FUNDS', message: 'None' }, 'NO_FUNDS', ' "None"'],
    ['words as the detail', { detail: 'Not today' }, 'SDK_HTTP_400', ' "Not today"'],
    ['an empty code and message', { error: { code: '', message: '' } }, 'SDK_HTTP_400', ''],
    ['a code of a number', { error: { code: 7, message: 7 } }, 'SDK_HTTP_400', ''],
    ['nothing', null, 'SDK_HTTP_400', ''],
    ['a list', [{ code: 'NO_FUNDS' }], 'SDK_HTTP_400', ''],
  ])('%s', (_name, body, code, said) => {
    const error = refused(400, body);
    expect(error.code).toBe(code);
    expect(error.message.startsWith(`rates.list: HTTP 400 ${code}${said}. `)).toBe(true);
  });

  test.each<[string, unknown, readonly object[], string]>([
    ['a text for a field', { details: { amount: 'bad' } }, [{ path: 'amount', message: 'bad' }], ' (amount: bad)'],
    [
      'several for a field',
      { details: { amount: ['bad', 'worse'] } },
      [
        { path: 'amount', message: 'bad' },
        { path: 'amount', message: 'worse' },
      ],
      ' (amount: bad; amount: worse)',
    ],
    ['null for a field', { details: { amount: null } }, [], ''],
    [
      'an object for a field',
      { details: { amount: { max: 5 } } },
      [{ path: 'amount', message: '{"max":5}' }],
      ' (amount: {"max":5})',
    ],
    ['a list of texts', { details: ['bad', null] }, [{ path: '', message: 'bad' }], ' (bad)'],
    ['a text', { detail: 'bad' }, [{ path: '', message: 'bad' }], ' (bad)'],
    ['a number', { detail: 7 }, [{ path: '', message: '7' }], ' (7)'],
    [
      'an item',
      { detail: { loc: ['query', 'page'], msg: 'bad', type: 'int' } },
      [{ path: 'page', message: 'bad', type: 'int' }],
      ' (page: bad)',
    ],
    [
      'an item of a path',
      { detail: [{ loc: ['path', 'ident'], msg: 'bad' }] },
      [{ path: 'ident', message: 'bad' }],
      ' (ident: bad)',
    ],
    [
      'an item of somewhere else',
      { detail: [{ loc: ['header', 'x', 0], msg: 'bad' }] },
      [{ path: 'header.x.0', message: 'bad' }],
      ' (header.x.0: bad)',
    ],
    [
      'an item with a message',
      { detail: [{ loc: 'amount', message: 'bad' }] },
      [{ path: 'amount', message: 'bad' }],
      ' (amount: bad)',
    ],
    [
      'an item that says nothing',
      { detail: [{ loc: ['body', 'amount', {}] }] },
      [{ path: 'amount', message: 'is invalid' }],
      ' (amount: is invalid)',
    ],
    ['an item of null', { detail: [{ msg: null }] }, [{ path: '', message: 'is invalid' }], ' (is invalid)'],
    ['items of nothing', { detail: [null, undefined] }, [], ''],
  ])('issues: %s', (_name, body, issues, named) => {
    const error = refused(422, body);
    expect(error).toMatchObject({ kind: 'validation', code: 'VALIDATION_ERROR', issues });
    if (error.kind === 'validation') expect(error.issues).toHaveLength(issues.length);
    const said = typeof (body as { detail?: unknown }).detail === 'string' ? ' "bad"' : '';
    expect(error.message).toBe(
      `rates.list: HTTP 422 VALIDATION_ERROR${said}${named}. Correct the fields named in error.fields.`,
    );
  });

  test('are bounded, however many and long', () => {
    const long = 'x'.repeat(5_000);
    const many = refused(422, { detail: Array.from({ length: 500 }, () => ({ loc: ['body', 'a'], msg: long })) });
    expect(many).toMatchObject({ issues: { length: 20 } });
    expect(many.kind === 'validation' && many.issues[0]?.message).toBe('x'.repeat(1_000));
    expect(many.message).toContain(
      `(${Array(3)
        .fill(`a: ${'x'.repeat(100)}`)
        .join('; ')}; more than 20 in all). Correct`,
    );
    const odd = refused(422, { details: { a: { long } } });
    expect(odd.kind === 'validation' && odd.issues[0]?.message).toHaveLength(1_000);
    const said = refused(400, { error: { code: 'C'.repeat(500), message: long } });
    expect(said.code).toBe('C'.repeat(128));
    expect(said.message).toContain(`"${'x'.repeat(300)}". Correct`);
    const raw = failureOf(answer(400, long)).toError(context);
    expect(raw).toMatchObject({ raw: 'x'.repeat(2_000) });
  });
});

test('the end of a call is the worst of its attempts', () => {
  const of = (...outcomes: ('not_sent' | 'rejected' | 'unknown')[]) =>
    outcomeOf(outcomes.map((outcome) => ({ outcome })));
  expect(of()).toBe('not_sent');
  expect(of('not_sent', 'rejected', 'not_sent')).toBe('rejected');
  expect(of('unknown', 'rejected', 'not_sent')).toBe('unknown');
});
