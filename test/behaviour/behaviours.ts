import type { Behaviour } from './behaviour.ts';
import { BUSINESS } from './business.ts';
import { CREATION } from './creation.ts';
import { FAILURES } from './failures.ts';
import { READING } from './reading.ts';
import { WEBHOOKS } from './webhooks.ts';

/** What the SDK does, as a list: each entry holds under every dialect. */
export const BEHAVIOURS: readonly Behaviour[] = [...CREATION, ...FAILURES, ...READING, ...BUSINESS, ...WEBHOOKS];
