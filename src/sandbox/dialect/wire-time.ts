import type { Dialect } from './dialect.ts';

/** An instant as the service writes it. */
export function wireTime(at: number, form: Dialect['timeForm'] = 'z'): string {
  const text = new Date(at).toISOString();
  const bare = text.slice(0, -1);
  switch (form) {
    case 'z':
      return text;
    case 'offset':
      return `${bare}+00:00`;
    case 'micros':
      return `${bare}000Z`;
    case 'zoneless':
      return bare;
    case 'whole_seconds':
      return `${bare.slice(0, 19)}Z`;
    case 'blank':
      return text.replace('T', ' ');
  }
}
