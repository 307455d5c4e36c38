import { describe, expect, it } from 'vitest';
import { signWebhook, toFetchHandler } from '../../../src/webhooks/index.ts';
import { endpoint, paidBody } from '../endpoint.ts';
import { NOW, SECRET } from '../vectors.ts';

const TEXT = JSON.stringify(paidBody);

async function requestOf(init: RequestInit = {}, body: string = TEXT): Promise<Request> {
  const headers = { ...(await signWebhook(body, SECRET, { id: 'dlv_1', timestamp: NOW })) };
  return new Request('http://localhost/webhook', { method: 'POST', headers, body, ...init });
}

describe('toFetchHandler', () => {
  it('answers a Response', async () => {
    const shop = endpoint();
    const response = await toFetchHandler(shop.handler)(await requestOf());
    expect(response).toBeInstanceOf(Response);
    expect([response.status, await response.text()]).toEqual([200, 'done']);
    expect(shop.calls).toEqual(['paid order-1042']);
  });

  it('answers 405 with Allow, without a body to read', async () => {
    const response = await toFetchHandler(endpoint().handler)(new Request('http://localhost/webhook'));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('answers a POST without a body', async () => {
    const shop = endpoint();
    const response = await toFetchHandler(shop.handler)(await requestOf({ body: null }));
    expect(response.status).toBe(401);
    expect(shop.reports).toMatchObject([{ message: expect.stringContaining('the body is empty') }]);
  });

  it('stops reading at the size limit', async () => {
    let pulled = 0;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(600));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const shop = endpoint({ maxBodySize: 1_000 });
    const init: RequestInit & { duplex: 'half' } = { body, duplex: 'half' };
    expect((await toFetchHandler(shop.handler)(await requestOf(init))).status).toBe(413);
    expect(pulled).toBeLessThan(6);
    expect(isCancelled).toBe(true);
  });

  it.each([
    [
      'read',
      async (request: Request) => {
        await request.json();
      },
    ],
    [
      'locked',
      async (request: Request) => {
        request.body?.getReader();
      },
    ],
  ])('answers 500 to a body that was %s before, and reports the way out', async (_name, touch) => {
    const shop = endpoint();
    const request = await requestOf();
    await touch(request);
    expect((await toFetchHandler(shop.handler)(request)).status).toBe(500);
    expect(shop.reports).toMatchObject([
      { reason: 'setup', message: expect.stringMatching(/before anything calls request\.json\(\)/) },
    ]);
  });

  it('ends when the sender hangs up', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    const shop = endpoint();
    const init: RequestInit & { duplex: 'half' } = { body, duplex: 'half' };
    expect((await toFetchHandler(shop.handler)(await requestOf(init))).status).toBe(400);
    expect(shop.reasons()).toEqual(['aborted']);
  });
});
