import type { JsonPart } from "@gatehouse/json";
import { nextTurn, Pace } from "@gatehouse/pace";
import { currentTurn } from "./loop-turn.ts";
import { readMessage } from "./read-message.ts";

/** Messages of one stream, including its upstream's own requests, read per turn of the event loop. */
export const messagesPerTurnMax = 64;

/**
 * Reads the messages of one stream in order. Other work runs after a large message, and after {@link messagesPerTurnMax}, so that
 * an endless stream gets only its share of the event loop.
 */
export class MessageQueue {
  readonly #onMessage: (message: JsonPart | undefined) => void;
  readonly #pace = new Pace();
  #waiting: Buffer[] = [];
  #next = 0;
  #turn = 0;
  #readInTurn = 0;
  #reading: Promise<void> | undefined;

  /** @param onMessage receives each message; undefined for one that is not JSON */
  constructor(onMessage: (message: JsonPart | undefined) => void) {
    this.#onMessage = onMessage;
  }

  /** Appends a message; {@link read} reads it. */
  push(data: Buffer): void {
    this.#waiting.push(data);
  }

  /**
   * Reads waiting messages: in this turn, or also in later ones, where the promise resolves once none waits.
   * @throws the errors of `onMessage`, and UpstreamFailure for a message over a bound; the promise rejects with both
   */
  read(): Promise<void> | undefined {
    if (this.#reading !== undefined || this.#waiting.length === 0) return this.#reading;
    this.#pace.restart();
    const large = this.#readTurn();
    if (large === undefined && this.#waiting.length === 0) return undefined;
    this.#reading = this.#readOn(large).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Drops waiting messages, once they are irrelevant. */
  clear(): void {
    this.#waiting = [];
    this.#next = 0;
  }

  async #readOn(reading: Promise<JsonPart | undefined> | undefined): Promise<void> {
    let large = reading;
    do {
      if (large === undefined) await nextTurn();
      else this.#onMessage(await large);
      this.#pace.restart();
      large = this.#readTurn();
    } while (large !== undefined || this.#waiting.length > 0);
  }

  /** Reads as many messages as fit into this turn. @returns the one that takes longer, if any */
  #readTurn(): Promise<JsonPart | undefined> | undefined {
    for (let data = this.#take(); data !== undefined; data = this.#take()) {
      const message = readMessage(data);
      if (message instanceof Promise) return message;
      this.#onMessage(message);
    }
    return undefined;
  }

  /** The next message, if there is one and this turn has time for it. */
  #take(): Buffer | undefined {
    if (this.#turn !== currentTurn()) {
      this.#turn = currentTurn();
      this.#readInTurn = 0;
    }
    const data = this.#waiting[this.#next];
    if (data === undefined) this.clear();
    if (data === undefined || this.#readInTurn >= messagesPerTurnMax || this.#pace.isDue) return undefined;
    this.#next += 1;
    this.#readInTurn += 1;
    return data;
  }
}
