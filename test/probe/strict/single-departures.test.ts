import { expect, it } from 'vitest';
import { TABLE } from '../../behaviour/hold.ts';
import { livedInAccount } from '../account.ts';
import { fileOf, issuesOf, journey } from './client-journey.ts';

/** Departures that no answer to a client shows, and why. */
const UNSEEN: ReadonlySet<string> = new Set([
  // The file of the base service does not know them: one member of an attempt at a time has no value.
  'attemptNulls absent',
  'attemptNulls empty',
  'attemptNulls mixed',
  // An invoice that is not found may not exist.
  'invoiceReadIdent uuid',
  'invoiceReadIdent external_id',
  // The base service accepts both forms, so none is refused.
  'identRefusal invalid',
  // A single rate limit without the header proves nothing.
  'retryAfterForm absent',
  // A proxy answers like this as well.
  'serverBody detail',
  'serverBody html',
  'serverBody empty',
  // The probe creates no invoice that cannot be paid, so no file knows it.
  'unpayableAmount accepted',
  // The client sends no name that the service does not know.
  'unknownQuery refused',
]);
/** Points that only webhooks show. `verifyWebhook` and the handler pin what they can. */
const OF_WEBHOOKS =
  /^(?:signature(?:Encoding|Prefix)|timestamp(?:Format|Per)|webhook(?:Headers|Body)|orderIdMember|event(?:Name|Spelling|Nulls)|adjustedFlag)$/;

const base = fileOf({});
const values = TABLE.flatMap(([name, { values }]) => values.map((value, index) => [name, value, index > 0] as const));

it.each(values)(
  'under %s: %j the file of the base service is contradicted, and its own file is not',
  async (name, value, isOther) => {
    const departing = await livedInAccount({ [name]: value });
    const lines = issuesOf(await journey(departing, { dialect: await base, onDrift: 'throw' }));
    await departing.sandbox.close();
    const isShown = isOther && !OF_WEBHOOKS.test(name) && !UNSEEN.has(`${name} ${value}`);
    expect(lines.some((line) => line.split(' ')[1] === name)).toBe(isShown);
    const dialect = await fileOf({ [name]: value });
    const same = await livedInAccount({ [name]: value });
    expect(issuesOf(await journey(same, { dialect, onDrift: 'throw' }))).toEqual([]);
    await same.sandbox.close();
  },
);
