const HEX = /^[0-9a-f]{32}$/;

/** An id in lower case, and a UUID in its usual form, however it was spelled: without hyphens, in braces, as a URN. */
export function plainId(id: string): string {
  const digits = id.toLowerCase().replace(/^urn:uuid:|[{}-]/g, '');
  if (HEX.test(digits)) return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  // Of any other id only A to Z: beyond them two letters can have one lower case, and two ids would become one.
  return id.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
