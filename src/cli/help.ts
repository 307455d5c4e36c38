import { COMMANDS, COMMON_FLAGS, type CommandTable, type Flag } from './commands.ts';

const OVERVIEW = `Example
  npx merchant-invoicing sandbox      a payment service on this machine

Commands
  sandbox                             run the service, with pages and webhooks
  sandbox create AMOUNT CURRENCY      make an order in the running sandbox
  sandbox pay|fail|cancel|expire IDENT
  sandbox underpay|overpay|adjust IDENT AMOUNT
                                      end an order of the running sandbox
  sandbox advance 1h                  move its clock
  sandbox fault TYPE | events         break a request, follow what happens
  sandbox resend | approve | reject   webhooks and withdrawals
  sandbox status | reset              look at it, empty it
  webhooks check URL                  examine your endpoint, rule by rule
  webhooks send EVENT URL             send it one signed delivery
  webhooks verify < request           explain a signature
  reconcile --orders FILE             compare your orders with the invoices
  doctor                              check version, key, address, clock

Everywhere  --json  for scripts   --help  for more    NO_COLOR is respected
Exit code   0 fine   1 finding   2 misuse   3 cannot reach
`;

/** The help of a command on one screen, or the overview if there is no such command. */
export function helpFor(words: readonly string[]): string {
  const [first = '', second = ''] = words;
  const tables: Readonly<Record<string, CommandTable>> = COMMANDS;
  const name = first === 'sandbox' && second !== '' ? 'sandbox action' : `${first} ${second}`.trim();
  const isKnown = (each: string): boolean => Object.hasOwn(tables, each);
  const table = tables[[name, first, `${first} check`].find(isKnown) ?? ''];
  return table === undefined ? OVERVIEW : helpOf(table);
}

function helpOf({ example, terms = {}, flags, notes }: CommandTable): string {
  const { help: _, ...common } = COMMON_FLAGS;
  const lines = [
    ...Object.entries(terms),
    ...Object.entries<Flag>({ ...flags, ...common, ...flags }).map(([name, { value, about }]): [string, string] => [
      value === undefined ? `--${name}` : `--${name} ${value}`,
      about,
    ]),
  ];
  const width = Math.max(...lines.map(([left]) => left.length));
  const end = notes === undefined ? '' : `\n${notes}\n`;
  return `Example\n  ${example}\n\n${lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('')}${end}`;
}
