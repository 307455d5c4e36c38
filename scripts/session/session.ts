import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPacked } from '../../test/support/consumer.ts';
import { freePort } from '../../test/support/free-port.ts';
import { Terminal } from './terminal.ts';

/** The lines that a newcomer sees, with the second of each command. */
export interface Session {
  readonly lines: readonly string[];
  readonly seconds: number;
}

/** The server of the shop, which `init` leaves to its owner. The docs show it as `shop.mjs`. */
export const SHOP = `import { createServer } from 'node:http';
import { receive } from './merchant-webhook.mjs';

createServer((request, response) => {
  if (request.url === '/webhook') return receive(request, response);
  response.writeHead(404).end();
}).listen(3000, '127.0.0.1', () => console.log('the shop listens'));
`;

/**
 * Plays the first session of a newcomer with the packed package, in three terminals. The ports are free ones, and the
 * lines show the usual ones.
 */
export async function playSession(): Promise<Session> {
  const consumer = installPacked();
  const [api, shop] = [await freePort(), await freePort()];
  const terminals = [1, 2, 3].map(() => new Terminal(consumer.folder));
  const [sandbox, receiver, hands] = terminals as [Terminal, Terminal, Terminal]; // three of them
  const began = performance.now();
  const lines: string[] = [];
  // The gap after an address is as wide as its port is short.
  const usual = (text: string): string =>
    text
      .replace(
        new RegExp(`${api}(/?)( {3,})`),
        (_, slash, gap) => `4010${slash}${gap}${' '.repeat(String(api).length - 4)}`,
      )
      .replaceAll(String(api), '4010')
      .replaceAll(String(shop), '3000');
  const elapsed = (): number => Math.round((performance.now() - began) / 1000);
  const show = (terminal: Terminal, select: (line: string) => boolean = () => true): void => {
    const from = terminals.indexOf(terminal) + 1;
    lines.push(
      ...terminal
        .look()
        .filter(select)
        .map((line) => `[${from}]   ${masked(usual(line))}`.trimEnd()),
    );
  };
  const type = (terminal: Terminal, command: string): void => {
    lines.push(`[${terminals.indexOf(terminal) + 1}] $ ${usual(command)}${AT}${elapsed()} s`);
  };
  const here = `http://127.0.0.1:${shop}/webhook`;
  writeFileSync(join(consumer.folder, 'shop.mjs'), SHOP.replace('3000', String(shop)));
  try {
    const serve = `npx merchant-invoicing sandbox --empty --callback ${here}`;
    type(sandbox, serve);
    await sandbox.start(`${serve} --port ${api}`, /stop {2}Ctrl-C/);
    show(sandbox, (line) => !line.startsWith('{')); // a pipe gets this line, a terminal does not

    type(receiver, 'npx merchant-invoicing init');
    await receiver.run('npx merchant-invoicing init');
    show(receiver, (line) => line.includes('wrote'));
    const start = 'node --env-file=.env.example shop.mjs';
    type(receiver, start);
    await receiver.start(start, /the shop listens/);
    show(receiver);

    const create = 'npx merchant-invoicing sandbox create 25 EUR';
    type(hands, create);
    await hands.run(`${create} --url http://127.0.0.1:${api}`);
    const created = hands.look();
    const [link = ''] = /http\S+/.exec(created.join('\n')) ?? [];
    lines.push(...created.map((line) => `[3]   ${masked(usual(line))}`));

    // The button of the page sends this form.
    const pay = `curl -s -o page.html -w '%{http_code}\\n' -d action=pay -d method=1 ${link}`;
    type(hands, pay.replace(link, masked(usual(link))));
    await hands.run(pay);
    show(hands);
    await receiver.until(/paid /);
    show(receiver);
    await sandbox.until(/POST \/pay\/\S+ {2}303/); // the last line of the payment
    show(sandbox, (line) => line.trim() !== '');

    const check = `npx merchant-invoicing webhooks check ${here}`;
    type(hands, check);
    await hands.run(check);
    show(hands, (line) => SHOWN_CHECKS.test(line));
    return { lines, seconds: elapsed() };
  } finally {
    for (const terminal of terminals) terminal.close();
    consumer.remove();
  }
}

/** Some of the thirty lines. */
const SHOWN_CHECKS =
  /✓ accepts a paid|✓ refuses a wrong signature|✓ refuses an old timestamp|✓ the same delivery again| passed/;
const AT = '   # at ';

/** Text that differs between two runs, as `…`. */
function masked(line: string): string {
  return line
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
    .replace(/\b\d\d:\d\d:\d\d\b/g, '…')
    .replace(/\b\d+ ms\b/g, '… ms');
}

/** The lines without the time of each command. */
export function withoutTimes(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/ {3}# at \d+ s$/, ''));
}
