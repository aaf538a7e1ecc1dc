import { type CompletionChunk, type CompletionChunkChoice, ProviderError } from "@gatehouse/providers";
import { expect, test } from "vitest";
import { continueStream } from "./continue-stream.ts";

const broken = new ProviderError("cut", "broke off");

function chunkOf(...choices: readonly Partial<CompletionChunkChoice>[]): CompletionChunk {
  const whole = choices.map((choice) => ({ index: 0, delta: {}, finish_reason: null, ...choice }));
  return { id: "c", model: "m", created: 0, choices: whole };
}

const said = (content: string) => chunkOf({ delta: { content } });
const end = chunkOf({ finish_reason: "stop" });

async function* batchesOf(chunks: readonly CompletionChunk[], failure?: ProviderError) {
  for (const chunk of chunks) yield await Promise.resolve([chunk]);
  if (failure !== undefined) throw failure;
}

/** The text that is passed on of two parts, of which the first breaks off. */
async function read(first: readonly CompletionChunk[], second: readonly CompletionChunk[]): Promise<string> {
  const goOn = async () => await Promise.resolve({ batches: batchesOf(second) });
  let text = "";
  for await (const batch of continueStream({ batches: batchesOf(first, broken) }, goOn).batches) {
    for (const { choices } of batch) text += choices[0]?.delta.content ?? "";
  }
  return text;
}

const extras: [string, Partial<CompletionChunkChoice>][] = [
  ["a tool call", { delta: { tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "{}" } }] } }],
  ["a refusal", { delta: { refusal: "no" } }],
  ["reasoning", { delta: { reasoning_content: "Hm" } }],
  ["log probabilities", { delta: { content: "over" }, logprobs: { content: [] } }],
  ["another choice", { index: 1, delta: { content: "over" } }],
];

test.each(extras)("a second part with %s fails instead of losing it", async (_name, extra) => {
  const reading = read([said("The fox jumps ")], [chunkOf(extra), end]);
  await expect(reading).rejects.toMatchObject({ failure: "malformed", message: /more than text/ });
  await expect(read([said("The fox jumps ")], [said("over the dog"), chunkOf(extra), end])).rejects.toThrow(
    /more than text/,
  );
});

test.each(extras)("a first part with %s is not continued", async (_name, extra) => {
  await expect(read([said("The fox jumps "), chunkOf(extra)], [said("over."), end])).rejects.toBe(broken);
});

test("fields without a value do not keep parts from being joined", async () => {
  const empty = { tool_calls: [], refusal: null, reasoning_content: "" };
  const first = chunkOf({ delta: { role: "assistant", content: "The fox ", ...empty }, logprobs: null });
  expect(await read([first], [chunkOf({ delta: { content: "jumps.", ...empty } }), end])).toBe("The fox jumps.");
});
