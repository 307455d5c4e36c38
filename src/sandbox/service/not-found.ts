import type { Dialect } from '../dialect/dialects.ts';
import { Refusal } from './respond.ts';

/** What is asked for and not there. */
export type Kind = 'INVOICE' | 'WEBHOOK' | 'WITHDRAWAL' | 'PAGE';

/** Refuses as the dialect words it. @see [Error groups](../../../docs/service-interface.md#error-groups) */
export function notFound({ notFoundStatus, notFoundCode, notFoundBody }: Dialect, what: Kind, message: string): never {
  const code = notFoundCode === 'general' ? 'NOT_FOUND' : `${what}_NOT_FOUND`;
  throw new Refusal(notFoundStatus, code, message, { form: notFoundBody });
}
