import type { JsonPart } from "@gatehouse/json";
import { nextTurn, Pace } from "@gatehouse/pace";
import { currentTurn } from "./loop-turn.ts";
import { readMessage } from "./read-message.ts";

/** Messages of one stream, its upstream's own requests among them, that are read in one turn of the event loop. */
export const messagesPerTurnMax = 64;

/**
 * Reads the messages of one stream, one after another in the order in which they came. Behind a large one, and behind
 * {@link messagesPerTurnMax}, others have their turn: an upstream that sends without an end has a share of the event loop alone.
 */
export class MessageQueue {
  readonly #onMessage: (message: JsonPart | undefined) => void;
  readonly #pace = new Pace();
  #waiting: Buffer[] = [];
  #next = 0;
  #turn = 0;
  #readInTurn = 0;
  #reading: Promise<void> | undefined;

  /** @param onMessage takes each message when it is read, undefined for one that is no JSON. */
  constructor(onMessage: (message: JsonPart | undefined) => void) {
    this.#onMessage = onMessage;
  }

  /** Adds a message behind those that wait; {@link read} reads it. */
  push(data: Buffer): void {
    this.#waiting.push(data);
  }

  /**
   * Reads what waits: in this turn, or in later ones as well, where the promise ends when nothing waits any more.
   * @throws what `onMessage` throws, and UpstreamFailure for a message that passes a bound; the promise rejects with both.
   */
  read(): Promise<void> | undefined {
    if (this.#reading !== undefined || this.#waiting.length === 0) return this.#reading;
    this.#pace.restart();
    const large = this.#readTurn();
    if (large === undefined && this.#waiting.length === 0) return undefined;
    this.#reading = this.#readOn(large).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Drops what waits, for a stream whose other messages matter no more. */
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

  /** Reads as many messages as this turn has room for. @returns the one that takes longer, where one does */
  #readTurn(): Promise<JsonPart | undefined> | undefined {
    for (let data = this.#take(); data !== undefined; data = this.#take()) {
      const message = readMessage(data);
      if (message instanceof Promise) return message;
      this.#onMessage(message);
    }
    return undefined;
  }

  /** The next message, where there is one and this turn has room for it. */
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
