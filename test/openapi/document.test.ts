import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/contract/openapi/openapi.ts';

describe('the OpenAPI document', () => {
  const document = JSON.parse(JSON.stringify(openApiDocument())) as {
    openapi: string;
    paths: Record<string, Record<string, { parameters?: { name: string; in: string }[]; requestBody?: unknown }>>;
    webhooks: Record<string, unknown>;
    components: { schemas: Record<string, { required?: string[]; properties: Record<string, unknown> }> };
  };

  it('is valid for a public validator', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toEqual({ valid: true });
    expect(document.openapi).toBe('3.1.0');
  });

  it('is refused by the validator when it is broken, so the validator looks', async () => {
    const broken = structuredClone(document) as Record<string, unknown>;
    delete broken['info'];
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('has the nine endpoints of the interface and both webhooks', () => {
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(found.sort()).toEqual([
      'GET /api/v1/external/invoices',
      'GET /api/v1/external/invoices/{ident}',
      'GET /api/v1/external/invoices/{ident}/webhooks',
      'GET /api/v1/external/payment-methods',
      'GET /api/v1/external/rates',
      'GET /api/v1/external/withdrawals',
      'GET /api/v1/external/withdrawals/{withdrawal_uuid}',
      'POST /api/v1/external/invoices',
      'POST /api/v1/external/invoices/{ident}/resend-webhook',
    ]);
    expect(Object.keys(document.webhooks)).toEqual(['invoice.paid', 'invoice.canceled']);
  });

  it('says of an invoice what the interface says', () => {
    const { Invoice } = document.components.schemas;
    expect(Invoice?.required?.sort()).toEqual([
      'amount',
      'created_at',
      'currency',
      'customer_id',
      'expires_at',
      'external_id',
      'is_adjusted',
      'payment_url',
      'status',
      'uuid',
    ]);
    expect(Invoice?.properties['amount_to_send']).toMatchObject({ anyOf: [{ type: 'string' }, { type: 'null' }] });
  });

  it('lists the query parameters of the invoice list', () => {
    const parameters = document.paths['/api/v1/external/invoices']?.['get']?.parameters ?? [];
    expect(parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).toEqual([
      'query status',
      'query currency',
      'query page',
      'query per_page',
    ]);
  });
});
