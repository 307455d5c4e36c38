import { it } from 'vitest';
import type { OpenEnum } from '../../src/contract/types.ts';
import {
  decimal,
  displayText,
  flag,
  integer,
  listOf,
  nullable,
  openEnum,
  parametersOf,
  resource,
  shapeOf,
  text,
} from '../../src/contract/values/codecs.ts';
import type { Decimal } from '../../src/contract/values/decimal.ts';
import { decimalFrom } from '../../src/contract/values/scalars.ts';

// The public interfaces are written by hand and pinned to the schemas. A pin that accepts everything would look the same.

interface Order {
  readonly id: string;
  readonly amount: Decimal | null;
  readonly status: OpenEnum<'open'>;
  readonly lines: readonly { readonly count: number }[];
}
interface Query {
  readonly page?: number | null | undefined;
  readonly status?: string | null | undefined;
}
const id = text;
const amount = nullable(decimalFrom);
const status = openEnum<'open'>();
const lines = listOf(resource({ count: integer }));

it('a pin accepts what is equal, and refuses everything else', () => {
  shapeOf<Order>()({ id, amount, status, lines });
  // @ts-expect-error a member that the interface does not have
  shapeOf<Order>()({ id, amount, status, lines, isNew: flag });
  // @ts-expect-error a member is missing
  shapeOf<Order>()({ id, amount, status });
  // @ts-expect-error another type
  shapeOf<Order>()({ id: integer, amount, status, lines });
  // @ts-expect-error not nullable
  shapeOf<Order>()({ id, amount: decimal, status, lines });
  // @ts-expect-error nullable, and the interface says that it is not
  shapeOf<Order>()({ id: displayText, amount, status, lines });
  // @ts-expect-error other words
  shapeOf<Order>()({ id, amount, status: openEnum<'closed'>(['closed']), lines });
  // @ts-expect-error text where the interface lists words
  shapeOf<Order>()({ id, amount, status: text, lines });
  // @ts-expect-error another type, deep
  shapeOf<Order>()({ id, amount, status, lines: listOf(resource({ count: text })) });
  // @ts-expect-error a further member, deep
  shapeOf<Order>()({ id, amount, status, lines: listOf(resource({ count: integer, more: text })) });

  parametersOf<Query>()({ page: text, status: text });
  // @ts-expect-error a name that the interface does not have
  parametersOf<Query>()({ page: text, status: text, limit: text });
  // @ts-expect-error a name is missing
  parametersOf<Query>()({ page: text });
});
