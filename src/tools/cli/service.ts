// The service that `order` and `reconcile` read: its address and key, from flags or the environment.
import type { MerchantClient } from '../../client.ts';
import { underOtherName } from '../../errors/environment.ts';
import { fileBytes, type Io, misuse } from './io.ts';

interface ServiceFlags {
  readonly 'base-url'?: string | undefined;
  readonly 'key-file'?: string | undefined;
  readonly 'allow-http': boolean;
}

/** A client, and what it was made of. */
export interface Service {
  readonly merchant: MerchantClient;
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * Makes the client of a command, which loads it.
 *
 * @param example The command as it is usually typed, with which an error shows its remedy.
 * @param patience The deadline of a call in milliseconds, and its attempts.
 * @throws CliError if address or key is missing. ConfigurationError if one of them cannot be used.
 */
export async function serviceOf(
  flags: ServiceFlags,
  { env }: Pick<Io, 'env'>,
  example: string,
  patience: { readonly deadline: number; readonly attempts: number },
): Promise<Service> {
  const baseUrl = flags['base-url'] ?? (env['MERCHANT_BASE_URL'] || undefined);
  const path = flags['key-file'];
  // A file that an editor or a secret store wrote ends with a line break.
  const fromFile = path === undefined ? undefined : String(fileBytes(path, example)).replace(/\r?\n$/, '');
  const apiKey = fromFile ?? (env['MERCHANT_API_KEY'] || undefined);
  if (baseUrl === undefined) {
    const why = underOtherName('MERCHANT_BASE_URL', env) ?? ': npx reads no .env (node --env-file=.env does)';
    throw misuse(`MERCHANT_BASE_URL is not set${why}`, `${example} --base-url https://pay.example.com`);
  }
  if (apiKey === undefined) {
    const why = underOtherName('MERCHANT_API_KEY', env) ?? '';
    throw misuse(`MERCHANT_API_KEY is not set${why}`, `${example} --key-file key.txt`);
  }
  const { MerchantClient } = await import('../../index.ts');
  const { deadline, attempts } = patience;
  const options = { baseUrl, apiKey, allowHttp: flags['allow-http'], deadline, retry: { attempts } };
  return { merchant: new MerchantClient(options), baseUrl, apiKey };
}
