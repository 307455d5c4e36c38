/** A page with a table put between its marks. Throws where they are missing. */
export function between(page: string, name: string, script: string, table: string): string {
  const begin = `<!-- ${name}: begin, written by ${script} -->`;
  const end = `<!-- ${name}: end -->`;
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)];
  if (start < 0 || stop < start) throw new Error(`The page has no marks ${begin} … ${end}`);
  return `${page.slice(0, start + begin.length)}\n\n${table}\n\n${page.slice(stop)}`;
}
