import type { Random } from '../random.ts';
import { BODY } from './body-mutations.ts';
import type { Delivery, Genuine } from './genuine.ts';
import { HEADERS } from './header-mutations.ts';
import { SPLITS } from './splits.ts';

/** Changes a delivery as an attacker without the secret can. `other` is a further genuine one. */
export type Mutation = (delivery: Delivery, random: Random, other: Genuine) => Delivery;

export const MUTATIONS: readonly (readonly [name: string, Mutation])[] = [
  ...Object.entries(BODY),
  ...Object.entries(HEADERS),
  ...Object.entries(SPLITS),
];
