import type { EndedAttempt } from './why.ts';

const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens at {host}. Is the receiver running, and on this port?',
  ENOTFOUND: 'No address is known for {host}.',
  EAI_AGAIN: 'The name {host} cannot be looked up now.',
  ECONNRESET: 'The receiver closed the connection without an answer: it may have crashed.',
  UND_ERR_SOCKET: 'The receiver closed the connection without an answer: it may have crashed.',
  UND_ERR_CONNECT_TIMEOUT: '{host} takes no connection: a firewall may swallow it.',
  EHOSTUNREACH: '{host} cannot be reached from here.',
  ENETUNREACH: '{host} cannot be reached from here.',
  ERR_SSL_WRONG_VERSION_NUMBER: '{host} does not speak TLS: write http:// in the callback_url.',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: '{host} does not speak TLS: write http:// in the callback_url.',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'The certificate of {host} is signed by itself: start the sandbox with NODE_EXTRA_CA_CERTS, or use http:// on this machine.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'The certificate of {host} comes from an unknown authority: start the sandbox with NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The certificate of {host} comes from an unknown authority: start the sandbox with NODE_EXTRA_CA_CERTS.',
  CERT_HAS_EXPIRED: 'The certificate of {host} has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name than {host}.',
};

/** Why no answer came, where the error or the time-out says it. */
export function causeOfBreak({ error, request }: EndedAttempt, timeout: number): string | null {
  if (error?.startsWith('time-out')) {
    return `No answer came within ${timeout / 1000} s. Answer 2xx first, work afterwards.`;
  }
  const code = /^connection error: (\S+)$/.exec(error ?? '')?.[1] ?? '';
  const cause = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return cause?.replace('{host}', new URL(request?.url ?? 'http://localhost').host) ?? null;
}
