/** The value that a codec reads, as data: for the OpenAPI document, for drift and for the quick check of rows. */
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
  /** The name of its schema in the OpenAPI document. Null for a schema without a name. */
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

/** Returns the path of a member: names joined with dots. */
export function pathTo(parent: string, name: string | number): string {
  return parent === '' ? String(name) : `${parent}.${name}`;
}
