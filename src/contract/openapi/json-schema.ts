import { DECIMAL_TEXT_MAX } from '../values/scalars.ts';
import type { Member, RecordStructure, Structure } from '../values/structure.ts';

/** JSON Schema, draft 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Converts structures to JSON Schema, and collects the named records, so that each is described once. */
export class SchemaBook {
  readonly schemas: Record<string, JsonSchema> = {};

  /** Returns the schema of a structure. A named record is put into the book and referred to. */
  of(structure: Structure): JsonSchema {
    switch (structure.kind) {
      case 'text':
        return textSchema(structure);
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
          minimum: structure.min,
          ...(structure.max !== Number.MAX_SAFE_INTEGER && { maximum: structure.max }),
          default: structure.byDefault,
        };
      case 'flag':
        return { type: 'boolean' };
      case 'anything':
        return {};
      case 'list':
        return { type: 'array', items: this.of(structure.item) };
      case 'either':
        return { anyOf: structure.structures.map((each) => this.of(each)) };
      case 'record':
        return this.#record(structure);
    }
  }

  member({ structure, isOptional }: Member): JsonSchema {
    const schema = this.of(structure);
    return isOptional && structure.kind !== 'anything' ? { anyOf: [schema, { type: 'null' }] } : schema;
  }

  #record({ name, members }: RecordStructure): JsonSchema {
    if (name !== null && this.schemas[name] !== undefined) return { $ref: `#/components/schemas/${name}` };
    const entries = Object.entries(members);
    const required = entries.filter(([, { isOptional }]) => !isOptional).map(([key]) => key);
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

function textSchema({ words, min, max, isClosed }: Extract<Structure, { kind: 'text' }>): JsonSchema {
  if (isClosed) return { type: 'string', enum: words };
  return {
    type: 'string',
    // The words of an answer are the known values. A closed list would make a new one a violation.
    ...(words !== undefined && { examples: words, description: `Known values: ${words.join(', ')}.` }),
    ...(min !== undefined && min > 0 && { minLength: min }),
    ...(max !== undefined && { maxLength: max }),
  };
}
