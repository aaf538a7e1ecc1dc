import { GatewayError } from "@gatehouse/errors";
import type { Consumer, EventTransport } from "@gatehouse/events";
import type { Part } from "./part.ts";

/** Delivers messages to a service's consumers only while the parts that store them run; other messages are redelivered. */
export class ConsumerGate {
  readonly #events: EventTransport;
  readonly #storing = new Set<Promise<void>>();
  #isEssential = false;
  #isOpen = false;

  constructor(events: EventTransport) {
    this.#events = events;
  }

  consume(consumer: Consumer, isEssential: boolean): void {
    this.#isEssential ||= isEssential;
    this.#events.consume({
      ...consumer,
      store: async (messages) => {
        if (!this.#isOpen) throw new GatewayError("unavailable", "The service is starting or stopping.");
        const storing = consumer.store(messages);
        this.#storing.add(storing);
        await storing.finally(() => this.#storing.delete(storing));
      },
    });
  }

  open(): void {
    this.#isOpen = true;
  }

  /** Resolves when earlier messages are stored or have failed. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await Promise.allSettled(this.#storing);
  }

  /**
   * Reports an unreachable transport: as a problem of a service that consumes, unless several services share the process and can
   * still work; else as a notice, since events wait in the outbox.
   */
  report(isShared: boolean): Part {
    const problems = async () => await this.#events.problems();
    return { name: "event transport", ...(this.#isEssential && !isShared ? { problems } : { notices: problems }) };
  }
}
