import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { rawRequest } from '../../sandbox/loopback.ts';
import { freePort } from '../../support/free-port.ts';
import { cli, start } from '../command-line.ts';
import { refuses, serves, type Uses, valued, valueless } from './use.ts';

const SANDBOX = ['sandbox', '--port', '0'];
const CREATED = 201;

export const SANDBOX_USES: Uses<'sandbox'> = {
  terms: {},
  flags: {
    port: {
      good: async (place) => {
        const port = String(await freePort());
        await serves(['--port', port], ({ url }) => expect(new URL(url).port).toBe(port))(place);
      },
      bad: refuses(['sandbox', '--port', '70000'], '--port takes a number from 0 to 65535, not "70000"'),
    },
    host: {
      good: serves(['--host', '0.0.0.0'], ({ err }) => expect(err()).toContain('opens this sandbox to the network')),
      bad: refuses([...SANDBOX, '--host', '203.0.113.7'], /203\.0\.113\.7/),
    },
    callback: {
      good: async (place) =>
        serves(['--callback', place.receiver], async ({ api, url }) => {
          await api('/invoices', {});
          await cli(['sandbox', 'pay', 'order-1042', '--url', url]);
          expect(place.handled).toEqual(['order-1042']);
        })(place),
      bad: refuses([...SANDBOX, '--callback', 'ftp://x'], '--callback must be an http:// or https:// address'),
    },
    state: {
      good: async (place) => {
        await serves(['--state', place.path('s.json')], ({ api }) => api('/invoices', {}))(place);
        expect(readFileSync(place.path('s.json'), 'utf8')).toContain('order-1042');
        expect(existsSync(place.path('s.json.lock'))).toBe(false);
      },
      bad: refuses([...SANDBOX, '--state', ''], '--state needs the name of a file'),
    },
    demo: {
      good: serves(['--demo'], async ({ api }) =>
        expect(await (await api('/invoices')).text()).toContain('"demo-paid"'),
      ),
      bad: valued(SANDBOX, 'demo'),
    },
    seed: {
      good: serves(['--seed', '7'], ({ out }) => expect(out()).toMatch(/Seed +7\n/)),
      bad: valueless(SANDBOX, 'seed'),
    },
    frozen: {
      good: serves(['--frozen'], ({ out }) => expect(out()).toMatch(/Clock +frozen/)),
      bad: valued(SANDBOX, 'frozen'),
    },
    merchant: {
      good: serves(['--merchant', 'Nine Lamps'], async ({ api }) => {
        const { data } = await (await api('/invoices', {})).json();
        expect(await (await fetch(data.payment_url)).text()).toContain('Nine Lamps');
      }),
      bad: refuses([...SANDBOX, '--merchant', ''], '--merchant must be text'),
    },
    fault: {
      good: serves(['--fault', 'html@rates.list'], async ({ api }) => {
        expect([(await api('/invoices')).status, (await api('/rates')).status]).toEqual([200, 502]);
      }),
      bad: refuses([...SANDBOX, '--fault', 'earthquake'], 'A fault is one of .*, not "earthquake"'),
    },
    dialect: {
      good: serves(['--dialect', 'createStatus=200'], async ({ api }) => {
        expect((await api('/invoices', {})).status).toBe(200);
      }),
      bad: refuses([...SANDBOX, '--dialect', 'createStatus=9'], '--dialect createStatus must be one of 201, 200, 202'),
    },
    'shuffle-unknowns': {
      good: serves(['--shuffle-unknowns'], ({ out }) => expect(out()).toMatch(/Seed +\d+\n/)),
      bad: valued(SANDBOX, 'shuffle-unknowns'),
    },
    'allow-host': {
      good: serves(['--allow-host', 'shop.test'], async ({ api, url }) => {
        const statusFor = async (host: string) => (await rawRequest(url, 'GET', { host })).status;
        expect([await statusFor('shop.test'), await statusFor('other.test')]).toEqual([200, 421]);
        const created = async (callback_url: string) => (await api('/invoices', { callback_url })).status;
        expect([await created('http://other.test/w'), await created('http://shop.test:3000/w')]).toEqual([
          422,
          CREATED,
        ]);
      }),
      bad: refuses([...SANDBOX, '--allow-host', 'http://x'], '--allow-host takes host names alone'),
    },
    'public-url': {
      good: async () => {
        const run = start([...SANDBOX, '--public-url', 'http://pay.test']);
        await run.until('http://pay.test/');
        run.interrupt();
        expect(await run.ended).toBe(0);
      },
      bad: refuses([...SANDBOX, '--public-url', 'nope'], '--public-url must be an http:// or https:// address'),
    },
    key: {
      good: serves(['--key', 'sk_mine'], async ({ url }) => {
        const statusFor = async (key: string) =>
          (await fetch(`${url}/api/v1/external/rates`, { headers: { 'X-Api-Key': key } })).status;
        expect([await statusFor('sk_mine'), await statusFor('sk_sandbox')]).toEqual([200, 401]);
      }),
      bad: refuses([...SANDBOX, '--key', ' x'], '--key must be text without spaces around it'),
    },
    secret: {
      good: serves(['--secret', 'whsec_mine'], ({ out }) => expect(out()).toContain('"webhookSecret":"whsec_mine"')),
      bad: refuses([...SANDBOX, '--secret', ''], '--secret must be text without spaces around it'),
    },
    json: {
      good: serves(['--json'], async ({ api, out }) => {
        expect((await api('/invoices', {})).status).toBe(CREATED);
        expect(out().split('\n')).toHaveLength(2);
      }),
      bad: valued(SANDBOX, 'json'),
    },
    events: {
      good: serves(['--json', '--events'], async ({ api, until }) => {
        await api('/invoices', {});
        await until('"external_id":"order-1042"');
      }),
      bad: valued(SANDBOX, 'events'),
    },
  },
};
