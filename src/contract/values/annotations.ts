// cspell:ignore optin
import * as z from 'zod/mini';
import type { Member, RecordStructure, Scalar, Structure } from './structure.ts';

/** The part of a structure that zod does not know: the rule inside a transform, and the name of a record. */
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
