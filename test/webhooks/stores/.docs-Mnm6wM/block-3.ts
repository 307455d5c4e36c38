import { test } from 'node:test';
import { memoryStore, storeConformance } from '../../../../src/webhooks/index.ts';

const myStore = memoryStore(); // yours
for (const { name, run } of storeConformance(() => myStore)) test(name, run);
