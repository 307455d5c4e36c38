/**
 * What a codec reads, as data: for the OpenAPI description and for noticing drift. A codec is a function and cannot be
 * asked; each one is registered with its form where it is made.
 */
export type Form =
  | {
      readonly kind: 'text';
      readonly words?: readonly string[];
      readonly min?: number;
      readonly max?: number;
      readonly orNull?: boolean;
      /** The words are all that there are: of a query, whose others are answered with 422. */
      readonly isClosed?: boolean;
    }
  /** `orNull`: null where it cannot be read. */
  | { readonly kind: 'decimal' | 'timestamp'; readonly orNull?: boolean }
  | { readonly kind: 'integer' | 'flag' | 'anything' | 'address' }
  | { readonly kind: 'amount' }
  | { readonly kind: 'whole'; readonly min: number; readonly max: number; readonly byDefault?: number | undefined }
  | { readonly kind: 'list'; readonly item: Form }
  /** One of several, the fullest first: the interface does not show which. */
  | { readonly kind: 'either'; readonly forms: readonly [Form, ...Form[]] }
  | {
      readonly kind: 'record';
      readonly name: string | null;
      readonly members: Readonly<Record<string, Member>>;
      /** The names are ours: the interface does not show the wire's. */
      readonly namesUnsaid?: boolean;
    };

/** A member of a record. */
export interface Member {
  readonly form: Form;
  /** May be absent. */
  readonly optional: boolean;
  /** May be null. */
  readonly nullable: boolean;
}

const ANYTHING: Member = { form: { kind: 'anything' }, optional: true, nullable: true };
const registered = new WeakMap<object, Member>();

/** Notes the form of a codec, and gives the codec back. */
export function described<S extends object>(codec: S, form: Form, traits: Partial<Omit<Member, 'form'>> = {}): S {
  registered.set(codec, { form, optional: false, nullable: false, ...traits });
  return codec;
}

/** The form of a codec; anything at all for one that was made without. */
export function memberOf(codec: object): Member {
  return registered.get(codec) ?? ANYTHING;
}

/** The form of what may be read as one codec or another. */
export function eitherOf(first: object, ...others: readonly object[]): Form {
  return { kind: 'either', forms: [memberOf(first).form, ...others.map((codec) => memberOf(codec).form)] };
}
