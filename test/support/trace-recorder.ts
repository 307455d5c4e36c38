import { AsyncLocalStorage } from 'node:async_hooks';
import { type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel';
import { onTestFinished } from 'vitest';

export type ChannelName = 'call' | 'attempt' | 'webhook';

/** A trace as a subscriber saw it. */
export interface SeenTrace {
  readonly channel: ChannelName;
  readonly context: Record<string, unknown>;
  /** The trace in which it began. */
  readonly parent: SeenTrace | null;
  /** The steps in their order. */
  readonly steps: string[];
  /** The trace that was current when it ended. */
  current: SeenTrace | null;
}

/** Subscribes to channels until the test ends, as a tracer does. */
export function recordTraces(...names: ChannelName[]): SeenTrace[] {
  const seen: SeenTrace[] = [];
  const current = new AsyncLocalStorage<SeenTrace>();
  for (const channel of names.length === 0 ? (['call', 'attempt', 'webhook'] as const) : names) {
    const traces = new WeakMap<object, SeenTrace>();
    const tracing = tracingChannel<SeenTrace, Record<string, unknown>>(`merchant-invoicing:${channel}`);
    const begin = (context: Record<string, unknown>): SeenTrace => {
      const trace = { channel, context, parent: current.getStore() ?? null, steps: [], current: null };
      seen.push(trace);
      traces.set(context, trace);
      return trace;
    };
    tracing.start.bindStore(current, begin);
    const step = (name: string) => (context: Record<string, unknown>) => {
      const trace = traces.get(context);
      trace?.steps.push(name);
      if (trace !== undefined && name === 'asyncEnd') trace.current = current.getStore() ?? null;
    };
    const subscribers: TracingChannelSubscribers<Record<string, unknown>> = {
      start: step('start'),
      end: step('end'),
      asyncStart: step('asyncStart'),
      asyncEnd: step('asyncEnd'),
      error: step('error'),
    };
    tracing.subscribe(subscribers);
    onTestFinished(() => {
      tracing.unsubscribe(subscribers);
      tracing.start.unbindStore(current);
    });
  }
  return seen;
}
