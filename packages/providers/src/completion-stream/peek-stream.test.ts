import { expect, test } from "vitest";
import type { CompletionChunk } from "../forms/completion.ts";
import type { ChunkSource } from "./chunk-source.ts";
import { peekStream } from "./peek-stream.ts";

const frame = { id: "c", model: "m", created: 1 };
const text: CompletionChunk = { ...frame, choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: null }] };

function sourceOf(batches: readonly (readonly CompletionChunk[])[]): ChunkSource {
  const left = batches.values();
  let begun = false;
  return {
    next() {
      const { value } = left.next();
      begun ||= value?.includes(text) === true;
      return value;
    },
    get begun() {
      return begun;
    },
    cancel: () => undefined,
  };
}

test("chunks without choices before the first are joined to it, however many there are", async () => {
  const preface = Array.from({ length: 200 }, () =>
    Array.from({ length: 1_000 }, (_, index): CompletionChunk => ({ ...frame, choices: [], index })),
  );
  const { batches } = await peekStream(sourceOf([...preface, [text]]));
  const { value } = await batches[Symbol.asyncIterator]().next();
  expect(value).toEqual([{ ...text, index: 999 }]);
});
