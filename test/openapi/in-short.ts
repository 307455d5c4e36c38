import { openApiDocument } from '../../src/contract/openapi/openapi.ts';

export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly examples?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
  readonly [other: string]: unknown;
}

export interface Call {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: Schema }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  readonly responses: Readonly<Record<string, Answered>>;
}

interface Answered {
  readonly description: string;
  readonly content?: Record<string, { schema: Schema }>;
}

interface Document {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: unknown;
  readonly security: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Call>>>>;
  readonly webhooks: Readonly<Record<string, { post: Call }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly securitySchemes: unknown };
}

export const document = JSON.parse(JSON.stringify(openApiDocument())) as Document; // its own type is any JSON schema

/** A schema in short: `?` is nullable, `*` may be absent, `any` is not shown, `->` is a schema of its own. */
export function inShort(schema: Schema): string {
  const { type, format, pattern, properties, required, items, anyOf, $ref, examples, description, ...others } = schema;
  const { maxLength, ...unbounded } = others;
  const rest = pattern !== undefined && maxLength === 150 ? unbounded : others; // the bound of every decimal of an answer
  if ($ref !== undefined) return `-> ${$ref.replace('#/components/schemas/', '')}`;
  if (anyOf !== undefined) {
    if (anyOf.length === 2 && anyOf[1]?.type === 'null') return `${inShort(anyOf[0] ?? {})}?`;
    return anyOf.map(inShort).join(' or ');
  }
  if (properties !== undefined) {
    const members = Object.entries(properties).map(
      ([name, member]) => `${name}${required?.includes(name) ? '' : '*'}: ${inShort(member)}`,
    );
    return `{ ${members.join(', ')} }`;
  }
  if (items !== undefined) return `${type === 'array' ? 'list' : type} of ${inShort(items)}`;
  const limits = Object.entries(rest).map(([name, value]) => ` ${name} ${value}`);
  const words = pattern === undefined && examples !== undefined ? ` of ${examples.join(' ')}` : '';
  return `${format ?? (pattern === undefined ? (type ?? 'any') : 'decimal')}${words}${limits.join('')}`;
}
