import { type CompletionChunk, ProviderError } from "@gatehouse/providers";
import type { Span } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { endWithReply } from "./attempt-span.ts";
import type { Reply } from "./reply.ts";

interface RecordedSpan {
  readonly span: Span;
  readonly attributes: Record<string, unknown>;
  /** Arguments of calls of `end`. */
  readonly ends: unknown[];
}

function recordSpan(isRecorded = true): RecordedSpan {
  const attributes: Record<string, unknown> = {};
  const ends: unknown[] = [];
  const set: Span["set"] = (more) => void Object.assign(attributes, more);
  return {
    attributes,
    ends,
    span: { traceId: undefined, traceparent: undefined, isRecorded, set, end: (err) => void ends.push(err) },
  };
}

function chunk(changes: Partial<CompletionChunk>): CompletionChunk {
  return { id: "c", model: "m-2026", created: 0, choices: [], ...changes };
}
const words = chunk({ choices: [{ index: 0, delta: { content: "word" }, finish_reason: null }] });
const stopped = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
const figure = chunk({ usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } });

async function* batchesOf(chunks: readonly CompletionChunk[], failure?: Error): AsyncGenerator<CompletionChunk[]> {
  for (const each of chunks) yield await Promise.resolve([each]);
  if (failure !== undefined) throw failure;
}

function streamOf(reply: Reply): AsyncIterator<readonly CompletionChunk[]> {
  if (reply.kind !== "stream") throw new Error("The reply is no stream.");
  return reply.stream.batches[Symbol.asyncIterator]();
}

test("a stream's span ends after the last chunk, with the values that the provider reported", async () => {
  const { span, attributes, ends } = recordSpan();
  const reply = endWithReply(span, { kind: "stream", stream: { batches: batchesOf([words, stopped, figure]) } });
  const stream = streamOf(reply);
  for (const _chunk of [words, stopped, figure]) {
    expect(await stream.next()).toMatchObject({ done: false });
    expect(ends).toEqual([]);
  }
  expect(await stream.next()).toMatchObject({ done: true });
  expect(ends).toEqual([undefined]);
  expect(attributes).toEqual({
    "gen_ai.response.id": "c",
    "gen_ai.response.model": "m-2026",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 3,
    "gen_ai.usage.output_tokens": 5,
  });
});

test("a stream that breaks off ends its span with the failure, once", async () => {
  const { span, ends } = recordSpan();
  const cut = new ProviderError("cut", "The stream broke off.");
  const stream = streamOf(endWithReply(span, { kind: "stream", stream: { batches: batchesOf([words], cut) } }));
  await stream.next();
  await expect(stream.next()).rejects.toBe(cut);
  await stream.return?.();
  expect(ends).toEqual([cut]);
});

test.each([0, 1])(
  "a stream that its caller leaves after %i reads ends its span and the provider's work",
  async (reads) => {
    const { span, ends } = recordSpan();
    let isLeft = false;
    const source: AsyncIterableIterator<readonly CompletionChunk[]> = {
      [Symbol.asyncIterator]: () => source,
      next: async () => await Promise.resolve({ done: false, value: [words] }),
      async return() {
        isLeft = true;
        return await Promise.resolve({ done: true, value: undefined });
      },
    };
    const stream = streamOf(endWithReply(span, { kind: "stream", stream: { batches: source } }));
    for (let read = 0; read < reads; read += 1) await stream.next();
    await stream.return?.();
    expect([isLeft, ends]).toEqual([true, [undefined]]);
  },
);

test("a whole reply ends the span at once", () => {
  const { span, attributes, ends } = recordSpan();
  const message = { role: "assistant", content: "word" } as const;
  const completion = {
    id: "c",
    model: "m-2026",
    created: 0,
    choices: [{ index: 0, message, finish_reason: "length" }],
  };
  const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
  endWithReply(span, { kind: "complete", completion: { ...completion, usage } });
  expect(ends).toEqual([undefined]);
  expect(attributes).toMatchObject({ "gen_ai.response.finish_reasons": ["length"], "gen_ai.usage.output_tokens": 5 });
});

test("a reply without a recorded span is returned as it is", () => {
  const { span } = recordSpan(false);
  const reply: Reply = { kind: "stream", stream: { batches: batchesOf([words]) } };
  expect(endWithReply(span, reply)).toBe(reply);
});
