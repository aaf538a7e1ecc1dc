import { type CompletionChunk, type CompletionStream, ProviderError } from "@gatehouse/providers";
import { expect, test } from "vitest";
import { heldCharactersPerToken, holdStream } from "./hold-stream.ts";

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

test("a held stream has the same chunks in the same batches", async () => {
  const { batches } = await holdStream(streamOf(["a", "b"]), "p", null);
  const seen: (readonly CompletionChunk[])[] = [];
  for await (const batch of batches) seen.push(batch);
  expect(seen).toEqual([[chunk("a")], [chunk("b")]]);
});

test("a break in a held stream is the attempt's failure", async () => {
  const broken = new ProviderError("cut", "broke off");
  await expect(holdStream(streamOf(["a"], broken), "p", null)).rejects.toBe(broken);
});

test("an answer above the bound is malformed", async () => {
  const long = "x".repeat(17 * 1024 * 1024);
  await expect(holdStream(streamOf([long, long]), "p", null)).rejects.toMatchObject({
    failure: "malformed",
    message: "p sent an answer of more than 33554432 characters",
  });
});

const [first, second, third] = ["one ", "two ", "three"].map((word) => word.padEnd(heldCharactersPerToken));

test("a window holds as many tokens as it names, and later chunks pass as they arrive", async () => {
  const broken = new ProviderError("cut", "broke off");
  const { batches } = await holdStream(streamOf([first ?? "", second ?? "", third ?? ""], broken), "p", 2);
  const seen: string[] = [];
  const read = async () => {
    for await (const batch of batches) seen.push(...batch.map(({ choices }) => String(choices[0]?.delta.content)));
  };
  await expect(read()).rejects.toBe(broken);
  expect(seen).toEqual([first, second, third]);
});

test("a break within the window is the attempt's failure", async () => {
  const broken = new ProviderError("cut", "broke off");
  const stream = streamOf([first ?? ""], broken);
  await expect(holdStream(stream, "p", 2)).rejects.toBe(broken);
});

test("closing a window that was never read cancels the provider's stream", async () => {
  let isLeft = false;
  async function* batches() {
    try {
      for (;;) yield await Promise.resolve([chunk("word")]);
    } finally {
      isLeft = true;
    }
  }
  const held = await holdStream({ batches: batches() }, "p", 1);
  await held.batches[Symbol.asyncIterator]().return?.();
  expect(isLeft).toBe(true);
});
