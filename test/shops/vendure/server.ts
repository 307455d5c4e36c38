import { bootstrap, DefaultLogger, LanguageCode, LogLevel, type VendureConfig } from '@vendure/core';
import { populate } from '@vendure/core/cli';
import { MerchantInvoicing, MerchantInvoicingPlugin } from './plugin.js';

// A shop of Vendure with one product, as a process. With `POPULATE` it makes its tables and ends.

const { PGHOST = '', PORT = '0', POPULATE } = process.env;
let service: MerchantInvoicing;
/** The scheduled task of the shop, when the storm wants it. */
function catchUp(_request: unknown, response: { statusCode: number; end(text: string): void }): void {
  service.catchUp().then(
    (result) => response.end(JSON.stringify(result)),
    (error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    },
  );
}

const config: VendureConfig = {
  apiOptions: {
    port: Number(PORT),
    hostname: '127.0.0.1',
    adminApiPath: 'admin-api',
    shopApiPath: 'shop-api',
    middleware: [{ route: '/catch-up', handler: catchUp, beforeListen: true }],
  },
  authOptions: { tokenMethod: 'bearer', requireVerification: false },
  dbConnectionOptions: {
    type: 'postgres',
    host: PGHOST,
    username: 'postgres',
    database: 'vendure',
    synchronize: POPULATE !== undefined,
  },
  paymentOptions: { paymentMethodHandlers: [] },
  logger: new DefaultLogger({ level: LogLevel.Warn }),
  plugins: [MerchantInvoicingPlugin],
};
const data = {
  defaultLanguage: LanguageCode.en,
  defaultZone: 'Europe',
  countries: [{ name: 'Germany', code: 'DE', zone: 'Europe' }],
  taxRates: [{ name: 'No tax', percentage: 0 }],
  shippingMethods: [{ name: 'Post', price: 0 }],
  paymentMethods: [{ name: 'Merchant Invoicing', handler: { code: 'merchant-invoicing', arguments: [] } }],
  collections: [],
};

async function main(): Promise<void> {
  if (POPULATE !== undefined) {
    const app = await populate(() => bootstrap(config), data, POPULATE);
    await app.close();
    return;
  }
  service = (await bootstrap(config)).get(MerchantInvoicing);
  console.log('up');
}
void main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
