import type { Dialect } from './dialects.ts';

/** An instant as the service writes it. */
export function wireTime(at: number, form: Dialect['timeForm'] = 'z'): string {
  const text = new Date(at).toISOString();
  if (form === 'z') return text;
  const bare = text.slice(0, -1);
  if (form === 'offset') return `${bare}+00:00`;
  return form === 'micros' ? `${bare}000Z` : bare;
}
