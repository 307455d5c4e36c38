import type { SandboxWebhookRequest } from '../../wire-types.ts';

/** A shell command that sends the same request. */
export function asCurl({ url, method, headers, body }: SandboxWebhookRequest): string {
  const parts = [
    `curl -i -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ];
  return parts.join(' \\\n  ');
}

/** Text that no POSIX shell reads anything into. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
