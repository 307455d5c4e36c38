/** The flag of each option of the library that a message can begin with. */
const FLAGS: Readonly<Record<string, string>> = {
  apiKey: '--key',
  deliverTo: '--allow-host',
  'defaults.callback_url': '--callback',
  merchantName: '--merchant',
  url: '--public-url',
  webhookSecret: '--secret',
};

/** A message of the library with the flag that the user typed in place of the option. */
export function withFlag(message: string): string {
  return message
    .replace(/^dialect(?:\.(\w+))?(?= )/, (_, name: string | undefined) =>
      name === undefined ? '--dialect' : `--dialect ${name}`,
    )
    .replace(/^[\w.]+(?= (?:must|takes)\b)/, (name) => (Object.hasOwn(FLAGS, name) ? (FLAGS[name] ?? name) : name));
}
