import { vi } from 'vitest';

/** The two sources of cryptography: every verdict must be the same with both. */
export const RUNTIMES = [
  { runtime: 'node:crypto', enter: (): void => {} },
  {
    runtime: 'WebCrypto',
    enter: (): void => {
      vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never); // a runtime without Node's modules
    },
  },
];
