import * as z from 'zod/mini';

/** What a codec reads, as data: for the OpenAPI description, for drift and for the quick check of rows. */
export type Structure =
  | {
      readonly kind: 'text';
      readonly words?: readonly string[];
      readonly min?: number;
      readonly max?: number;
      readonly orNull?: boolean;
      /** No other word is valid: the service answers another word in a query with 422. */
      readonly isClosed?: boolean;
    }
  /** `orNull`: null where the value cannot be read. */
  | { readonly kind: 'decimal' | 'timestamp'; readonly orNull?: boolean }
  | { readonly kind: 'integer' | 'flag' | 'anything' | 'address' | 'amount' }
  | { readonly kind: 'whole'; readonly min: number; readonly max: number; readonly byDefault?: number | undefined }
  | { readonly kind: 'list'; readonly item: Structure }
  /** One of several, the fullest first: the interface does not show which. */
  | { readonly kind: 'either'; readonly structures: readonly [Structure, ...Structure[]] }
  | RecordStructure;

export interface RecordStructure {
  readonly kind: 'record';
  /** The name of its schema in the OpenAPI document; null for a schema in place. */
  readonly name: string | null;
  readonly members: Readonly<Record<string, Member>>;
  /** The member names are chosen by this package: the interface does not show the wire's. */
  readonly hasChosenNames?: boolean;
}

/** A member of a record. */
export interface Member {
  readonly structure: Structure;
  /** True where the member may be absent or null. */
  readonly isOptional: boolean;
}

/** Any structure but a record. */
export type Scalar = Exclude<Structure, RecordStructure>;

/** What zod cannot tell of a schema: the rule inside a transform, and the name of a record. */
type Annotation = Scalar | Omit<RecordStructure, 'members'>;

const annotations = z.registry<Annotation>();

/** Annotates a schema and returns it. */
export function annotated<S extends z.core.$ZodType>(schema: S, annotation: Annotation): S {
  annotations.add(schema, annotation);
  return schema;
}

/** Returns the structure of a schema: its annotation, or what zod itself knows about it. */
export function structureOf(schema: z.core.$ZodType): Structure {
  const annotation = annotations.get(schema);
  if (annotation !== undefined && annotation.kind !== 'record') return annotation;
  const { def } = (schema as z.core.$ZodTypes)._zod; // every schema of zod is one of this union
  switch (def.type) {
    case 'string':
      return { kind: 'text' };
    case 'boolean':
      return { kind: 'flag' };
    case 'nullable':
    case 'default':
      return structureOf(def.innerType);
    case 'pipe':
      return structureOf(def.out._zod.def.type === 'transform' ? def.in : def.out);
    case 'object': {
      const members = Object.entries(def.shape).map(([name, member]) => [name, memberOf(member)]);
      return { kind: 'record', name: null, ...annotation, members: Object.fromEntries(members) };
    }
    default:
      return { kind: 'anything' };
  }
}

function memberOf(schema: z.core.$ZodType): Member {
  return { structure: structureOf(schema), isOptional: schema._zod.optin !== undefined };
}

/** Returns the path of a member: names joined with dots. */
export function pathTo(parent: string, name: string | number): string {
  return parent === '' ? String(name) : `${parent}.${name}`;
}
