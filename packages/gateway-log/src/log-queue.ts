import { gatewayLogBounds as bounds } from "./bounds.ts";
import type { GatewayLogEntry } from "./gateway-log-entry.ts";
import { bytesAtMost, type LogMembers, toMembers } from "./log-columns.ts";
import { LogBatch, type SealedBatch } from "./sealed-batch.ts";

/** Entries in memory, oldest first: loose ones, then batches sealed for publication. */
export class LogQueue {
  #loose: LogMembers[] = [];
  #sealed: SealedBatch[] = [];
  #sealedEntries = 0;

  get size(): number {
    return this.#loose.length + this.#sealedEntries;
  }

  get looseCount(): number {
    return this.#loose.length;
  }

  add(entry: GatewayLogEntry): void {
    this.#loose.push(toMembers(entry));
  }

  /** Makes batches of the loose entries. */
  seal(): void {
    const loose = this.#loose;
    this.#loose = [];
    let batch: LogMembers[] = [];
    let bytes = 0;
    for (const members of loose) {
      const more = bytesAtMost(members);
      if (batch.length >= bounds.batchEntriesMax || bytes + more > bounds.batchBytesMax) {
        this.#push(batch);
        batch = [];
        bytes = 0;
      }
      batch.push(members);
      bytes += more;
    }
    if (batch.length > 0) this.#push(batch);
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

  #push(batch: readonly LogMembers[]): void {
    this.#sealed.push(new LogBatch(batch));
    this.#sealedEntries += batch.length;
  }
}

/** Number of entries in all given batches, for the bounds of memory and disk, which count entries. */
export function countEntries(batches: readonly SealedBatch[]): number {
  return batches.reduce((sum, { entries }) => sum + entries, 0);
}
