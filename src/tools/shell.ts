/** A text in single quotes, so that a POSIX shell takes it literally. */
export function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A text as one word of a shell command, quoted only if that is necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(text) ? text : shellText(text);
}
