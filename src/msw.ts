/**
 * The sandbox behind msw: any request to `baseUrl`, whoever makes it, is answered by the sandbox. For msw 2.7 and
 * later, and 3.
 *
 * @packageDocumentation
 */
import { type HttpHandler, HttpResponse, http } from 'msw';
import { ConfigurationError } from './errors.ts';
import { createSandbox, type Sandbox } from './sandbox/index.ts';

/**
 * Handlers for `setupServer(...handlers('https://pay.example.com', sandbox))`: the API and the payment pages.
 * A client that has the sandbox's `fetch` needs none of this; use it where you cannot hand one in.
 *
 * @param baseUrl The address your code calls; a path prefix is kept.
 * @param sandbox Default a fresh one. Keep your own to pay, to move its clock and to break things.
 * @throws ConfigurationError for an address that is not http or https.
 */
export function handlers(baseUrl: string, sandbox: Sandbox = createSandbox()): HttpHandler[] {
  const root = rootOf(baseUrl);
  const answer = async ({ request }: { readonly request: Request }): Promise<Response> => {
    const { origin, pathname, search } = new URL(request.url);
    const inside = pathname.slice(new URL(root).pathname.replace(/\/$/, '').length);
    try {
      return await sandbox.fetch(new Request(`${origin}${inside}${search}`, request));
    } catch {
      // What is thrown here msw would turn into a 500; a broken connection must look like one.
      return HttpResponse.error();
    }
  };
  return [http.all(`${root}/api/v1/external/*`, answer), http.all(`${root}/pay/*`, answer)];
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
