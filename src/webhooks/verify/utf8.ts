// Made at first use: jsdom has neither class, and a test that only imports the entry must not fail for it.
let textEncoder: TextEncoder | undefined;
let textDecoder: TextDecoder | undefined;

/** Text as UTF-8. */
export const encoder = {
  encode(text: string) {
    textEncoder ??= new TextEncoder();
    return textEncoder.encode(text);
  },
};

/** UTF-8 as text; throws a TypeError for bytes that are not UTF-8. */
export const decoder = {
  decode(bytes: Uint8Array): string {
    textDecoder ??= new TextDecoder('utf-8', { fatal: true });
    return textDecoder.decode(bytes);
  },
};
