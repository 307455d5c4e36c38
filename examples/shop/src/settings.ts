/** The settings, from the environment. */
export interface Settings {
  /** Null: a sandbox in the process plays the service. */
  readonly live: { readonly webhookSecret: string } | null;
  readonly database: string;
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | undefined;
  /** A sandbox plays the service, in the process or elsewhere. */
  readonly isSandbox: boolean;
}

/**
 * MERCHANT_BASE_URL switches from the sandbox to the service. MERCHANT_API_KEY
 * is read by the client. @throws Error if a variable is missing or unusable
 */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
): Settings {
  const isLive = env['MERCHANT_BASE_URL'] !== undefined;
  const missing = [
    'MERCHANT_API_KEY',
    'MERCHANT_WEBHOOK_SECRET',
    'PUBLIC_URL',
  ].filter((name) => !env[name]);
  if (isLive && missing.length > 0)
    throw new Error(`with MERCHANT_BASE_URL, also set ${missing.join(', ')}`);
  const publicUrl = env['PUBLIC_URL']?.replace(/\/+$/, '');
  if (
    isLive &&
    !/^https:\/\/|^http:\/\/(127\.0\.0\.1|localhost)(:|$)/.test(publicUrl ?? '')
  ) {
    throw new Error(
      'PUBLIC_URL must begin with https://, because the service calls it',
    );
  }
  return {
    live: isLive
      ? { webhookSecret: env['MERCHANT_WEBHOOK_SECRET'] ?? '' }
      : null,
    // the invoices of a sandbox end with its process
    database: env['SHOP_DB'] ?? (isLive ? 'shop.db' : ':memory:'),
    host: env['HOST'] ?? '127.0.0.1',
    port: Number(env['PORT'] ?? 3000),
    publicUrl,
    isSandbox: !isLive || env['MERCHANT_SANDBOX'] === '1',
  };
}
