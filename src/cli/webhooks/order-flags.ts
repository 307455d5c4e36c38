import { compareAmounts, isAmount } from '../../sandbox/business/money.ts';
import { misuse } from '../io.ts';

/** The order of a delivery, as the flags give it. */
export interface GivenOrder {
  readonly externalId: string | null;
  /** The uuid of its invoice. */
  readonly uuid: string | undefined;
  readonly amount: string;
  readonly currency: string;
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Checks the flags of an order, so that no delivery has an order that the service could not have. */
export function parseOrder(
  values: {
    readonly 'external-id'?: string | undefined;
    readonly uuid?: string | undefined;
    readonly amount: string;
    readonly currency: string;
  },
  fix: string,
): GivenOrder {
  const { 'external-id': externalId = null, uuid, amount, currency } = values;
  if (uuid !== undefined && !/^[\w-]{1,64}$/.test(uuid)) {
    throw misuse(`--uuid takes the uuid of an invoice, not ${JSON.stringify(uuid)}`, fix);
  }
  const length = externalId === null ? 1 : [...externalId].length;
  if (length < 1 || length > 128) throw misuse(`--external-id takes 1 to 128 characters, not ${length}`, fix);
  if (!CURRENCIES.has(currency)) {
    throw misuse(`--currency takes a code of ISO 4217 such as EUR, not ${JSON.stringify(currency)}`, fix);
  }
  return { externalId, uuid, amount: parseAmount('--amount', amount, fix), currency };
}

/** Checks the paid amount of an event, which must be what the event says of it. */
export function parsePaid(kind: string, paid: string | undefined, amount: string, fix: string): string | undefined {
  if (paid === undefined) return undefined;
  if (kind !== 'adjusted' && kind !== 'overpaid') {
    throw misuse(`--paid belongs to adjusted and overpaid, not to ${kind}`, fix);
  }
  const order = compareAmounts(parseAmount('--paid', paid, fix), amount);
  if (order === 0) throw misuse(`--paid ${paid} is the ordered amount, so nothing is ${kind}`, fix);
  if (order < 0 && kind === 'overpaid') throw misuse(`--paid ${paid} is less than --amount ${amount}`, fix);
  return paid;
}

function parseAmount(flag: string, text: string, fix: string): string {
  if (isAmount(text)) return text;
  throw misuse(`${flag} takes an amount such as 25.00, not ${JSON.stringify(text)}`, fix);
}
