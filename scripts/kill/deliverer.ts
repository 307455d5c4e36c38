import { setTimeout as pause } from 'node:timers/promises';
import { type Decision, decide, type Fate, UNHARMED } from './decisions.ts';
import type { Processes } from './processes.ts';

/** The road between the service and the receivers: it brings each delivery, its copies, and death. */
export class Deliverer {
  readonly #attempts = new Map<string, number>();
  readonly #copies = new Set<Promise<unknown>>();
  readonly #last = new Map<string, { readonly body: string; readonly headers: Record<string, string> }>();
  readonly #receivers: Processes;
  readonly #options: { readonly seed: string; readonly receivers: number; readonly lease: number };
  sent = 0;
  /** How long each answer took, in milliseconds. */
  readonly answers: number[] = [];

  constructor(receivers: Processes, options: { seed: string; receivers: number; lease: number }) {
    this.#receivers = receivers;
    this.#options = options;
  }

  /** A `fetch` for the sandbox. */
  readonly fetch = async (_url: string, init: RequestInit): Promise<Response> => {
    const body = String(init.body);
    const headers = { ...(init.headers as Record<string, string>) }; // the sandbox gives a plain object
    const { external_id: id }: { external_id: string } = JSON.parse(body);
    const attempt = (this.#attempts.get(id) ?? 0) + 1;
    this.#attempts.set(id, attempt);
    this.#last.set(id, { body, headers });
    const { seed, receivers } = this.#options;
    const decision = decide(seed, id, attempt, receivers);
    this.#sendCopies(decision, body, headers);
    return await this.#send(decision, body, headers);
  };

  /** Waits for every copy that is still on its way. */
  async settle(): Promise<void> {
    await Promise.all(this.#copies);
  }

  /** Sends the last delivery of an invoice once more under another X-Webhook-Id, and gives the status. */
  async replay(id: string): Promise<number> {
    const last = this.#last.get(id);
    if (last === undefined) throw new Error(`${id} was never delivered.`);
    return (await this.#send(UNHARMED, last.body, withAnotherId(last.headers))).status;
  }

  #sendCopies({ copies }: Decision, body: string, headers: Record<string, string>): void {
    for (const copy of copies) {
      const send = async (): Promise<void> => {
        if (!copy.atOnce) await pause(this.#options.lease * 1.2);
        await this.#send(copy, body, copy.changedId ? withAnotherId(headers) : headers).catch(() => undefined);
      };
      const sending = send().finally(() => this.#copies.delete(sending));
      this.#copies.add(sending);
    }
  }

  async #send(fate: Fate, body: string, headers: Record<string, string>): Promise<Response> {
    const { receiver, dieAt, killed, stalls } = fate;
    const port = await this.#receivers.port(receiver);
    this.sent += 1;
    const plan: Record<string, string> = {};
    if (dieAt !== null) plan['x-die-at'] = dieAt;
    if (stalls) plan['x-stall'] = String(this.#options.lease * 2);
    const sentAt = performance.now();
    const answer = fetch(`http://127.0.0.1:${port}/webhook`, {
      method: 'POST',
      headers: { ...headers, ...plan },
      body,
      signal: AbortSignal.timeout(14_000),
    });
    if (killed) setTimeout(() => this.#receivers.kill(receiver), 3);
    const response = await answer;
    this.answers.push(performance.now() - sentAt);
    return response;
  }
}

function withAnotherId(headers: Record<string, string>): Record<string, string> {
  return { ...headers, 'X-Webhook-Id': `replayed-${crypto.randomUUID()}` };
}
