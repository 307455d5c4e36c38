import { fileURLToPath } from 'node:url';

/** The folder of the built package, as merchants install it. */
export const DIST = fileURLToPath(new URL('../dist/', import.meta.url));

/** The client as it is built. */
export async function loadClient(): Promise<typeof import('../src/index.ts')> {
  return await import(`${DIST}index.js`); // a path in a variable: `npm run bench` builds it before
}

/** The receiver as it is built. */
export async function loadWebhooks(): Promise<typeof import('../src/webhooks/index.ts')> {
  return await import(`${DIST}webhooks.js`);
}

/** The reconciliation as it is built. */
export async function loadReconcile(): Promise<typeof import('../src/reconcile/index.ts')> {
  return await import(`${DIST}reconcile.js`);
}
