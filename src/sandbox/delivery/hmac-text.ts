const encoder = new TextEncoder();

/** HMAC-SHA256 of any text with any key, the wrong ones included: signing a delivery rightly is the business of webhooks/signature.ts. */
export async function hmac(key: string, text: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const made = await crypto.subtle.importKey('raw', encoder.encode(key), algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', made, encoder.encode(text)));
}

export function inHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function inBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
