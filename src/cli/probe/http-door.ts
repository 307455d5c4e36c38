import type { Door } from '../../probe/run.ts';

/** One attempt, body included. */
const TIMEOUT = 15_000;
const BODY_MAX = 10 * 1024 * 1024;
const WRONG_KEY = 'merchant-invoicing-probe-wrong-key';

/** The service at an address, over the fetch of the platform. No redirect is followed, because it could receive the key. */
export async function httpDoor(baseUrl: string, apiKey: string, signal: AbortSignal): Promise<Door> {
  return {
    signal,
    async send(method, { path, body, hasWrongKey }) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]);
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          Accept: 'application/json',
          'X-Api-Key': hasWrongKey ? WRONG_KEY : apiKey,
          ...(body && { 'Content-Type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: 'manual',
        signal: limit,
      });
      const text = (await response.text()).slice(0, BODY_MAX);
      return { status: response.status, headers: response.headers, text };
    },
    wait: (milliseconds) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, milliseconds);
        if (signal.aborted) end();
        else signal.addEventListener('abort', end);
      }),
  };
}
