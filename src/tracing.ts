// The channels by which tracers see calls, attempts and webhooks. Nothing is loaded before the first use, and a platform
// without `node:diagnostics_channel` has no channels.

/** The channels, after `merchant-invoicing:`. */
type ChannelName = 'call' | 'attempt' | 'webhook';

/** The part of a channel that is used here, typed by hand: the declarations must not need Node's types. */
interface Channel {
  readonly hasSubscribers?: unknown;
  publish(context: object): void;
  runStores(context: object, work: () => void): void;
}
type Step = 'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error';
/** A tracing channel of the platform. */
export type TracingChannel = { readonly [Name in Step]: Channel } & { readonly hasSubscribers?: unknown };

interface NodeProcess {
  getBuiltinModule?(id: string): { tracingChannel?(name: string): TracingChannel } | undefined;
}

const channels: { [Name in ChannelName]?: TracingChannel | null } = {};

/** Returns a channel that has a subscriber, or null. Costs a few nanoseconds without a subscriber. */
export function heard(name: ChannelName): TracingChannel | null {
  try {
    let channel = channels[name];
    if (channel === undefined) {
      channels[name] = null; // stays, where the host throws
      channel = open(name);
      channels[name] = channel;
    }
    return channel !== null && isHeard(channel) ? channel : null;
  } catch {
    return null; // a host that replaces the module
  }
}

function open(name: ChannelName): TracingChannel | null {
  // Never a static import: workerd without Node compatibility does not start with one.
  const { process } = globalThis as { readonly process?: NodeProcess };
  return (
    process?.getBuiltinModule?.('node:diagnostics_channel')?.tracingChannel?.(`merchant-invoicing:${name}`) ?? null
  );
}

function isHeard(channel: TracingChannel): boolean {
  const { hasSubscribers } = channel;
  if (typeof hasSubscribers === 'boolean') return hasSubscribers;
  if (typeof hasSubscribers === 'function') return hasSubscribers.call(channel) === true; // workerd
  const { start, end, asyncStart, asyncEnd, error } = channel; // Bun
  return [start, end, asyncStart, asyncEnd, error].some((step) => step.hasSubscribers === true);
}

/**
 * Does work inside a trace, as the platform's `tracePromise` does, with two differences. The result is not published,
 * because it holds data of customers. Whatever the host has made of its channels, the work is done once.
 *
 * @param context The work adds to it what is known at the end. `error` is published where the work has set it.
 */
export function traced<T>(
  channel: TracingChannel,
  context: { readonly error?: unknown },
  work: () => Promise<T>,
): Promise<T> {
  const begun: Promise<T>[] = [];
  const begin = (): void => {
    if (begun.length === 0) begun.push(settled(channel, context, work));
  };
  quietly(() => channel.start.runStores(context, begin));
  begin();
  quietly(() => channel.end.publish(context));
  const [result = work()] = begun; // never empty
  return result;
}

/** Runs inside of the stores of the start, so that subscribers of the end see them as well. */
async function settled<T>(
  channel: TracingChannel,
  context: { readonly error?: unknown },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } finally {
    if (context.error !== undefined) quietly(() => channel.error.publish(context));
    quietly(() => channel.asyncStart.publish(context));
    quietly(() => channel.asyncEnd.publish(context));
  }
}

/** A channel that a host has replaced may throw. That of the platform does not. */
function quietly(step: () => void): void {
  try {
    step();
  } catch {
    // No payment depends on an observer.
  }
}
