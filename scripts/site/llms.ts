// The two files for language models, in the form of llmstxt.org: an index of the pages as Markdown, and all pages in one.
import { GROUPS, type SitePage } from './pages.ts';

export interface Package {
  readonly name: string;
  readonly version: string;
  readonly description: string;
}

const CAUTION =
  'Amounts are decimal text or Decimal, never numbers. The webhook is the source of truth for a payment, not the return of the customer. Fulfil against `credited_usdt`.';

/** The index: title, description, then the pages by group with their first sentence. */
export function llmsIndex({ name, version, description }: Package, pages: readonly SitePage[]): string {
  const sections = GROUPS.flatMap((group) => {
    const lines = pages.filter((page) => page.group === group).map(lineOf);
    // The standard's word for pages that a reader may leave out.
    return lines.length === 0 ? [] : [`## ${group === 'Project' ? 'Optional' : group}\n\n${lines.join('\n')}\n`];
  });
  const start = '- [README](README.md): The package in one page.\n- [AGENTS.md](AGENTS.md): The rules in short.\n';
  return [`# ${name}\n`, `> ${description}\n`, `Version ${version}. ${CAUTION}\n`, start, ...sections].join('\n');
}

/** All pages for users, one after another, each below its path. */
export function llmsFull({ name, description }: Package, readme: string, pages: readonly SitePage[]): string {
  const texts = pages
    .filter(({ group }) => group !== 'Project')
    .map(({ path, text }) => `<!-- ${path} -->\n\n${text.trim()}\n`);
  return [`# ${name}\n`, `> ${description}\n`, `<!-- README.md -->\n\n${readme.trim()}\n`, ...texts].join('\n');
}

function lineOf({ path, title, summary }: SitePage): string {
  return `- [${title}](${path})${summary === '' ? '' : `: ${summary}`}`;
}
