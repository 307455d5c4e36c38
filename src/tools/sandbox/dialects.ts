// Where the service interface leaves a point open, services differ. This file holds the points for which a merchant's
// code must behave otherwise. Forms that only the client absorbs are fixtures of its tests.
import { quoted } from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';

/** Every value of each dialect that the sandbox supports, the default first. `docs/sandbox.md` says what each means. */
export const DIALECTS = {
  unpayableAmount: ['refused', 'accepted'],
  conflictDetails: ['full', 'renamed', 'nested', 'absent'],
  failureCodes: ['general', 'specific'],
  invoiceReadForm: ['full', 'creation'],
  invoiceReadIdent: ['both', 'uuid', 'external_id'],
  withdrawalQuery: ['as_invoices', 'other', 'strict'],
  laterVersion: ['none', 'some'],
  signatureEncoding: ['hex', 'base64'],
  timestampFormat: ['seconds', 'milliseconds', 'iso'],
  timestampPer: ['attempt', 'delivery'],
  orderIdMember: ['external_id', 'order_id', 'order.id', 'merchant_order_id'],
  adjustedMember: ['adjusted', 'is_adjusted', 'payment.adjusted', 'only_when_true'],
} as const;

/**
 * How the sandbox answers where services differ, with a member for each point. `docs/sandbox.md` says what the values
 * mean and which code they test.
 *
 * The defaults are the most likely values, and your service may have others. Run your tests over those before you go
 * live.
 *
 * @example
 * const sandbox = createSandbox({ dialect: { signatureEncoding: 'base64' } });
 * @experimental
 */
export type Dialect = { readonly [Name in keyof typeof DIALECTS]: (typeof DIALECTS)[Name][number] };

/**
 * The given values over the defaults.
 *
 * @throws ConfigurationError for a name or value that is not in the table.
 */
export function dialectFrom(given: { readonly [Name in keyof Dialect]?: Dialect[Name] | undefined } = {}): Dialect {
  const table: Readonly<Record<string, readonly string[]>> = DIALECTS;
  const changed = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of changed) {
    const values = Object.hasOwn(table, name) ? table[name] : undefined;
    if (values === undefined)
      throw new ConfigurationError(`dialect has no ${quoted(name)}, only ${Object.keys(table).join(', ')}`);
    if (!values.some((each) => each === value)) {
      throw new ConfigurationError(
        `dialect.${name} must be one of ${values.map(quoted).join(', ')}, not ${quoted(value)}`,
      );
    }
  }
  const defaults = Object.entries(table).map(([name, [first]]) => [name, first]);
  return Object.fromEntries([...defaults, ...changed]) as unknown as Dialect; // each name has a value of its list
}

/** A resource with the members that a later version of the service adds. */
export function wireForm({ laterVersion }: Dialect, fields: object): object {
  return laterVersion === 'none' ? fields : { ...fields, risk_score: '0.10', tags: ['sandbox'] };
}
