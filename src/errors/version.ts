/** Version of the package. A test compares it with package.json. */
export const VERSION = '0.1.0';

/** The oldest Node that the package is tested on. A test compares it with `engines` of package.json. */
export const OLDEST_NODE = '22.12';

/** Whether a version of Node is older. */
export function isOldNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

let isWarned = false;

/**
 * Warns once if Node is older, because npm shows `engines` only at the installation. Other runtimes are not checked.
 */
export function warnOfOldNode(): void {
  if (isWarned || typeof process !== 'object') return;
  const { node = OLDEST_NODE } = process.versions ?? {};
  if (!isOldNode(node)) return;
  isWarned = true;
  const text = `merchant-invoicing needs Node ${OLDEST_NODE} or later, and this is Node ${node}.`;
  process.emitWarning(text, { code: 'MERCHANT_INVOICING_NODE' });
}
