import { type Later, later } from "../exchange/later.ts";
import type { CompletionChunk } from "../forms/completion.ts";

export type Chunks = readonly CompletionChunk[];

/** Chunks of the next read, possibly none; undefined at the end. */
export type NextChunks = Chunks | undefined | Later | Promise<Chunks | undefined>;

/** Reader of one streamed reply, implemented by each adapter. */
export interface ChunkSource {
  /** The next chunks, {@link later} where they have not arrived. Fails with a ProviderError, thrown or as a rejection. */
  next(): NextChunks;
  /** Calls back once, when `next` no longer says `later`. Absent where it never does. */
  onChange?(wake: () => void): void;
  /** Whether `next` has returned a chunk with output, or a finish. */
  readonly begun: boolean;
  /** Abandons the reply and stops the provider's work. Does nothing after the end. */
  cancel(): void;
}

/** Waits for the next chunks. */
export async function nextChunks(source: ChunkSource): Promise<Chunks | undefined> {
  for (;;) {
    const chunks = source.next();
    if (chunks !== later) return await chunks;
    await new Promise<void>((resolve) => source.onChange?.(resolve));
  }
}
