import { runAction } from './actions.ts';
import { createFront } from './http/dispatch.ts';
import { servePage } from './page/pages.ts';
import { type Sandbox, sandboxOver } from './sandbox.ts';
import { type Internals, readSettings, type SandboxOptions } from './sandbox-options.ts';
import { createWorld } from './seed.ts';

/**
 * Creates a sandbox: a local Merchant Invoicing Service for tests and development.
 *
 * @param options All optional. `createSandbox()` works without any.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option.
 * @example
 * const sandbox = createSandbox();
 * const merchant = new MerchantClient({ apiKey: sandbox.apiKey, baseUrl: sandbox.url, fetch: sandbox.fetch });
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return createSandboxWith(options, {});
}

/** {@link createSandbox} with a replaced clock and timer of the machine, for tests and for `storm`. @internal */
export function createSandboxWith(options: SandboxOptions, internals: Internals): Sandbox {
  const world = createWorld(readSettings(options, internals));
  const front = createFront(world, (incoming) =>
    servePage(world, (name, values) => runAction(sandbox, name, values), incoming),
  );
  const sandbox: Sandbox = sandboxOver(world, front);
  return sandbox;
}
