import type { Answer } from '../../service/respond.ts';
import type { World } from '../../world.ts';
import { fileAnswer, html } from './html.ts';

const PATH = /^\/assets\/methods\/(\d{1,9})\.svg$/;

/** Pictures of common kinds of methods, by a word of the name. */
const PICTURES: readonly (readonly [name: RegExp, picture: string])[] = [
  [/card/i, 'M4 8h24M7 15h6'],
  [/bank|transfer|ach|havale/i, 'M6 9l10-5 10 5zM9 12v4M14 12v4M18 12v4M23 12v4M6 18h20'],
  [/wallet|papara/i, 'M6 7h18v10H6zM19 11h7v3h-7z'],
];

/**
 * The picture of a method on the payment page. The pages load nothing from outside, so it replaces `logo_url`. A method
 * of an unknown kind gets its first letter.
 */
export function methodIcon({ settings }: World, path: string): Answer | null {
  const id = PATH.exec(path)?.[1];
  const method = id === undefined ? undefined : settings.methods.find((each) => each.id === Number(id));
  if (method === undefined) return null;
  const lines = PICTURES.find(([name]) => name.test(method.name))?.[1];
  const [letter = ''] = method.name;
  const content =
    lines === undefined
      ? html`<text x="16" y="16" text-anchor="middle" font-family="sans-serif" font-size="13" font-weight="600" fill="#fff">${letter.toUpperCase()}</text>`
      : html`<path d="${lines}" fill="none" stroke="#fff" stroke-width="1.6" stroke-linejoin="round" stroke-linecap="round"/>`;
  const hue = (method.id * 67 + 200) % 360;
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 22"><rect width="32" height="22" rx="4" fill="hsl(${hue} 35% 38%)"/>${content}</svg>`;
  return fileAnswer('image/svg+xml', svg.text);
}
