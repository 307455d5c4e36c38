import { describe, expect, it } from 'vitest';
import * as entry from '../../src/webhooks/index.ts';

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
      'toFetchHandler',
      'toLambdaHandler',
      'toNodeHandler',
      'verifyWebhook',
    ]);
  });
});
