import { isLoopback } from '../../contract/values/hosts.ts';
import { parseDuration } from '../../sandbox/option-checks.ts';
import { addressFrom, readArguments } from '../arguments.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { excerpt, type Style, styleOf } from '../style.ts';
import { CHECKS, examine, type Grade, QUESTIONS } from './check/examination.ts';
import type { Rule, Verdict } from './check/grades.ts';
import type { Reply } from './deliver.ts';
import { dialectOf, secretsOf, WEBHOOK_FLAGS } from './flags.ts';

const EXAMPLE = 'merchant-invoicing webhooks check http://127.0.0.1:3000/webhook';

const HEADINGS: Readonly<Record<Rule, string>> = {
  'receiver 1': 'The webhook is the source of truth',
  'receiver 2': 'Takes POST with JSON, answers any 2xx quickly',
  'receiver 3': 'A repeat is a no-op',
  'receiver 4': 'A paid invoice is not always paid in full',
  'authentication 3': 'Refuses what is not genuine, or too old',
};

/** `webhooks check URL`: good and hostile deliveries, and a grade for each rule. */
export async function webhooksCheck(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = readArguments(args, WEBHOOK_FLAGS, 'webhooks check');
  const url = addressFrom(positionals[0], 'the address of the receiver', EXAMPLE);
  const { list, source } = secretsOf(values.secret, io.env);
  const timeout = parseDuration(values.timeout, '--timeout');
  const dialect = dialectOf(values.dialect, EXAMPLE);
  const style = styleOf(io);
  const say = (line: string): void => (values.json ? undefined : io.out(`${line}\n`));
  if (!isLoopback(new URL(url).hostname)) {
    io.err(`  ${style.warn('not on this machine: what a live shop accepts it may fulfil')}\n`);
  }
  say(`\n  ${style.strong(url)}  signed with ${source}`);

  let heading: Rule | null = null;
  const grades = await examine(
    {
      url,
      secrets: list,
      dialect,
      externalId: values['external-id'] ?? null,
      amount: values.amount,
      currency: values.currency,
      timeout,
      now: Date.now,
    },
    (grade) => {
      if (grade.rule !== heading) say(`\n  ${style.strong(HEADINGS[grade.rule])}`);
      heading = grade.rule;
      say(gradeLines(grade, list, style));
    },
    io.signal,
  );

  const count = (verdict: Verdict): number => grades.filter((grade) => grade.verdict === verdict).length;
  const [passed, failed, advised, unsure] = [count('pass'), count('fail'), count('advice'), count('unsure')];
  const isWhole = grades.length === CHECKS.length;
  if (values.json) {
    const checks = grades.map(({ replies, ...grade }) => ({
      ...grade,
      replies: replies.map(({ text, ...reply }) => ({ ...reply, text: redacted(text, list) })),
    }));
    io.out(
      `${JSON.stringify({ ok: failed === 0 && isWhole, url, passed, failed, advised, unsure, checks, questions: QUESTIONS })}\n`,
    );
  } else {
    say(`\n  ${style.strong('Only you can see')}`);
    for (const { question } of QUESTIONS) say(`  ${style.soft('?')} ${question}`);
    const more = [
      advised > 0 && `${advised} to think about`,
      unsure > 0 && `${unsure} not told`,
      !isWhole && 'stopped early',
    ];
    const verdict = failed === 0 ? style.good(`${passed} passed`) : style.bad(`${failed} failed`);
    say(`\n  ${[verdict, failed > 0 && `${passed} passed`, ...more].filter(Boolean).join(', ')}\n`);
  }
  return failed === 0 && isWhole ? EXIT.fine : EXIT.finding;
}

function gradeLines({ verdict, title, replies, why, fix }: Grade, secrets: readonly string[], style: Style): string {
  const marks = { pass: style.good('✓'), fail: style.bad('✗'), advice: style.warn('!'), unsure: style.soft('?') };
  const facts = [replies.map(replyText).join(', '), why].filter((text) => text !== '').join('  ');
  const lines = [`  ${marks[verdict]} ${title.padEnd(48)} ${style.soft(facts)}`.trimEnd()];
  const said = replies.find(({ text }) => text !== '')?.text ?? '';
  if (verdict === 'fail' && said !== '')
    lines.push(style.soft(`      it said: ${excerpt(redacted(said, secrets), 100)}`));
  if (fix !== '' && verdict !== 'unsure') lines.push(`      ${style.warn('fix')}: ${fix}`);
  return lines.join('\n');
}

function replyText({ status, ms, problem }: Reply): string {
  return status === null ? `${problem} after ${ms} ms` : `${status} in ${ms} ms`;
}

function redacted(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}
