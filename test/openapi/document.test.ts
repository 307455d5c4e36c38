import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';

const yaml = readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8');

it('docs/openapi.yaml is valid for a public validator, and has the nine endpoints and both webhooks', async () => {
  const validator = new Validator();
  expect(await validator.validate(yaml)).toEqual({ valid: true });
  const { paths = {}, webhooks = {} } = validator.specification as {
    paths?: Record<string, object>;
    webhooks?: object;
  };
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) => (method === 'parameters' ? [] : [`${method} ${path}`])),
  );
  expect(found.sort()).toEqual([
    'get /api/v1/external/invoices',
    'get /api/v1/external/invoices/{ident}',
    'get /api/v1/external/invoices/{ident}/webhooks',
    'get /api/v1/external/payment-methods',
    'get /api/v1/external/rates',
    'get /api/v1/external/withdrawals',
    'get /api/v1/external/withdrawals/{withdrawal_uuid}',
    'post /api/v1/external/invoices',
    'post /api/v1/external/invoices/{ident}/resend-webhook',
  ]);
  expect(Object.keys(webhooks)).toEqual(['invoice.paid', 'invoice.canceled']);
});

it('is refused by the validator when it is broken, so the validator looks', async () => {
  expect((await new Validator().validate(yaml.replace(/^info:$/m, 'x-info:'))).valid).toBe(false);
});
