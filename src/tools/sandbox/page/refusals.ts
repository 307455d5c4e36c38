import type { IncomingRequest } from '../service/service.ts';
import type { World } from '../world.ts';

// Why a form was refused. The browser is redirected after each post, so that a reload or a live update asks for a page
// that exists. That page finds the refusal by the number in its address.

/** The values of a form, or the members of a JSON object. */
export type Values = Readonly<Record<string, string | undefined>>;

/** Why an action was not done. */
export interface Refusal {
  readonly action: string;
  readonly typed: Values;
  /** For the page as a whole. */
  readonly message: string;
  /** The fields that are wrong, each with its reason. */
  readonly fields: readonly { readonly name: string; readonly problem: string }[];
}

const KEPT = 50;
const kept = new WeakMap<World, Map<string, Refusal>>();
let next = 1;

/** Keeps a refusal for the page that shows it, and returns its number. The latest 50 are kept. */
export function keepRefusal(world: World, refusal: Refusal): string {
  const all = kept.get(world) ?? new Map<string, Refusal>();
  kept.set(world, all);
  const number = String(next);
  next += 1;
  all.set(number, refusal);
  for (const [oldest] of all) if (all.size > KEPT) all.delete(oldest);
  return number;
}

/** The refusal that the address of a page names, or null. */
export function refusalOf(world: World, { url }: IncomingRequest): Refusal | null {
  return kept.get(world)?.get(url.searchParams.get('refused') ?? '') ?? null;
}
