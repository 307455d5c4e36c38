import type { RequestListener } from 'node:http';

/** An environment with one mistake, and what `doctor` says of it. `…` stands for what differs between two runs. */
export interface BrokenEnvironment {
  readonly mistake: string;
  /** Over a right environment. A function gets the address of `listener`, or of a sandbox. */
  readonly env: Readonly<Record<string, string>> | ((url: string) => Readonly<Record<string, string>>);
  /** What answers at the address. Default: a sandbox. Null: nothing. */
  readonly listener?: RequestListener | null;
  readonly code: number;
  readonly finding: string;
  readonly remedy: string;
}

const KEY = 'sk_live_secret_key';

export const BROKEN_ENVIRONMENTS: readonly BrokenEnvironment[] = [
  {
    mistake: 'The key is in quotes',
    env: { MERCHANT_API_KEY: `"${KEY}"` },
    code: 1,
    finding: 'MERCHANT_API_KEY has quotes around it, and they count as part of the value',
    remedy: 'export MERCHANT_API_KEY=…   # without the quotes',
  },
  {
    mistake: 'The webhook secret has white space around it',
    env: { MERCHANT_WEBHOOK_SECRET: 'whsec_live\n' },
    code: 1,
    finding: 'MERCHANT_WEBHOOK_SECRET has white space around it…',
    remedy: 'export MERCHANT_WEBHOOK_SECRET=…   # without spaces and line breaks',
  },
  {
    mistake: 'The webhook secret is the API key',
    env: { MERCHANT_API_KEY: KEY, MERCHANT_WEBHOOK_SECRET: KEY },
    code: 1,
    finding: 'MERCHANT_WEBHOOK_SECRET is the API key. The webhook secret is another value of the dashboard',
    remedy: 'export MERCHANT_WEBHOOK_SECRET=…   # the webhook secret, from the dashboard',
  },
  {
    mistake: 'The webhook secret is not set',
    env: { MERCHANT_WEBHOOK_SECRET: '' },
    code: 0,
    finding: 'MERCHANT_WEBHOOK_SECRET is not set. A receiver of webhooks needs it, and nothing else does',
    remedy: 'export MERCHANT_WEBHOOK_SECRET=…   # whsec_sandbox for the sandbox',
  },
  {
    mistake: 'The base URL ends in the path of the API',
    env: (url) => ({ MERCHANT_BASE_URL: `${url}/api/v1/external` }),
    code: 1,
    finding: 'MERCHANT_BASE_URL ends in the path of the API, which the client adds itself',
    remedy: 'export MERCHANT_BASE_URL=…',
  },
  {
    mistake: 'Another server is at the address',
    env: {},
    listener: (_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome</h1>'),
    code: 1,
    finding: 'another server answers at …: it does not speak the interface of the service',
    remedy: 'export MERCHANT_BASE_URL=…   # the address of the service, without a path',
  },
  {
    mistake: 'The address redirects',
    env: {},
    listener: (_, response) => void response.writeHead(301, { Location: 'https://pay.example.com/' }).end(),
    code: 1,
    finding:
      '… redirects to https://pay.example.com. The client never follows a redirect, because it would send the key there',
    remedy: 'export MERCHANT_BASE_URL=https://pay.example.com',
  },
  {
    mistake: 'Nothing listens there',
    env: {},
    listener: null,
    code: 3,
    finding: 'cannot reach …',
    remedy: 'npx merchant-invoicing sandbox',
  },
  {
    mistake: 'The key is of another business',
    env: { MERCHANT_API_KEY: KEY },
    code: 1,
    finding: 'the read-only call failed: UNAUTHORIZED …',
    remedy: 'export MERCHANT_API_KEY=…   # the key of this business, from the dashboard',
  },
  {
    mistake: 'The clock of the machine is wrong',
    env: {},
    listener: (_, response) =>
      void response
        .writeHead(200, { 'Content-Type': 'application/json', Date: new Date(Date.now() + 600_000).toUTCString() })
        .end('{"success":true,"data":[]}'),
    code: 1,
    finding: "this machine's clock is … behind the service's: webhooks will be refused as too new",
    remedy: 'timedatectl set-ntp true   # or the command that sets the clock of your system',
  },
];
