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
  const { live, database, publicUrl, isSandbox } = readSettings({});
  assert.deepEqual(
    [live, database, publicUrl, isSandbox],
    [null, ':memory:', undefined, true],
  );
});

test('MERCHANT_BASE_URL switches to the service', () => {
  const { live, database, publicUrl, isSandbox } = readSettings(LIVE);
  assert.deepEqual(
    [live?.webhookSecret, database, publicUrl, isSandbox],
    [LIVE.MERCHANT_WEBHOOK_SECRET, 'shop.db', 'https://shop.example', false],
  );
  const played = readSettings({ ...LIVE, MERCHANT_SANDBOX: '1' });
  assert.equal(played.isSandbox, true);
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
