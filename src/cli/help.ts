const ROOT = `Example
  npx merchant-invoicing sandbox      a payment service on this machine

Commands
  sandbox                             run the service, with pages and webhooks
  sandbox pay|fail|cancel|expire IDENT
  sandbox underpay|overpay|adjust IDENT AMOUNT
                                      end an order of the running sandbox
  sandbox advance 1h                  move its clock
  sandbox status | reset | export     look at it, empty it, make a test of it
  webhooks check URL                  examine your own endpoint, rule by rule
  webhooks send EVENT URL             send it one signed delivery
  webhooks verify < request           explain a signature
  openapi                             print the service as OpenAPI 3.1
  doctor                              check version, key, address, clock

Everywhere  --json  for scripts   --help  for more    NO_COLOR is respected
Exit code   0 fine   1 finding   2 misuse   3 cannot reach
`;

const SANDBOX = `Example
  npx merchant-invoicing sandbox --callback http://127.0.0.1:3000/webhook

  --port 4010            next free one when it is taken; 0 for any
  --host 127.0.0.1       another host opens it to the network
  --callback URL         where webhooks go when an invoice names no address
  --state FILE           keep everything there, go on there after a restart
  --empty                no demo invoices     --seed 7   the same ids each run
  --frozen               the clock stands until you move it
  --no-magic             pay-…, fail-… and so on are ordinary order ids
  --fault TYPE[:RATE]    once, or by chance: rate_limit  server_error:0.2
  --dialect NAME=VALUE   play another reading of what the service leaves open
  --shuffle-unknowns     every such point at random, repeatable with --seed
  --allow-host NAME  --public-url URL            for containers and proxies
  --key, --secret TEXT   instead of sk_sandbox and whsec_sandbox
  --json                 one line when it listens, then nothing (--events: all)

Actions on a running one: pay underpay overpay fail cancel expire adjust
advance reset status export; each takes --url (http://127.0.0.1:4010), --json
`;

const ACTION = `Example
  npx merchant-invoicing sandbox pay order-1042

  pay IDENT               in full, by the method chosen or the first that fits
  underpay IDENT AMOUNT   less than ordered    overpay IDENT AMOUNT   more
  fail | cancel | expire IDENT                 end it unpaid
  adjust IDENT AMOUNT     a dispute corrects the amount
  advance DURATION        90s  30m  6h  1d     reset    empty it
  status                  invoices, deliveries, clock
  export [IDENT] [--as test|curl|json]         a test file to keep

  IDENT is your external_id or the service's uuid
  --url http://127.0.0.1:4010   --method ID|NAME (pay)   --json
`;

const CHECK = `Example
  npx merchant-invoicing webhooks check http://127.0.0.1:3000/webhook

  --secret TEXT          default MERCHANT_WEBHOOK_SECRET, else the sandbox's;
                         twice: the receiver must take both (rotation)
  --external-id ID       an order your receiver knows   --amount --currency
  --timeout 15s          what the service waits
  --dialect NAME=VALUE   how signature and body are written
  --json                 the grades as data

Sends some thirty deliveries, good and hostile. Exit code 1: a rule is broken.
Never point it at a live shop: what it accepts it may fulfil.
`;

const SEND = `Example
  npx merchant-invoicing webhooks send paid http://127.0.0.1:3000/webhook

  EVENT                  paid  adjusted  overpaid  expired  canceled  fail
  --secret TEXT          default MERCHANT_WEBHOOK_SECRET, else the sandbox's
  --external-id ID       --amount 25.00   --currency EUR   --paid 17.00
  --from FILE            send these bytes instead, signed as they are
  --dialect NAME=VALUE   how signature and body are written
  --dry-run              print the request instead of sending it
  --json
`;

const VERIFY = `Example
  npx merchant-invoicing webhooks verify < request.txt

  Reads a raw HTTP request (headers, an empty line, the body), or:
  --body FILE            the body, with
  --header 'NAME: TEXT'  for each of the X-Webhook headers
  --secret TEXT          default MERCHANT_WEBHOOK_SECRET, else the sandbox's
  --at TIME              judge the age as of then, for a recorded request
  --order-id-member NAME where the payload has your order id, such as order.id
  --paid-event NAME      further names of the two events, repeatable
  --canceled-event NAME
  --json

Exit code 0: genuine. 1: refused, and why.
`;

const DOCTOR = `Example
  MERCHANT_BASE_URL=… MERCHANT_API_KEY=… npx merchant-invoicing doctor

  Checks Node, the settings, the address, redirects, the clock, and makes one
  read-only call (the payment methods). It changes nothing.
  --base-url URL         default MERCHANT_BASE_URL
  --allow-http           plain http to a host that is not this machine
  --json

The key is read from MERCHANT_API_KEY only: flags end up in shell histories.
`;

const OPENAPI = `Example
  npx merchant-invoicing openapi > openapi.json

  Prints the service as OpenAPI 3.1, made from the table that the client and the
  sandbox use: for validators, mocks and generators of your own.
`;

const PAGES: Readonly<Record<string, string>> = {
  sandbox: SANDBOX,
  webhooks: CHECK,
  'webhooks check': CHECK,
  'webhooks send': SEND,
  'webhooks verify': VERIFY,
  openapi: OPENAPI,
  doctor: DOCTOR,
};

/** The help of a command, one screen; the overview where there is no such command. */
export function helpFor(words: readonly string[]): string {
  const [first = '', second = ''] = words;
  if (first === 'sandbox' && second !== '') return ACTION;
  return PAGES[`${first} ${second}`.trim()] ?? PAGES[first] ?? ROOT;
}
