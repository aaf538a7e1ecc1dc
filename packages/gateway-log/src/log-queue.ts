import { randomUUID } from "node:crypto";
import type { StreamMessage } from "@gatehouse/events";
import { gatewayLogBounds as bounds } from "./bounds.ts";
import { encodeEntry, toWireBatch } from "./encode-entry.ts";
import type { GatewayLogEntry } from "./gateway-log-entry.ts";

/** A message with a constant id over all publications, and the number of its entries. */
export interface SealedBatch extends StreamMessage {
  readonly entries: number;
}

/** Entries in memory, oldest first: loose ones, then batches sealed for publication. */
export class LogQueue {
  #loose: GatewayLogEntry[] = [];
  #sealed: SealedBatch[] = [];
  #sealedEntries = 0;

  get size(): number {
    return this.#loose.length + this.#sealedEntries;
  }

  get looseCount(): number {
    return this.#loose.length;
  }

  add(entry: GatewayLogEntry): void {
    this.#loose.push(entry);
  }

  /** Makes batches of the loose entries. */
  seal(): void {
    const loose = this.#loose;
    this.#loose = [];
    let texts: string[] = [];
    let length = 0;
    for (const entry of loose) {
      const text = encodeEntry(entry);
      if (texts.length >= bounds.batchEntriesMax || length + text.length > bounds.batchLengthMax) {
        this.#push(texts);
        texts = [];
        length = 0;
      }
      texts.push(text);
      length += text.length + 1;
    }
    if (texts.length > 0) this.#push(texts);
  }

  /** Removes the oldest batches; a failed publisher returns them. */
  take(batchesMax: number): readonly SealedBatch[] {
    const taken = this.#sealed.splice(0, batchesMax);
    this.#sealedEntries -= countEntries(taken);
    return taken;
  }

  giveBack(batches: readonly SealedBatch[]): void {
    this.#sealed = [...batches, ...this.#sealed];
    this.#sealedEntries += countEntries(batches);
  }

  #push(texts: readonly string[]): void {
    this.#sealed.push({ id: randomUUID(), body: toWireBatch(texts), entries: texts.length });
    this.#sealedEntries += texts.length;
  }
}

/** Number of entries in all given batches, for the bounds of memory and disk, which count entries. */
export function countEntries(batches: readonly SealedBatch[]): number {
  return batches.reduce((sum, { entries }) => sum + entries, 0);
}
