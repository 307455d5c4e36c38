import { isObject, type JsonObject } from '../../contract/json.ts';
import { type Answer, codeIn, errorIn, isSuccess, memberOf } from '../answer.ts';
import { type Clue, hiddenBy, type Rules, valueClue } from '../rule.ts';
import type { Mask, Point } from '../words.ts';

// Rules over the three requests that an option must name: a creation, a conflict, a resend.

const isConflict = (answer: Answer): boolean =>
  answer.question === 'conflict' && codeIn(answer) === 'INVOICE_ALREADY_EXISTS';

/** The details of a conflict, and the form in which they stand. */
function detailsOf(answer: Answer): { readonly form: string; readonly details: JsonObject } {
  const details = memberOf(errorIn(answer), 'details');
  if (!isObject(details))
    return { form: details === null ? 'null' : details === undefined ? 'absent' : 'other', details: {} };
  if (isObject(details['invoice'])) return { form: 'nested', details: {} };
  return { form: Object.keys(details).length > 2 ? 'extra' : 'full', details };
}

/** The name of a member of the details, hidden where the details have no members. */
function memberClues(point: 'conflictStatusMember' | 'conflictIdMember', names: readonly string[]) {
  return (answer: Answer): readonly Clue[] => {
    if (!isConflict(answer)) return [];
    const { form, details } = detailsOf(answer);
    if (form !== 'full' && form !== 'extra') return [hiddenBy('conflictDetails')];
    return [valueClue(point, names.find((name) => Object.hasOwn(details, name)) ?? null)];
  };
}

/** The body of an accepted resend. */
function resendForm({ status, text, json }: Answer): string | null {
  if (status === 204 || text === '') return 'empty';
  if (json === undefined) return 'text';
  if (!isObject(json)) return null;
  if (!Object.hasOwn(json, 'data')) return Object.keys(json).every((name) => name === 'success') ? 'flag' : null;
  const data = json['data'];
  if (data === null) return 'null';
  if (['id', 'delivery_id', 'webhook_id'].some((name) => memberOf(data, name) !== undefined)) return 'delivery';
  return typeof memberOf(data, 'message') === 'string' ? 'message' : null;
}

const CONFLICT = 'a POST with an external_id that exists (--conflict)';
const CREATION = 'a creation (--create)';
const RESEND = 'a resend (--resend)';
const HIDDEN_MEMBER: readonly Mask[] = ['conflictDetails', 'other_form'];

export const WRITE_RULES = {
  createStatus: {
    from: CREATION,
    need: 'create',
    masks: ['other_form'],
    clues: (answer) =>
      answer.question === 'creation' && isSuccess(answer) ? [valueClue('createStatus', answer.status)] : [],
  },
  unpayableAmount: {
    from: 'no request of the probe',
    need: 'unpayable',
    clues: () => [],
  },
  amountToSendAtCreation: {
    from: CREATION,
    need: 'create',
    clues: (answer) => {
      const data = memberOf(answer.json, 'data');
      if (answer.question !== 'creation' || !isSuccess(answer) || !isObject(data)) return [];
      return [(data['amount_to_send'] ?? '') === '' ? 'null' : 'value'];
    },
  },
  conflictStatus: {
    from: CONFLICT,
    need: 'conflict',
    masks: ['other_form'],
    clues: (answer) => (isConflict(answer) ? [valueClue('conflictStatus', answer.status)] : []),
  },
  conflictDetails: {
    from: CONFLICT,
    need: 'conflict',
    masks: ['other_form'],
    clues: (answer) => (isConflict(answer) ? [valueClue('conflictDetails', detailsOf(answer).form)] : []),
  },
  conflictStatusMember: {
    from: CONFLICT,
    need: 'conflict',
    masks: HIDDEN_MEMBER,
    clues: memberClues('conflictStatusMember', ['status', 'existing_status', 'invoice_status']),
  },
  conflictIdMember: {
    from: CONFLICT,
    need: 'conflict',
    masks: HIDDEN_MEMBER,
    clues: memberClues('conflictIdMember', ['external_id', 'order_id']),
  },
  resendStatus: {
    from: RESEND,
    need: 'resend',
    masks: ['resendBody', 'other_form'],
    clues: (answer) => {
      if (answer.question !== 'resend' || !isSuccess(answer)) return [];
      return [resendForm(answer) === 'empty' ? hiddenBy('resendBody') : valueClue('resendStatus', answer.status)];
    },
  },
  resendBody: {
    from: RESEND,
    need: 'resend',
    masks: ['other_form'],
    clues: (answer) =>
      answer.question === 'resend' && isSuccess(answer) ? [valueClue('resendBody', resendForm(answer))] : [],
  },
} satisfies Partial<Rules<Point, Answer>>;
