import { isLoopback } from '../../contract/values/hosts.ts';
import { activeCurrencies, activeCurrency, isPayable, rangesOf } from '../business/methods-and-rates.ts';
import { isAmount } from '../business/money.ts';
import type { InvoiceDraft } from '../state/records.ts';
import type { World } from '../world.ts';
import { type FieldProblem, InvalidRequest } from './respond.ts';

/** Reads the body of a creation by the Limits table of the interface. Lengths are in code points. Unknown members are ignored. */
export function readDraft(world: World, body: string): InvoiceDraft {
  const source = jsonObject(body);
  const problems: FieldProblem[] = [];
  const add = (field: string, message: string, type: string): void => {
    problems.push({ where: 'body', field, message, type });
  };
  const member = (field: string): unknown => (Object.hasOwn(source, field) ? source[field] : undefined);
  const text = (field: string, min: number, max: number): string | null => {
    const value = member(field);
    if (value === undefined) add(field, 'is required', 'missing');
    else if (typeof value !== 'string') add(field, 'must be a string', 'string_type');
    else if (length(value) < min) add(field, `must have at least ${min} characters`, 'string_too_short');
    else if (length(value) > max) add(field, `must have at most ${max} characters`, 'string_too_long');
    else return value;
    return null;
  };
  const optional = (field: string, max: number): string | null => {
    const value = member(field);
    return value === undefined || value === null ? null : text(field, 0, max);
  };
  const address = (field: string): string | null => {
    const value = optional(field, 512);
    if (value === null || isSafeAddress(value, world.settings.deliverTo)) return value;
    const also = 'the sandbox also takes http:// for this machine and the hosts of deliverTo';
    add(field, `must be an https:// URL (${also})`, 'url_scheme');
    return null;
  };
  const external_id = text('external_id', 1, 128);
  const customer_id = text('customer_id', 1, 128);
  const amount = text('amount', 0, Number.POSITIVE_INFINITY);
  const isReadable = amount !== null && isAmount(amount);
  if (amount !== null && !isReadable) {
    add('amount', 'must be a decimal greater than 0 with at most 2 decimal places', 'decimal_parsing');
  }
  const code = text('currency', 2, 16);
  const currency = code === null ? undefined : activeCurrency(world, code);
  if (code !== null && currency === undefined) {
    const allowed = activeCurrencies(world).join(', ');
    add('currency', `is not an active currency allowed for the business: ${allowed || 'none'}`, 'value_error');
  }
  const refusesUnpayable = world.settings.dialect.unpayableAmount === 'refused';
  if (refusesUnpayable && isReadable && currency !== undefined && !isPayable(world, amount, currency.code)) {
    const ranges = rangesOf(world, currency.code);
    add('amount', `is outside the range of every payment method: ${ranges}`, 'value_error');
  }
  const purpose = optional('purpose', 255);
  const callback_url = address('callback_url');
  const success_url = address('success_url');
  const fail_url = address('fail_url');
  if (
    problems.length > 0 ||
    external_id === null ||
    customer_id === null ||
    amount === null ||
    currency === undefined
  ) {
    throw new InvalidRequest(problems);
  }
  return { external_id, customer_id, amount, currency, purpose, callback_url, success_url, fail_url };
}

function jsonObject(body: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    const message = body === '' ? 'is required' : 'is not valid JSON';
    throw new InvalidRequest([{ where: 'body', field: null, message, type: 'json_invalid' }]);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidRequest([{ where: 'body', field: null, message: 'must be a JSON object', type: 'dict_type' }]);
  }
  return value as Readonly<Record<string, unknown>>; // a parsed JSON object has text keys
}

function length(text: string): number {
  return [...text].length;
}

function isSafeAddress(text: string, allowed: readonly string[]): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname) || allowed.includes(hostname.toLowerCase());
}
