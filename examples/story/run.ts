// The whole path over real sockets: `npm start`, or `npm start -- --stay` to
// keep sandbox and shop running.
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import { startBackend } from './backend.ts';
import {
  anExpiredInvoice,
  aPartialPayment,
  aPaymentInFull,
  type Cast,
  readingBack,
  repeatsChangeNothing,
  whatCanBeCharged,
} from './chapters.ts';
import { Transcript } from './transcript.ts';

const stays = process.argv.includes('--stay');
const sandbox = createSandbox({ clock: stays ? 'real' : 'virtual' });
await sandbox.listen(); // on a free port

const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
});
const backend = await startBackend(merchant, sandbox.webhookSecret);
const story = new Transcript();
const cast: Cast = { sandbox, merchant, backend, story };

story.say(`sandbox of the service   ${sandbox.url}`);
story.say(`merchant backend         ${backend.url}`);
await whatCanBeCharged(cast);
await aPaymentInFull(cast);
await repeatsChangeNothing(cast);
await aPartialPayment(cast);
await anExpiredInvoice(cast);
await readingBack(cast);
story.end();

if (stays) {
  const { payment_url } = await merchant.invoices.create({
    external_id: `order-${Date.now()}`,
    customer_id: 'customer-7',
    amount: '25.00',
    currency: 'EUR',
    callback_url: `${backend.url}/webhook`,
  });
  story.chapter('Still running: Ctrl-C stops it');
  story.say(`invoices and deliveries   ${sandbox.url}/`);
  story.say(`an invoice to pay         ${payment_url}`);
  story.say(
    `API key ${sandbox.apiKey}, webhook secret ${sandbox.webhookSecret}`,
  );
} else {
  await backend.close();
  await sandbox.close();
}
