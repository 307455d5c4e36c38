import type { ColdRow } from './row.ts';

const cold = { kind: 'cold', subject: 'cold' } as const;

export const COLD_ROWS: readonly ColdRow[] = [
  {
    ...cold,
    id: 'import',
    title: "import of the client / stripe's",
    measure: 'cpu',
    ours: 'import merchant-invoicing',
    baseline: 'import stripe',
    others: ['import merchant-invoicing/webhooks', 'import polar', 'import openai', 'import paddle', 'import ky'],
    goal: 0.25,
    stretch: 0.17,
    pairs: 9,
  },
  {
    ...cold,
    id: 'cold',
    title: 'cold start to the first decoded page / raw fetch',
    measure: 'wall',
    ours: 'merchant-invoicing',
    baseline: 'raw fetch',
    others: ['ky', 'stripe', 'openai', 'polar'],
    goal: 1.55,
    stretch: 1.45,
    pairs: 7,
  },
];
