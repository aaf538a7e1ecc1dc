import { expect, test } from "vitest";
import type { CompletionChunk } from "./completion.ts";
import { holdStream } from "./hold-stream.ts";
import { type CompletionStream, ProviderError } from "./provider.ts";

const chunk = (content: string): CompletionChunk => ({
  id: "c",
  model: "m",
  created: 0,
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});

function streamOf(texts: readonly string[], failure?: ProviderError): CompletionStream {
  async function* batches() {
    for (const text of texts) yield await Promise.resolve([chunk(text)]);
    if (failure !== undefined) throw failure;
  }
  return { batches: batches() };
}

test("a stream that is held says the same, in the same batches", async () => {
  const { batches } = await holdStream(streamOf(["a", "b"]), { provider: "p" });
  const seen: (readonly CompletionChunk[])[] = [];
  for await (const batch of batches) seen.push(batch);
  expect(seen).toEqual([[chunk("a")], [chunk("b")]]);
});

test("a break in its middle is the attempt's failure", async () => {
  const broken = new ProviderError("cut", "broke off");
  await expect(holdStream(streamOf(["a"], broken), { provider: "p" })).rejects.toBe(broken);
});

test("an answer that is too long is not held", async () => {
  const long = "x".repeat(17 * 1024 * 1024);
  await expect(holdStream(streamOf([long, long]), { provider: "p" })).rejects.toMatchObject({ failure: "malformed" });
});
