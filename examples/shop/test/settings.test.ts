import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../src/settings.ts';

const LIVE = {
  MERCHANT_BASE_URL: 'https://pay.example.com',
  MERCHANT_API_KEY: 'sk_live',
  MERCHANT_WEBHOOK_SECRET: 'whsec_live_0123456789',
  PUBLIC_URL: 'https://shop.example/',
};

test('without variables, a sandbox plays the service and nothing is kept', () => {
  const { live, database, publicUrl } = readSettings({});
  assert.deepEqual([live, database, publicUrl], [null, ':memory:', undefined]);
});

test('MERCHANT_BASE_URL switches to the service', () => {
  const { live, database, publicUrl } = readSettings(LIVE);
  assert.deepEqual(
    [live?.webhookSecret, database, publicUrl],
    [LIVE.MERCHANT_WEBHOOK_SECRET, 'shop.db', 'https://shop.example'],
  );
});

test('a variable that is missing or unusable is named at the start', () => {
  for (const name of [
    'MERCHANT_API_KEY',
    'MERCHANT_WEBHOOK_SECRET',
    'PUBLIC_URL',
  ]) {
    assert.throws(
      () => readSettings({ ...LIVE, [name]: '' }),
      new RegExp(name),
    );
  }
  for (const PUBLIC_URL of [
    'http://shop.example',
    'shop.example',
    'http://localhost.evil.example',
  ]) {
    assert.throws(() => readSettings({ ...LIVE, PUBLIC_URL }), /https/);
  }
});
