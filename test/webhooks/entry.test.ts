import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as entry from '../../src/webhooks/index.ts';

/** Everything that a source file loads at run time, directly or not: files and packages. */
function loads(file: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(file.pathname)) return seen;
  seen.add(file.pathname);
  for (const [, typeOnly, from = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\s+(type\s)?[^;]*?from '([^']+)';/gm,
  )) {
    if (typeOnly !== undefined) continue;
    if (from.startsWith('.')) loads(new URL(from, file), seen);
    else seen.add(from);
  }
  return seen;
}

describe('the webhooks entry', () => {
  it('exports what it promises, and nothing by accident', () => {
    expect(Object.keys(entry).sort()).toEqual([
      'ConfigurationError',
      'Decimal',
      'MerchantError',
      'WebhookVerificationError',
      'createWebhookHandler',
      'hasCode',
      'hasKind',
      'isMerchantError',
      'memoryStore',
      'parseInvoiceEvent',
      'postgresStore',
      'redisStore',
      'signWebhook',
      'sqliteStore',
      'storeConformance',
      'toFetchHandler',
      'toLambdaHandler',
      'toNodeHandler',
      'verifyWebhook',
    ]);
  });

  it('loads decimal.js and no other package, and no Node module', () => {
    const file = new URL('../../src/webhooks/index.ts', import.meta.url);
    expect(existsSync(file)).toBe(true);
    const loaded = [...loads(file)];
    expect(loaded.length).toBeGreaterThan(30);
    expect(loaded.filter((name) => !name.startsWith('/'))).toEqual(['decimal.js']);
    expect(loaded.filter((name) => name.includes('/sandbox/') || name.includes('/transport/'))).toEqual([]);
  });
});
