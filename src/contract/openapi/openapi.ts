// openapi/ describes the endpoints as OpenAPI 3.1. The command line loads it on request, and the client never does.

import type { Endpoint } from '../endpoint.ts';
import { endpoints, type Named } from '../endpoints.ts';
import type { Check } from '../values/codecs.ts';
import type { Member } from '../values/structure.ts';
import { failureSchemas, webhookDescriptions } from './fixed.ts';
import { type JsonSchema, SchemaBook } from './json-schema.ts';

/** Returns the service as an OpenAPI 3.1 document, built from the table that client and sandbox use. */
export function openApiDocument(): JsonSchema {
  const book = new SchemaBook();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const endpoint of Object.values<Named<Endpoint<unknown>>>(endpoints)) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operationOf(endpoint, book) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Merchant Invoicing Service',
      version: '0.1.0',
      description: 'Charge customers in fiat through hosted payment links, and be credited in USDT.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'https://pay.example.com' }],
    security: [{ apiKey: [] }],
    paths,
    webhooks: webhookDescriptions,
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
      schemas: { ...book.schemas, ...failureSchemas },
    },
  };
}

function operationOf(endpoint: Named<Endpoint<unknown>>, book: SchemaBook): JsonSchema {
  const parameters = [...parametersOf(endpoint.params, 'path', book), ...parametersOf(endpoint.query, 'query', book)];
  const body = endpoint.body?.structure?.();
  return {
    operationId: endpoint.operation,
    tags: [endpoint.operation.split('.')[0]],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: withoutNulls(book.of(body)) } } },
    }),
    responses: {
      '2XX': { description: 'Done. The exact status is not shown by the interface.', ...contentOf(endpoint, book) },
      '422': {
        description: 'Malformed request, in one of two shapes.',
        content: json({
          anyOf: [{ $ref: '#/components/schemas/Failure' }, { $ref: '#/components/schemas/FailureDetail' }],
        }),
      },
      default: { description: 'Refused or failed.', content: json({ $ref: '#/components/schemas/Failure' }) },
    },
  };
}

function contentOf(endpoint: Endpoint<unknown>, book: SchemaBook): JsonSchema {
  const structure = endpoint.data.structure?.();
  if (structure === undefined) return {}; // the response body is not shown
  const data = book.of(structure);
  const envelope = {
    type: 'object',
    properties: { success: { type: 'boolean', const: true, default: true }, data },
    required: ['data'],
  };
  if (endpoint.envelope === 'shown') return { content: json(envelope) };
  const bare = structure.kind === 'either' ? structure.structures.map((each) => book.of(each)) : [data];
  return { content: json({ anyOf: [envelope, ...bare] }) };
}

function parametersOf(check: Check<unknown> | undefined, where: 'path' | 'query', book: SchemaBook): JsonSchema[] {
  const structure = check?.structure?.();
  if (structure?.kind !== 'record') return [];
  return Object.entries(structure.members).map(([name, member]: [string, Member]) => ({
    name,
    in: where,
    required: where === 'path',
    schema: book.of(member.structure),
  }));
}

/** Returns the schema without null: the client leaves a null parameter out of the request. */
function withoutNulls(schema: JsonSchema): JsonSchema {
  const properties = schema['properties'];
  if (typeof properties !== 'object' || properties === null) return schema;
  const entries = Object.entries(properties).map(([name, member]: [string, { anyOf?: JsonSchema[] }]) => [
    name,
    member.anyOf?.[0] ?? member,
  ]);
  return { ...schema, properties: Object.fromEntries(entries) };
}

function json(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } };
}
