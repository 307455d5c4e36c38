/**
 * The sandbox behind msw: the sandbox answers every request to an address. Supports msw from 2.7 and 3.
 *
 * A minor version may change this entry, with a line in the changelog: [versions](../../docs/go-live.md#versions).
 *
 * @module merchant-invoicing/msw
 */

import { type HttpHandler, HttpResponse, http } from 'msw';
import { quoted } from '../errors/checks.ts';
import { ConfigurationError } from '../errors/classes.ts';
import { createSandbox, type Sandbox } from './sandbox/index.ts';

/**
 * Builds the request handlers for the API and the payment pages of a sandbox, at its address.
 *
 * Use them where you cannot pass the `fetch` of a sandbox to the client.
 *
 * @param sandbox Its option `url` is the address that your code calls. A path prefix is kept. The payment links of the
 * invoices begin with it. Default: a new sandbox at https://sandbox.invalid.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for anything but a sandbox.
 * @example
 * const sandbox = createSandbox({ url: 'https://pay.example.com' });
 * const server = setupServer(...sandboxHandlers(sandbox));
 */
export function sandboxHandlers(sandbox: Sandbox = createSandbox()): HttpHandler[] {
  if (typeof sandbox?.fetch !== 'function') {
    throw new ConfigurationError(
      `sandboxHandlers takes a sandbox, such as createSandbox({ url: "https://pay.example.com" }), not ${quoted(sandbox)}`,
    );
  }
  const { url } = sandbox;
  const respond = async ({ request }: { readonly request: Request }): Promise<Response> => {
    try {
      return await sandbox.fetch(request);
    } catch {
      // A broken connection. If this threw, msw would respond 500.
      return HttpResponse.error();
    }
  };
  return [http.all(`${url}/api/v1/external/*`, respond), http.all(`${url}/pay/*`, respond)];
}
