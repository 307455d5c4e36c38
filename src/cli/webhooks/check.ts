// The folder `webhooks` has the commands `webhooks check`, `send` and `verify`. It imports receiver and sandbox.
import { isLoopback } from '../../contract/values/hosts.ts';
import { dialectFrom } from '../../sandbox/dialects.ts';
import { parseDuration } from '../../sandbox/option-checks.ts';
import { parseAddress, parseDialect, readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { excerpt, jsonLine, resultLines, type Style, styleOf, type Verdict } from '../report.ts';
import { CHECKS, examine, QUESTIONS, type ReceiverResult } from './check/examination.ts';
import type { Rule } from './check/examiner.ts';
import type { Reply } from './deliver.ts';
import { parseOrder } from './order-flags.ts';
import { runningSandbox } from './order-source.ts';
import { readSecrets, redacted } from './secrets.ts';

const HEADINGS: Readonly<Record<Rule, string>> = {
  'receiver 1': 'The webhook is the source of truth',
  'receiver 2': 'Takes POST with JSON, answers any 2xx quickly',
  'receiver 3': 'A repeat changes nothing',
  'receiver 4': 'A paid invoice is not always paid in full',
  'authentication 3': 'Refuses what is not genuine, or too old',
};

/** `webhooks check URL`: sends genuine and forged deliveries, and reports a result for each rule. */
export async function webhooksCheck(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = readArguments(COMMANDS['webhooks check'], args, 'webhooks check');
  const url = parseAddress(positionals[0], 'the address of the receiver', exampleOf(COMMANDS['webhooks check']));
  const { list: secrets, source } = readSecrets(values.secret, io.env);
  const order = parseOrder(values, exampleOf(COMMANDS['webhooks check']));
  const sandbox = parseAddress(values.sandbox, '--sandbox', exampleOf(COMMANDS['webhooks check']));
  const options = {
    url,
    secrets,
    apiKey: io.env['MERCHANT_API_KEY'],
    dialect: dialectFrom(parseDialect(values.dialect)),
    ...order,
    source: order.externalId === null ? await runningSandbox(sandbox) : null,
    timeout: parseDuration(values.timeout, '--timeout'),
    now: Date.now,
  };
  const style = styleOf(io);
  const say = (line: string): void => (values.json ? undefined : io.out(`${line}\n`));
  if (!isLoopback(new URL(url).hostname)) {
    io.err(`  ${style.warn('not on this machine: a live shop may fulfil the orders that it accepts')}\n`);
  }
  say(`\n  ${style.strong(url)}  signed with ${source}`);
  if (options.source !== null) say(`  with orders that it creates in the sandbox at ${sandbox}`);
  else if (order.externalId === null) {
    say('  with orders that do not exist. If your receiver looks them up: start a sandbox, or give');
    say('  --external-id, --uuid and --amount of one that does');
  }

  let heading: Rule | null = null;
  const onResult = (result: ReceiverResult): void => {
    if (result.rule !== heading) say(`\n  ${style.strong(HEADINGS[result.rule])}`);
    heading = result.rule;
    say(linesOf(result, secrets, style));
  };
  const { results, orders } = await examine(options, onResult, io.signal);

  const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length;
  const [passed, failed, advised] = [count('pass'), count('fail'), count('advice')];
  const inconclusive = count('inconclusive');
  const isWhole = results.length === CHECKS.length;
  const ok = failed === 0 && isWhole;
  if (values.json) {
    const hidden = ({ text, ...reply }: Reply): Reply => ({ ...reply, text: redacted(text, secrets) });
    const checks = results.map((result) => ({ ...result, replies: result.replies.map(hidden) }));
    io.out(jsonLine({ ok, url, passed, failed, advised, inconclusive, checks, orders, questions: QUESTIONS }));
  } else {
    if (isWhole) sayQuestions(orders, say, style);
    const parts = [
      failed > 0 && style.bad(`${failed} failed`),
      failed > 0 ? `${passed} passed` : style.good(`${passed} passed`),
      advised > 0 && `${advised} with advice`,
      inconclusive > 0 && `${inconclusive} inconclusive`,
      !isWhole && (io.signal.aborted ? 'stopped early' : 'stopped: correct this first, then run it again'),
    ];
    say(`\n  ${parts.filter(Boolean).join(', ')}\n`);
  }
  return ok ? EXIT.fine : EXIT.finding;
}

function sayQuestions(orders: readonly string[], say: (line: string) => void, style: Style): void {
  say(`\n  ${style.strong('What only you can check')}`);
  for (const { question } of QUESTIONS) say(`  ${style.soft('?')} ${question}`);
  say(`  ${style.soft('orders')} ${orders.join(' ')}`);
}

function linesOf(result: ReceiverResult, secrets: readonly string[], style: Style): string {
  const { verdict, replies, why } = result;
  const facts = [replies.map(replyText).join(', '), why].filter((text) => text !== '').join('  ');
  const answer = replies.find(({ text }) => text !== '')?.text ?? '';
  const shown = verdict === 'fail' && answer !== '' ? `it said: ${excerpt(redacted(answer, secrets), 100)}` : '';
  return resultLines(result, style, facts, shown);
}

function replyText({ status, ms, problem }: Reply): string {
  return status === null ? `${problem} after ${ms} ms` : `${status} in ${ms} ms`;
}
