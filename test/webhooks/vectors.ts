// Typed by hand from the interface document; the signatures come from the OpenSSL command line, never from our code:
//   printf '%s' '1767225600.{"invoice_uuid":…}' | openssl dgst -sha256 -hmac whsec_x            (hex)
//   printf '%s' '1767225600.{"invoice_uuid":…}' | openssl dgst -sha256 -hmac whsec_x -binary | openssl base64

export const SECRET = 'whsec_x';
/** 2026-01-01T00:00:00Z */
export const NOW = 1_767_225_600_000;
export const UUID = '3f2a9c1e-7b54-4d8e-9a10-6c2f5e8b7d41';

export const PAID =
  '{"invoice_uuid":"3f2a9c1e-7b54-4d8e-9a10-6c2f5e8b7d41","external_id":"order-1042","status":"success","amount":"25.00","credited_usdt":"26.91","adjusted":false}';

/** All of PAID with SECRET; each row is one way in which the service may write it. */
export const VECTORS = [
  {
    name: 'hex, seconds',
    timestamp: '1767225600',
    signature: '6117c7e8fd72b8b85765f97dfa48c43b57f14e168453b29afb329b661bd49bc2',
    sign: { encoding: 'hex', timestampFormat: 'seconds' },
  },
  {
    name: 'base64, seconds',
    timestamp: '1767225600',
    signature: 'YRfH6P1yuLhXZfl9+kjEO1fxThaEU7Ka+zKbZhvUm8I=',
    sign: { encoding: 'base64', timestampFormat: 'seconds' },
  },
  {
    name: 'hex, milliseconds',
    timestamp: '1767225600000',
    signature: 'cde4dd29abfe4e788fea1e31170a4821cdac83b61bb3b800a06bb734e1152bf2',
    sign: { encoding: 'hex', timestampFormat: 'milliseconds' },
  },
  {
    name: 'hex, ISO as JavaScript writes it',
    timestamp: '2026-01-01T00:00:00.000Z',
    signature: '22b6cc6027d720ecfa160338d86612e521d62f65842b09e06412afe06db6df76',
    sign: { encoding: 'hex', timestampFormat: 'iso' },
  },
] as const;

/** Forms that the service may send, and that signWebhook does not make. */
export const ISO_VECTORS = [
  { timestamp: '2026-01-01T00:00:00Z', signature: '7e1ffd3c2cfd4ac81222cb656cf78b745f4397ae65a417d8763a3c193465baf8' },
  {
    timestamp: '2026-01-01T01:00:00.123456+01:00',
    signature: '2c3346190dfd01a6990c03982897aa6d4a7f7607820468eaa1c999147a389d89',
  },
  {
    timestamp: '2026-01-01T01:00:00+0100',
    signature: '32b0c13f0b203dbbf9c800d02c2e74c2dd8a0336d907c79ed42257b240179077',
  },
  { timestamp: '2026-01-01 00:00:00', signature: '46985815bad67c30113105b22f3754f26e3fd87ffab4be6656bcf926316e5eb1' },
  {
    timestamp: '2026-01-01T00:00:00.123456',
    signature: '311213e538a71c2513988193bbaf186199fb43b8a682f9965c992b6edd5acd90',
  },
] as const;

/** A signature of PAID whose base64 has both characters in which the alphabets differ. */
export const MIXED = {
  timestamp: '1767225612',
  base64: '9AgR2vuqFaZt+7HijzD5xOde21BxZy/vtIqaZef06A4=',
  base64url: '9AgR2vuqFaZt-7HijzD5xOde21BxZy_vtIqaZef06A4',
} as const;

/** A secret and a body beyond ASCII: printf '%s' '1767225600.{…}' | openssl dgst -sha256 -hmac 'pässwörd-2' */
export const UNICODE = {
  secret: 'pässwörd-2',
  body: '{"invoice_uuid":"3f2a9c1e-7b54-4d8e-9a10-6c2f5e8b7d41","external_id":"Bestellung-7-é","status":"expired","amount":"25.00"}',
  timestamp: '1767225600',
  signature: 'ca70fdd4e51e4d27cb614334a794a5b1fef7788af77d309a8beae4ac4db66422',
} as const;

/** The headers of a delivery. */
export function headersOf(signature: string, timestamp = '1767225600', id = 'dlv_1'): Record<string, string> {
  return { 'x-webhook-id': id, 'x-webhook-signature': signature, 'x-webhook-timestamp': timestamp };
}

const HEX = VECTORS[0].signature;
/** The headers of PAID in its first vector. */
export const PAID_HEADERS = headersOf(HEX);
