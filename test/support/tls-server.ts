import { createServer, type ServerOptions } from 'node:https';
import { listen } from './fault-server.ts';

// A certificate for "localhost" that nobody has signed but itself. The key protects nothing: it exists to be refused.
const certificate = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIUGt66C/NdxSHneA2vaHLNujFPAKYwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEzNTQ0NVoYDzIxMjYxMDI4
MTM1NDQ1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARp/AoNa4onzEm1yIaVtyoIW4pQaLe1J3dUpz/1lkQbk2w3HK6aBux5
iDxZonG6iw0NMpK59gHpzLX4hJYAAZWko1MwUTAdBgNVHQ4EFgQUO+cRzWOlhRIH
1L9/BpHgadlKcCIwHwYDVR0jBBgwFoAUO+cRzWOlhRIH1L9/BpHgadlKcCIwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEA7xYC+93JFcLPglA62EtM
tUDcCGD0mIOJFHlaWecYFGECICPPrcZWjFQw7tv49fHEXzwBDp1XsNIuTSBFwbTg
y5mK
-----END CERTIFICATE-----`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgE6aRhNqg+a8bQ6ze
qylFcpo6tbemsAE4+XDfIJLWJfihRANCAARp/AoNa4onzEm1yIaVtyoIW4pQaLe1
J3dUpz/1lkQbk2w3HK6aBux5iDxZonG6iw0NMpK59gHpzLX4hJYAAZWk
-----END PRIVATE KEY-----`;

/** An https: address whose certificate no client trusts. */
export async function untrusted(onRequest: () => void, options: ServerOptions = {}): Promise<string> {
  const address = await listen(createServer({ cert: certificate, key, ...options }, onRequest));
  return address.replace('http://127.0.0.1', 'https://localhost');
}
