import { type CompletionChunk, type CompletionStream, passStream, type TakeBatch } from "@gatehouse/providers";
import { describe, expect, test } from "vitest";
import { watchUsage } from "./watch-usage.ts";

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const text: CompletionChunk = {
  id: "c",
  model: "m",
  created: 0,
  choices: [{ index: 0, delta: { content: "a" }, finish_reason: "stop" }],
};
const figure: CompletionChunk = { ...text, choices: [], usage };

async function* iterate(batches: readonly (readonly CompletionChunk[])[], failure?: Error) {
  for (const batch of batches) yield await Promise.resolve(batch);
  if (failure !== undefined) throw failure;
}

/** The forms of one stream: iterated, and passed on. */
const forms: readonly [string, (...parts: Parameters<typeof iterate>) => CompletionStream][] = [
  ["iterated", (...parts) => ({ batches: iterate(...parts) })],
  [
    "passed on",
    (...parts) => ({
      batches: iterate(...parts),
      passTo: (take) => passStream({ batches: iterate(...parts) }, take),
    }),
  ],
];

describe.each(forms)("a stream that is %s", (_, streamOf) => {
  async function watch(stream: CompletionStream, take: TakeBatch) {
    const record = { figure: undefined, isStreamWhole: false };
    const failure = await passStream(watchUsage(stream, record), take).catch((err: unknown) => err);
    return { ...record, failure };
  }

  test("is whole at its end, with the usage of the chunk that has nothing else", async () => {
    const early = { ...text, usage: { ...usage, total_tokens: 9 } };
    const seen: unknown[] = [];
    const watched = await watch(streamOf([[early], [text, figure]]), (batch) => {
      seen.push(batch);
      return Promise.resolve(true);
    });
    expect(watched).toEqual({ figure: usage, isStreamWhole: true, failure: undefined });
    expect(seen).toEqual([[early], [text, figure]]);
  });

  test.each([
    ["at once", false],
    ["later", Promise.resolve(false)],
  ])("is not whole where its reader left, %s, but has the usage so far", async (_when, isWanted) => {
    const watched = await watch(streamOf([[figure], [text]]), () => isWanted);
    expect(watched).toEqual({ figure: usage, isStreamWhole: false, failure: undefined });
  });

  test("is not whole where it broke off", async () => {
    const failure = new Error("broke off");
    expect(await watch(streamOf([[text]], failure), () => true)).toMatchObject({ isStreamWhole: false, failure });
  });
});
