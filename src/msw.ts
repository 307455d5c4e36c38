/**
 * The sandbox behind msw: any request to `baseUrl`, whoever makes it, is answered by the sandbox. For msw 2.7 and
 * later, and 3.
 *
 * @packageDocumentation
 */
import { type HttpHandler, HttpResponse, http } from 'msw';
import { ConfigurationError } from './errors/classes.ts';
import { createSandbox, type Sandbox } from './sandbox/index.ts';

/**
 * Handlers for `setupServer(...handlers('https://pay.example.com', sandbox))`: the API and the payment pages.
 * A client that has the sandbox's `fetch` needs none of this; use it where you cannot hand one in.
 *
 * @param baseUrl The address your code calls; a path prefix is kept.
 * @param sandbox Default a fresh one at `baseUrl`. Keep your own to pay, to move its clock and to break things.
 * @throws ConfigurationError for an address that is not http or https.
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
        // What is thrown here msw would turn into a 500; a broken connection must look like one.
        return HttpResponse.error();
      }
    };
    return [http.all(`${address}/api/v1/external/*`, answer), http.all(`${address}/pay/*`, answer)];
  };
  // The payment links of a sandbox of your own begin with its address, not with yours.
  return service.url === root ? below(root) : [...below(root), ...below(service.url)];
}

function rootOf(baseUrl: string): string {
  if (typeof baseUrl === 'string' && /^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl)) {
    const { origin, pathname } = new URL(baseUrl);
    return `${origin}${pathname.replace(/\/+$/, '')}`;
  }
  throw new ConfigurationError(
    `handlers needs the address that your code calls, such as "https://pay.example.com"; got ${typeof baseUrl === 'string' ? JSON.stringify(baseUrl.slice(0, 60)) : typeof baseUrl}`,
  );
}
