import { type Answer, isSuccess, memberOf, singleIn } from '../answer.ts';
import { type Clue, hiddenBy, type Inference, maskIn, onlyValue, type Rules, type Tally, valueClue } from '../rule.ts';
import type { Point } from '../words.ts';
import { isIncident } from './failures.ts';

// Rules over single reads: shape, members, and the forms of {ident}.

/** The clues of single reads about the forms of {ident}. */
export const IDENT_CLUES = {
  BY_UUID: 'uuid accepted',
  BY_EXTERNAL_ID: 'external_id accepted',
  NOT_BY_UUID: 'uuid refused',
  NOT_BY_EXTERNAL_ID: 'external_id refused',
} as const;
const { BY_UUID, BY_EXTERNAL_ID, NOT_BY_UUID, NOT_BY_EXTERNAL_ID } = IDENT_CLUES;

const isInvoiceRead = ({ question }: Answer): boolean =>
  question === 'read by uuid' || question === 'read by external_id';

/** The shape of a success, whose row must be at a known place. */
function shapeClues(point: 'invoiceRead' | 'withdrawalRead', name: string, answer: Answer): readonly Clue[] {
  if (!isSuccess(answer)) return [];
  return [valueClue(point, singleIn(answer, name)?.shape ?? null)];
}

export const READ_RULES = {
  dateHeader: {
    from: 'every answer',
    need: 'read',
    masks: ['several_forms'],
    clues: ({ headers }) => [headers.has('date') ? 'present' : 'absent'],
  },
  successFlag: {
    from: 'lists',
    need: 'read',
    masks: ['other_form', 'several_forms'],
    clues: (answer) => {
      const isList = ['methods', 'rates', 'invoices', 'withdrawals'].includes(answer.question);
      if (!isList || !isSuccess(answer) || memberOf(answer.json, 'data') === undefined) return [];
      const flag = memberOf(answer.json, 'success');
      return [flag === true ? 'present' : flag === undefined ? 'absent' : hiddenBy('other_form')];
    },
  },
  invoiceRead: {
    from: 'a single read',
    need: 'invoice',
    masks: ['other_form'],
    clues: (answer) => (isInvoiceRead(answer) ? shapeClues('invoiceRead', 'invoice', answer) : []),
  },
  invoiceReadForm: {
    from: 'a single read',
    need: 'invoice',
    masks: ['other_form'],
    clues: (answer) => {
      const row = isInvoiceRead(answer) ? singleIn(answer, 'invoice')?.row : undefined;
      if (row === undefined) return [];
      return [
        typeof row['is_adjusted'] === 'boolean' ? 'full' : 'finished_at' in row ? hiddenBy('other_form') : 'creation',
      ];
    },
  },
  invoiceReadIdent: {
    from: 'single reads of one listed invoice by both ids',
    need: 'invoice',
    masks: ['several_forms'],
    clues: (answer) => {
      if (!isInvoiceRead(answer) || isIncident(answer)) return [];
      if (answer.question === 'read by uuid') return [isSuccess(answer) ? BY_UUID : NOT_BY_UUID];
      return [isSuccess(answer) ? BY_EXTERNAL_ID : NOT_BY_EXTERNAL_ID];
    },
    infer: acceptedIdent,
  },
  identRefusal: {
    from: 'the single read by an id that is not accepted',
    need: 'invoice',
    masks: ['invoiceReadIdent', 'other_form'],
    clues: (answer) => {
      if (!isInvoiceRead(answer) || isIncident(answer)) return [];
      if (isSuccess(answer)) return [hiddenBy('invoiceReadIdent')];
      return [
        answer.status === 422
          ? 'invalid'
          : [404, 410, 400].includes(answer.status)
            ? 'not_found'
            : hiddenBy('other_form'),
      ];
    },
    // Where no form was accepted, the invoice itself may be gone.
    infer: (tally) => (tally.has(hiddenBy('invoiceReadIdent')) ? onlyValue('identRefusal', tally) : null),
  },
  withdrawalRead: {
    from: 'a single read',
    need: 'withdrawal',
    masks: ['other_form'],
    clues: (answer) =>
      answer.question === 'read withdrawal' ? shapeClues('withdrawalRead', 'withdrawal', answer) : [],
  },
} satisfies Partial<Rules<Point, Answer>>;

function acceptedIdent(tally: Tally): Inference {
  const [uuid, externalId] = [tally.has(BY_UUID), tally.has(BY_EXTERNAL_ID)];
  const [notUuid, notExternalId] = [tally.has(NOT_BY_UUID), tally.has(NOT_BY_EXTERNAL_ID)];
  if ((uuid && notUuid) || (externalId && notExternalId)) return { maskedBy: 'several_forms' };
  if (uuid && externalId) return { value: 'both', by: [BY_UUID, BY_EXTERNAL_ID] };
  if (uuid && notExternalId) return { value: 'uuid', by: [BY_UUID, NOT_BY_EXTERNAL_ID] };
  if (externalId && notUuid) return { value: 'external_id', by: [BY_EXTERNAL_ID, NOT_BY_UUID] };
  const maskedBy = maskIn(tally);
  return maskedBy === null ? null : { maskedBy };
}
