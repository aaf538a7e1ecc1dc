import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { later } from "../exchange/later.ts";
import type { CompletionChunk } from "../forms/completion.ts";
import { type CompletionStream, ProviderError, type TakeBatch } from "../provider.ts";
import type { Chunks, ChunkSource, NextChunks } from "./chunk-source.ts";
import { passStream } from "./pass-chunks.ts";
import { peekStream } from "./peek-stream.ts";

const broken = new ProviderError("cut", "broke off");

function chunksOf(...texts: readonly string[]): Chunks {
  return texts.map((content) => {
    return { id: "c", model: "m", created: 0, choices: [{ index: 0, delta: { content }, finish_reason: null }] };
  });
}

function textOf(batch: readonly CompletionChunk[]): string {
  return batch.map(({ choices }) => choices[0]?.delta.content).join("");
}

/** A source whose chunks arrive as `arrive` is called; an error is its failure, undefined its end. */
class Arrivals implements ChunkSource {
  readonly begun = true;
  isCancelled = false;
  readonly #arrived: (Chunks | Promise<Chunks> | Error | undefined)[] = [];
  #wake: (() => void) | undefined;

  arrive(arrived: Chunks | Promise<Chunks> | Error | undefined): void {
    this.#arrived.push(arrived);
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  next(): NextChunks {
    if (this.#arrived.length === 0) return later;
    const next = this.#arrived.shift();
    if (next instanceof Error) throw next;
    return next;
  }

  onChange(wake: () => void): void {
    this.#wake = wake;
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

/** Passes a stream on to `take`, which by default wants all; `taken` has the texts so far. */
async function pass(
  take: (text: string) => ReturnType<TakeBatch> = () => true,
  form = (stream: CompletionStream) => stream,
) {
  const source = new Arrivals();
  const taken: string[] = [];
  const stream = form(await peekStream(source));
  const end = passStream(stream, (batch) => {
    taken.push(textOf(batch));
    return take(textOf(batch));
  });
  end.catch(() => {});
  return { source, taken, end };
}

describe("a stream that is passed on", () => {
  it("reaches its reader in the turn of the event loop in which it arrives, without a microtask", async () => {
    const { source, taken, end } = await pass();
    source.arrive(chunksOf("a", "b"));
    expect(taken).toEqual(["ab"]);
    source.arrive(chunksOf());
    source.arrive(chunksOf("c"));
    expect(taken).toEqual(["ab", "c"]);
    source.arrive(undefined);
    await end;
    expect(source.isCancelled).toBe(false);
  });

  it("waits while its reader is busy, and for chunks that take time", async () => {
    const { promise: rest, resolve } = Promise.withResolvers<boolean>();
    const { source, taken, end } = await pass((text) => (text === "a" ? rest : true));
    for (const text of ["a", "b"]) source.arrive(chunksOf(text));
    await nextTurn();
    expect(taken).toEqual(["a"]);
    resolve(true);
    source.arrive(Promise.resolve(chunksOf("c")));
    source.arrive(undefined);
    await end;
    expect(taken).toEqual(["a", "b", "c"]);
  });

  it.each([
    ["at once", false],
    ["later", Promise.resolve(false)],
  ])("is cancelled where its reader wants no more, said %s", async (_, answer) => {
    const { source, taken, end } = await pass(() => answer);
    source.arrive(chunksOf("a"));
    source.arrive(chunksOf("b"));
    await end;
    expect([taken, source.isCancelled]).toEqual([["a"], true]);
  });

  it.each([
    ["at once", () => broken],
    ["in a promise", () => Promise.reject<Chunks>(broken)],
  ])("rejects as the stream breaks, %s, after what had arrived", async (_, failure) => {
    const { source, taken, end } = await pass();
    source.arrive(chunksOf("a"));
    source.arrive(failure());
    await expect(end).rejects.toBe(broken);
    expect(taken).toEqual(["a"]);
  });

  it("is cancelled by an exception of its reader", async () => {
    const defect = new RangeError("defect");
    const { source, end } = await pass(() => {
      throw defect;
    });
    source.arrive(chunksOf("a"));
    await expect(end).rejects.toBe(defect);
    expect(source.isCancelled).toBe(true);
  });

  it("may be one that can only be iterated", async () => {
    const iterated = ({ batches }: CompletionStream) => ({ batches });
    const { source, taken, end } = await pass((text) => text !== "b", iterated);
    for (const text of ["a", "b", "c"]) source.arrive(chunksOf(text));
    await end;
    expect([taken, source.isCancelled]).toEqual([["a", "b"], true]);
  });
});
