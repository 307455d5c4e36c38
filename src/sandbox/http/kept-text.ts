const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The start of a text, as a copy: a mere slice would keep the whole text in memory as long as the log holds the slice. */
export function keptText(text: string, most: number): string {
  return text.length <= most ? text : decoder.decode(encoder.encode(text.slice(0, most)));
}
