const HEX = /^[0-9a-f]{32}$/;

/** An id in lower case, and a UUID in its usual form, however it was spelled: without hyphens, in braces, as a URN. */
export function plainId(id: string): string {
  const lower = id.toLowerCase();
  const digits = lower.replace(/^urn:uuid:|[{}-]/g, '');
  return HEX.test(digits) ? digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : lower;
}
