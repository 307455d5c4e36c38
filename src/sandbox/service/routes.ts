import type { Operation } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';

/** The endpoint of a path, or the reason why none matches. */
export type Match =
  | { readonly kind: 'operation'; readonly operation: Operation; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'other_method'; readonly allow: string }
  | { readonly kind: 'none' };

const ROUTES = Object.values(endpoints).map(({ operation, method, path }) => ({
  operation,
  method,
  parts: path.split('/'),
}));

/** Finds the endpoint in the table of the contract. Path parameters are decoded once. */
export function matchRoute(method: string, pathname: string): Match {
  const parts = decoded(pathname.split('/'));
  if (parts === null) return { kind: 'none' };
  const fitting = ROUTES.flatMap((route) => {
    const params = paramsOf(route.parts, parts);
    return params === null ? [] : [{ ...route, params }];
  });
  const found = fitting.find((route) => route.method === method);
  if (found !== undefined) return { kind: 'operation', operation: found.operation, params: found.params };
  if (fitting.length === 0) return { kind: 'none' };
  return { kind: 'other_method', allow: fitting.map((route) => route.method).join(', ') };
}

function decoded(parts: readonly string[]): string[] | null {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return null; // a stray percent sign
  }
}

function paramsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (expected.startsWith('{')) {
      if (part === '') return null;
      params[expected.slice(1, -1)] = part;
    } else if (expected !== part) return null;
  }
  return params;
}
