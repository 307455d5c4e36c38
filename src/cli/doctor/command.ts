import { readArguments } from '../arguments.ts';
import { EXIT, type ExitCode, type Io, misuse } from '../io.ts';
import { excerpt, styleOf } from '../style.ts';
import { examineService } from './service.ts';
import { baseUrlFinding, keyFinding, nodeFinding, secretFinding } from './settings.ts';

/** `doctor`: settings first, then the service, with one read-only call. */
export async function doctorCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = readArguments(
    args,
    { 'base-url': { type: 'string' }, 'allow-http': { type: 'boolean', default: false } },
    'doctor',
  );
  if (positionals.length > 0)
    throw misuse(`doctor does not take ${JSON.stringify(positionals[0])}`, 'merchant-invoicing doctor');
  const baseUrl = values['base-url'] ?? (io.env['MERCHANT_BASE_URL'] || undefined);
  const apiKey = io.env['MERCHANT_API_KEY'] || undefined;
  const allowHttp = values['allow-http'];

  const settings = [
    nodeFinding(process.versions.node),
    await baseUrlFinding(baseUrl, allowHttp),
    await keyFinding(apiKey),
    secretFinding(io.env['MERCHANT_WEBHOOK_SECRET']),
  ];
  const usable = settings.every(({ id, ok }) => ok || (id !== 'base-url' && id !== 'api-key'));
  const service =
    usable && baseUrl !== undefined && apiKey !== undefined
      ? await examineService({ baseUrl, apiKey, allowHttp, signal: io.signal })
      : [];
  const all = [...settings, ...service];

  const ok = all.every((line) => line.ok);
  if (values.json) {
    io.out(`${JSON.stringify({ ok, checks: all.map(({ unreachable: _, ...line }) => line) })}\n`);
  } else {
    const style = styleOf(io);
    for (const line of all) {
      io.out(
        `  ${line.ok ? style.good('✓') : style.bad('✗')} ${excerpt(line.text, 400)}\n${line.mend === '' ? '' : `      try: ${line.mend}\n`}`,
      );
    }
    if (!usable) io.out(`  ${style.soft('? the service was not asked: the settings come first')}\n`);
  }
  if (all.some(({ unreachable }) => unreachable)) return EXIT.unreachable;
  return ok ? EXIT.fine : EXIT.finding;
}
