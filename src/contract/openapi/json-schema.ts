import { DECIMAL_TEXT_MAX } from '../values/scalars.ts';
import type { Form, Member } from './forms.ts';

/** JSON Schema, draft 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Collects the named records, so that each is described once. */
export class SchemaBook {
  readonly schemas: Record<string, JsonSchema> = {};

  /** The schema of a form; a named record is put into the book and referred to. */
  of(form: Form): JsonSchema {
    switch (form.kind) {
      case 'text':
        return textSchema(form);
      case 'decimal':
        return {
          type: 'string',
          pattern: '^-?\\d+(\\.\\d+)?([eE][+-]?\\d{1,2})?$',
          maxLength: DECIMAL_TEXT_MAX,
          examples: ['25.00'],
        };
      case 'amount':
        return {
          type: 'string',
          pattern: '^\\d{1,30}(\\.\\d{1,2})?$',
          description: 'Greater than 0.',
          examples: ['25.00'],
        };
      case 'timestamp':
        return { type: 'string', format: 'date-time' };
      case 'address':
        return { type: 'string', format: 'uri', maxLength: 512, description: 'HTTPS.' };
      case 'integer':
        return { type: 'integer' };
      case 'whole':
        return {
          type: 'integer',
          minimum: form.min,
          ...(form.max !== Number.MAX_SAFE_INTEGER && { maximum: form.max }),
          ...(form.byDefault !== undefined && { default: form.byDefault }),
        };
      case 'flag':
        return { type: 'boolean' };
      case 'anything':
        return {};
      case 'list':
        return { type: 'array', items: this.of(form.item) };
      case 'either':
        return { anyOf: form.forms.map((each) => this.of(each)) };
      case 'record':
        return this.#record(form.name, form.members);
    }
  }

  member({ form, nullable }: Member): JsonSchema {
    const schema = this.of(form);
    return nullable && form.kind !== 'anything' ? { anyOf: [schema, { type: 'null' }] } : schema;
  }

  #record(name: string | null, members: Readonly<Record<string, Member>>): JsonSchema {
    if (name !== null && this.schemas[name] !== undefined) return { $ref: `#/components/schemas/${name}` };
    const entries = Object.entries(members);
    const required = entries.filter(([, { optional }]) => !optional).map(([key]) => key);
    const schema = {
      type: 'object',
      properties: Object.fromEntries(entries.map(([key, member]) => [key, this.member(member)])),
      ...(required.length > 0 && { required }),
    };
    if (name === null) return schema;
    this.schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }
}

function textSchema({ words, min, max, isClosed }: Extract<Form, { kind: 'text' }>): JsonSchema {
  if (isClosed) return { type: 'string', enum: words };
  return {
    type: 'string',
    // Words of an answer are known values, not all that may ever come: a closed list would turn a new one into a violation.
    ...(words !== undefined && { examples: words, description: `Known values: ${words.join(', ')}.` }),
    ...(min !== undefined && min > 0 && { minLength: min }),
    ...(max !== undefined && { maxLength: max }),
  };
}
