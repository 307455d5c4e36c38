import { BODY } from './body-mutations.ts';
import type { Delivery, Genuine } from './genuine.ts';
import { HEADERS } from './header-mutations.ts';
import { SPLITS } from './splits.ts';

/** Random numbers from 0 to 1, the same for the same seed. */
export type Random = () => number;

/** Changes a delivery as somebody without the secret can; `other` is a further genuine one. */
export type Mutation = (delivery: Delivery, random: Random, other: Genuine) => Delivery;

export const MUTATIONS: readonly (readonly [name: string, Mutation])[] = [
  ...Object.entries(BODY),
  ...Object.entries(HEADERS),
  ...Object.entries(SPLITS),
];
