/**
 * The sandbox behind msw: the sandbox answers every request to an address. Supports msw from 2.7 and 3.
 *
 * @packageDocumentation
 */
import { type HttpHandler, HttpResponse, http } from 'msw';
import { isHttpAddress } from './contract/values/hosts.ts';
import { ConfigurationError } from './errors/classes.ts';
import { createSandbox, type Sandbox } from './sandbox/index.ts';
import { shown } from './sandbox/option-checks.ts';

/**
 * Builds the request handlers for the API and the payment pages.
 *
 * Use them where you cannot pass the `fetch` of a sandbox to the client.
 *
 * @param baseUrl The address that your code calls. A path prefix is kept.
 * @param sandbox The sandbox that answers, by default a new one at `baseUrl`. Pass one to pay orders, move its clock and
 * cause faults.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an address that is not http or https.
 * @example
 * const sandbox = createSandbox({ url: 'https://pay.example.com' });
 * const server = setupServer(...handlers('https://pay.example.com', sandbox));
 */
export function handlers(baseUrl: string, sandbox?: Sandbox): HttpHandler[] {
  const root = rootOf(baseUrl);
  const service = sandbox ?? createSandbox({ url: root });
  const below = (address: string): HttpHandler[] => {
    const prefix = new URL(address).pathname.replace(/\/$/, '');
    const answer = async ({ request }: { readonly request: Request }): Promise<Response> => {
      const { origin, pathname, search } = new URL(request.url);
      try {
        return await service.fetch(new Request(`${origin}${pathname.slice(prefix.length)}${search}`, request));
      } catch {
        // A broken connection. If this threw, msw would answer 500.
        return HttpResponse.error();
      }
    };
    return [http.all(`${address}/api/v1/external/*`, answer), http.all(`${address}/pay/*`, answer)];
  };
  // The payment links of a given sandbox begin with its address, not with `baseUrl`.
  return service.url === root ? below(root) : [...below(root), ...below(service.url)];
}

function rootOf(baseUrl: string): string {
  if (isHttpAddress(baseUrl)) {
    const { origin, pathname } = new URL(baseUrl);
    return `${origin}${pathname.replace(/\/+$/, '')}`;
  }
  throw new ConfigurationError(
    `handlers needs the address that your code calls, such as "https://pay.example.com", not ${shown(baseUrl)}`,
  );
}
