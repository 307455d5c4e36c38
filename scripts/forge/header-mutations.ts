import { createHash, createHmac } from 'node:crypto';
import { below, oneOf, type Random } from '../random.ts';
import type { Delivery, Genuine } from './genuine.ts';
import type { Mutation } from './mutations.ts';

const SIGNATURE = 'X-Webhook-Signature';
const TIMESTAMP = 'X-Webhook-Timestamp';
const NAMES = ['X-Webhook-Id', SIGNATURE, TIMESTAMP] as const;

/** One header as text. An earlier mutation may have made a list of it. */
function textOf({ headers }: Delivery, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

function changed(
  name: string,
  change: (text: string, random: Random, delivery: Delivery, other: Genuine) => string,
): Mutation {
  return (delivery, random, other) => ({
    ...delivery,
    headers: { ...delivery.headers, [name]: change(textOf(delivery, name), random, delivery, other) },
  });
}

const surrounded = (text: string, random: Random): string =>
  random() < 0.5 ? text + oneOf(random, AROUND) : oneOf(random, AROUND) + text;

function withCharacter(text: string, random: Random, alphabet: string): string {
  const at = below(random, text.length);
  return text.slice(0, at) + (alphabet[below(random, alphabet.length)] ?? '') + text.slice(at + 1);
}

const HEX = '0123456789abcdefABCDEF';
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=';
const PREFIXES = ['sha256=', 'sha256:', 'hmac-sha256=', 'v1=', 'SHA256=', 'v0=', 'sha1=', 'v1,', 'v1=v1='] as const;
const AROUND = [' ', '\n', '\t', '\0', '\u00a0', '\u200b', '=', '00'] as const;

/** A signature that an attacker can compute without the secret, or with a guess. */
function guessed(_text: string, random: Random, delivery: Delivery): string {
  const signed = Buffer.concat([Buffer.from(`${textOf(delivery, TIMESTAMP)}.`), delivery.body]);
  const key = oneOf<string | Buffer>(random, [
    '',
    '\0',
    'whsec_',
    'whsec_sandbox',
    'undefined',
    'null',
    Buffer.alloc(32),
  ]);
  const digest = oneOf<() => Buffer>(random, [
    () => createHmac('sha256', key).update(signed).digest(),
    () => createHash('sha256').update(signed).digest(),
    () => createHmac('sha256', key).update(delivery.body).digest(),
    () => Buffer.alloc(32, below(random, 256)),
  ])();
  return digest.toString(oneOf(random, ['hex', 'base64', 'base64url']));
}

/** The same instant, or nearly, written in another way. */
function rewritten(text: string, random: Random): string {
  const ms = /^\d{13}$/.test(text) ? Number(text) : /^[\d.]+$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  const instant = new Date(ms);
  const date = Number.isNaN(instant.getTime()) ? new Date(0) : instant;
  return oneOf(random, [
    () => `${text}.0`,
    () => `${text}.${below(random, 1e6)}`,
    () => text.replace(/\.\d+/, ''),
    () => text.slice(0, -1),
    () => `${text}0`,
    () => `0${text}`,
    () => `+${text}`,
    () => String(Math.floor(date.getTime() / 1000)),
    () => String(date.getTime()),
    () => date.toISOString(),
    () => date.toISOString().replace('Z', '+00:00'),
    () => date.toISOString().replace('T', ' '),
    () => text.replace(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    () => `${Number(text)}e0`,
    () => String((Number(text) || 0) + 1),
  ])();
}

export const HEADERS: Readonly<Record<string, Mutation>> = {
  'another character of the signature': changed(SIGNATURE, (text, random) => withCharacter(text, random, HEX + BASE64)),
  'a signature cut or longer': changed(SIGNATURE, (text, random) =>
    random() < 0.5 ? text.slice(0, below(random, text.length)) : text + withCharacter('0', random, HEX),
  ),
  'a signature with something around it': changed(SIGNATURE, surrounded),
  'another prefix': changed(
    SIGNATURE,
    (text, random) => oneOf(random, PREFIXES) + text.replace(/^.*?[=:](?=.{40})/, ''),
  ),
  'the signature in the other case': changed(SIGNATURE, (text, random) =>
    random() < 0.5 ? text.toUpperCase() : text.toLowerCase(),
  ),
  'a signature that was guessed': changed(SIGNATURE, guessed),
  'the signature of another': changed(SIGNATURE, (_text, _random, _delivery, other) => other.signature),
  'another character of the timestamp': changed(TIMESTAMP, (text, random) =>
    withCharacter(text, random, '0123456789.-:TZ+ '),
  ),
  'the timestamp rewritten': changed(TIMESTAMP, rewritten),
  'the timestamp with something around it': changed(TIMESTAMP, surrounded),
  'the timestamp of another': changed(TIMESTAMP, (_text, _random, _delivery, other) => other.timestamp),
  'the headers of another': (delivery, _random, other) => ({ ...delivery, headers: other.headers }),
  'a header missing': (delivery, random) => {
    const { [oneOf(random, NAMES)]: _gone, ...headers } = delivery.headers;
    return { ...delivery, headers };
  },
  'a header twice': (delivery, random, other) => {
    const name = oneOf(random, NAMES);
    const mine = textOf(delivery, name);
    const theirs = textOf(other, name);
    const twice = oneOf<Delivery['headers']>(random, [
      { [name]: [mine, theirs] },
      { [name]: [theirs, mine] },
      { [name]: `${mine}, ${theirs}` },
      { [name.toLowerCase()]: theirs },
      { [name.toUpperCase()]: mine },
    ]);
    return { ...delivery, headers: { ...delivery.headers, ...twice } };
  },
  'names in another case': (delivery, random) => ({
    ...delivery,
    headers: Object.fromEntries(
      Object.entries(delivery.headers).map(([name, value]) => [
        random() < 0.5 ? name.toLowerCase() : name.toUpperCase(),
        value,
      ]),
    ),
  }),
  'a header more': (delivery, random) => ({
    ...delivery,
    headers: {
      ...delivery.headers,
      ...oneOf<Delivery['headers']>(random, [
        { 'X-Webhook-Event': 'invoice.paid' },
        { 'Content-Length': '5' },
        { 'Content-Type': 'text/html' },
        { Signature: '0'.repeat(64) },
        { 'X-Webhook-Signature-256': '0'.repeat(64) },
      ]),
    },
  }),
};
