import { posix } from 'node:path';

/** A link of a page, relative to it or absolute. */
export interface Link {
  readonly line: number;
  readonly target: string;
}

const LINKS = [
  /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g,
  /<(?:img|a)\s[^>]*(?:src|href)="([^"]+)"/g,
  /^\[[^\]]+\]:\s+(\S+)/gm,
];

/** The links of a page, without those in code and comments. */
export function linksOf(text: string): Link[] {
  const prose = blanked(blanked(withoutBlocks(text), /`+[^`\n]+`+/g), /<!--[\s\S]*?-->/g);
  const found = LINKS.flatMap((pattern) => [...prose.matchAll(pattern)]);
  return found.map(({ 1: target = '', index }) => ({ line: prose.slice(0, index).split('\n').length, target }));
}

/** The anchors of a page as GitHub makes them: of its headings, and those that it names. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  const prose = withoutBlocks(text);
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '').replaceAll(' ', '-');
    let name = slug;
    for (let copy = 1; anchors.has(name); copy += 1) name = `${slug}-${copy}`;
    anchors.add(name);
  }
  for (const [, name = ''] of prose.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(name);
  return anchors;
}

/** Links that lead nowhere. `exists` knows the files that are not pages. */
export function deadLinks(pages: ReadonlyMap<string, string>, exists: (path: string) => boolean): string[] {
  return [...pages].flatMap(([page, text]) =>
    linksOf(text)
      .filter(({ target }) => !/^[a-z][a-z+.-]*:/i.test(target))
      .flatMap(({ line, target }) => {
        const { path, anchor } = resolved(page, target);
        const found = pages.get(path);
        const isThere = found !== undefined || exists(path);
        const isWhole = isThere && (anchor === '' || found === undefined || anchorsOf(found).has(anchor));
        return isWhole ? [] : [`${page}:${line} ${target}`];
      }),
  );
}

/** The pages that a reader reaches from one page by links. */
export function reachedFrom(start: string, pages: ReadonlyMap<string, string>): Set<string> {
  const reached = new Set([start]);
  for (const page of reached) {
    for (const { target } of linksOf(pages.get(page) ?? '')) {
      const { path } = resolved(page, target);
      if (pages.has(path)) reached.add(path);
    }
  }
  return reached;
}

function resolved(page: string, target: string): { readonly path: string; readonly anchor: string } {
  const [file = '', anchor = ''] = target.split('#');
  return { path: file === '' ? page : posix.join(posix.dirname(page), decodeURI(file)), anchor };
}

function withoutBlocks(text: string): string {
  return blanked(text, /^( *)(`{3,})[^\n]*\n[\s\S]*?^ *\2 *$/gm);
}

/** The text with these parts removed, and its lines kept. */
function blanked(text: string, pattern: RegExp): string {
  return text.replace(pattern, (part) => part.replace(/[^\n]/g, ' '));
}
