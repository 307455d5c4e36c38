import type { ServerResponse } from 'node:http';
import type { World } from '../world.ts';

/** The path of the stream of events, for the dashboard and for `sandbox events`. */
export const EVENT_STREAM = '/_/events';

/**
 * Sends each event of the sandbox from now on, as server-sent events whose data is the event in JSON. Ends when the
 * reader closes the connection. A reader that does not keep up is cut off, so that it cannot fill the memory.
 */
export function streamEvents(
  { log }: World,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(': the events of this sandbox\n\n');
  const stop = log.subscribe((event) => {
    if (response.writableLength > MOST_WAITING) response.destroy();
    else response.write(`data: ${JSON.stringify(event)}\n\n`);
  });
  response.once('close', stop);
}

/** Bytes that may wait for a slow reader. */
const MOST_WAITING = 4 * 1024 * 1024;
