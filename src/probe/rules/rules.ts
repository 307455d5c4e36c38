import type { Answer } from '../answer.ts';
import type { Captured } from '../captured.ts';
import type { Rule, Rules } from '../rule.ts';
import type { Point } from '../words.ts';
import { DELIVERY_RULES } from './deliveries.ts';
import { FAILURE_RULES } from './failures.ts';
import { FORM_RULES } from './forms.ts';
import { LIST_RULES } from './lists.ts';
import { READ_RULES } from './reads.ts';
import { WEBHOOK_RULES } from './webhooks.ts';
import { WRITE_RULES } from './writes.ts';

type WebhookPoint = keyof typeof WEBHOOK_RULES;

/** The rules over answers of the API. The compiler reports a dialect without a rule. */
export const ANSWER_RULES: Rules<Exclude<Point, WebhookPoint>, Answer> = {
  ...FAILURE_RULES,
  ...READ_RULES,
  ...LIST_RULES,
  ...FORM_RULES,
  ...DELIVERY_RULES,
  ...WRITE_RULES,
};

/** The rules over captured webhooks. */
export const CAPTURE_RULES: Rules<WebhookPoint, Captured> = WEBHOOK_RULES;

/** Every rule, by point, without the type of what it reads. */
export const RULES: Readonly<Record<Point, Omit<Rule<never>, 'clues'>>> = { ...ANSWER_RULES, ...CAPTURE_RULES };
