import { createSandboxWith } from '../../src/tools/sandbox/create-sandbox.ts';
import type { Sandbox, SandboxOptions } from '../../src/tools/sandbox/index.ts';
import type { Internals } from '../../src/tools/sandbox/sandbox-options.ts';

/** A silent sandbox with a known key and secret, and with the time of the machine in the hands of the test. */
export function testSandbox(options: SandboxOptions & Internals = {}): Sandbox {
  const { wallClock, sleep, ...rest } = options;
  const known = { apiKey: 'sk_sandbox', webhookSecret: 'whsec_of_the_tests', quiet: true };
  return createSandboxWith({ ...known, ...rest }, { wallClock, sleep });
}
