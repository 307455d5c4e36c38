import type { SandboxEvent } from '../sandbox/state/log.ts';
import { nextTurn } from './waiting.ts';

// Webhooks that wait at the door of the shop until all acts of a moment are there. Begun in the same turn alone, a
// webhook and a turn of the job never met.

/** Turns of the event loop between an answer of the service and the webhook, one after the other. */
const TURNS = [0, 1, 2, 4];

/** The webhooks of an invoice that are held. */
class Held {
  readonly isForRead: boolean;
  /** How many are not at the door yet. */
  #missing: number;
  open = (): void => {};
  #allArrive = (): void => {};
  readonly arrived = new Promise<void>((resolve) => {
    this.#allArrive = resolve;
  });
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  constructor(webhooks: number, isForRead: boolean) {
    this.#missing = webhooks;
    this.isForRead = isForRead;
  }

  arrive(): void {
    this.#missing -= 1;
    if (this.#missing === 0) this.#allArrive();
  }
}

export class HeldWebhooks {
  /** By the uuid of the invoice. */
  readonly #held = new Map<string, Held>();
  #turns = 0;

  /**
   * Holds the webhooks of an invoice from now on, until `release`. A moment has two of one invoice where it is canceled
   * and paid late. `isForRead`: until the shop has read the invoice.
   */
  hold(uuid: string, webhooks: number, isForRead = false): void {
    this.#held.set(uuid, new Held(webhooks, isForRead));
  }

  /** Resolves when all of these webhooks are at the door. */
  async arrived(uuid: string): Promise<void> {
    await this.#held.get(uuid)?.arrived;
  }

  /** Resolves when the webhook of the invoice is let in. */
  async opened(uuid: string): Promise<void> {
    await this.#held.get(uuid)?.opened;
  }

  /** Waits at the door, where something holds the webhook. */
  async pass(uuid: string): Promise<void> {
    const held = this.#held.get(uuid);
    held?.arrive();
    await held?.opened;
  }

  /** Lets the webhook in, now and later. */
  release(uuid: string): void {
    this.#held.get(uuid)?.open();
    this.#held.delete(uuid);
  }

  /**
   * Lets a webhook in soon after an answer of the service names its invoice: the job has just read that it is paid. Of a
   * press it is the first answer, before the shop writes what it has read.
   */
  see(event: SandboxEvent): void {
    if (this.#held.size === 0 || event.kind !== 'request') return;
    for (const [uuid, { isForRead }] of this.#held) {
      if (isForRead && event.method === 'GET' && event.response_body.includes(uuid)) this.release(uuid);
      if (isForRead) continue;
      if (event.operation === 'invoices.create') this.release(uuid);
      // The log keeps the start of a body, and a list may name the invoice behind it.
      const isNamed = event.operation === 'invoices.list' || event.response_body.includes(uuid);
      if (isNamed) void this.#releaseSoon(uuid);
    }
  }

  async #releaseSoon(uuid: string): Promise<void> {
    const turns = TURNS[this.#turns++ % TURNS.length] ?? 0;
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    this.release(uuid);
  }
}
