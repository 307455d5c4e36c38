// Pages typed by hand, each with one fault: what it is, the page, and what the check says.

type Fault = readonly [name: string, page: string, said: string];

const page = (info: string, ...code: string[]): string => `Text.\n\n\`\`\`${info}\n${code.join('\n')}\n\`\`\`\n`;
const CLIENT = "import { MerchantClient } from 'merchant-invoicing';";

/** Faults that the compiler notices. The first line of code is line 4. */
export const TYPE_FAULTS: readonly Fault[] = [
  [
    'a method of another name',
    page('ts', CLIENT, 'await new MerchantClient().invoices.creat();'),
    ":5 Property 'creat'",
  ],
  ['a member of another type', page('js', CLIENT, "new MerchantClient({ timeout: '5s' });"), ":5 Type 'string'"],
  [
    'a name that the page does not declare',
    page('ts', 'console.log(merchant);', 'export {};'),
    ":4 Cannot find name 'merchant'",
  ],
  ['a fragment without its surroundings', page('ts fragment', 'book(1);'), ":4 Cannot find name 'book'"],
  [
    'a fragment with other surroundings',
    `<!-- around: declare const merchant: MerchantClient; -->\n${page('ts fragment', 'merchant.invoices.creat();')}`.replace(
      'Text.\n\n',
      '',
    ),
    ":3 Property 'creat'",
  ],
  ['an enum', page('ts', 'export enum State { Open }'), ':4 This syntax is not allowed'],
  [
    'a type that is imported as a value',
    page('ts', "import { Invoice } from 'merchant-invoicing';", 'export const a: Invoice[] = [];'),
    ":4 'Invoice' is a type",
  ],
  [
    'a package that the project does not have',
    page('ts', "import { globSync } from 'fs';", 'export const all = globSync;'),
    ':4 imports fs',
  ],
  ['an internal module', page('ts', "import 'merchant-invoicing/client';"), ':4 Cannot find module'],
];

const SERVER = "import { createServer } from 'node:http';";

/** Faults that show when the code runs. */
export const RUN_FAULTS: readonly Fault[] = [
  ['another output', page('ts', "console.log('this'); // → that"), 'this'],
  ['an output that the page does not show', page('ts', "console.log('this');"), 'this'],
  ['a line that is missing', page('ts', "console.log('this'); // → this", '// → that'), 'this'],
  [
    'lines in another order',
    page('ts', "console.log('this');", "console.log('that');", '// → that', '// → this'),
    'this',
  ],
  ['a warning', page('ts', "console.warn('careful');"), 'careful'],
  ['a program that fails', page('ts', "throw new Error('no');"), 'no'],
  ['a program that fails silently', page('ts', 'process.exitCode = 1;'), ''],
  ['TypeScript that Node cannot strip', page('ts', 'export enum State { Open }'), 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'],
  ['a server that ends', page('ts server', "console.log('up'); // → up"), 'does not listen on process.env.PORT'],
  [
    'a server that refuses the webhook',
    page('ts server', SERVER, 'createServer((_, response) => response.writeHead(401).end()).listen(process.env.PORT);'),
    'The webhook was answered 401',
  ],
  [
    'a server that prints something else',
    page(
      'ts server',
      SERVER,
      "createServer((_, response) => { console.log('this'); response.end(); }).listen(process.env.PORT); // → that",
    ),
    'this',
  ],
  [
    'a page that nobody can open',
    page(
      'ts browser',
      SERVER,
      'const server = createServer().listen(process.env.PORT, () => setTimeout(() => server.close(() => process.exit()), 1_500));',
    ),
    'does not print the address of a payment page',
  ],
];
