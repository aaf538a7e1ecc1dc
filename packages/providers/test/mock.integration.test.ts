import { setImmediate } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { countInline, createCaller, failureOf, readStream } from "./calling.ts";

const caller = createCaller({ kind: "mock", baseUrl: undefined, provider: "mock", apiKey: undefined });
afterAll(async () => await caller.close());

function saying(content: unknown) {
  return {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content },
    ],
  };
}

describe("the mock provider", () => {
  it("echoes the last user message and the model, with exact counts", async () => {
    const { choices, model, usage } = await caller.complete(saying("Hello there"));
    expect(model).toBe("model-1");
    expect(choices).toEqual([
      { index: 0, message: { role: "assistant", content: "Echo: Hello there" }, finish_reason: "stop" },
    ]);
    // "system", "Be brief." (3), "user", "Hello there" (2), 3 for each message and 3 for the reply.
    expect(usage).toEqual({ prompt_tokens: 16, completion_tokens: 4, total_tokens: 20 });
  });

  it("echoes the text parts of a list", async () => {
    const parts = [{ type: "text", text: "a " }, { type: "image_url" }, { type: "text", text: "b" }];
    expect((await caller.complete(saying(parts))).choices[0]?.message.content).toBe("Echo: a b");
  });

  it("streams the complete answer word by word", async () => {
    const message = "one  two\nthree [[mock length=7]]";
    const { choices, usage } = await caller.complete(saying(message));
    const read = await readStream(await caller.stream(saying(message)));
    expect(read).toMatchObject({ text: choices[0]?.message.content, usage, finishReason: "stop", error: undefined });
    expect(read.text).toBe("Echo: one two three Echo: one two");
    expect(read.chunks).toHaveLength(1 + 7 + 1 + 1);
  });

  it("keeps white space as it is", async () => {
    const read = await readStream(await caller.stream(saying("a\n\n  b  c [[mock say=' x  y ']]")));
    expect(read.text).toBe(" x  y ");
  });

  it("answers JSON when configured to or asked to", async () => {
    const format = { response_format: { type: "json_object" } };
    for (const request of [saying('[[mock json]] "hi"'), { ...saying('"hi"'), ...format }]) {
      expect((await caller.complete(request)).choices[0]?.message.content).toBe('{"echo":"\\"hi\\""}');
    }
  });

  it("answers an empty text with a finish only", async () => {
    const read = await readStream(await caller.stream(saying("[[mock length=0]]")));
    expect(read).toMatchObject({ text: "", finishReason: "stop", error: undefined });
  });

  it("omits usage and changes the finish on request", async () => {
    const completion = await caller.complete(saying("[[mock usage=off finish=length]] Hi"));
    expect(completion.usage).toBeUndefined();
    expect(completion.choices[0]?.finish_reason).toBe("length");
    const read = await readStream(await caller.stream(saying("[[mock usage=off finish=length]] Hi")));
    expect(read).toMatchObject({ finishReason: "length", usage: undefined });
  });

  it("breaks a stream off in its middle", async () => {
    const read = await readStream(await caller.stream(saying("[[mock cut=3]] one two three")));
    expect(read).toMatchObject({ text: "Echo: one two ", error: { failure: "cut" } });
  });

  it("stalls until the idle bound in a stream", async () => {
    const stream = await caller.stream(saying("[[mock stall=2]] one two"), { bounds: { idleMs: 30 } });
    expect(await readStream(stream)).toMatchObject({ text: "Echo: one ", error: { failure: "timeout" } });
  });

  it("paces its words within the idle bound", async () => {
    const started = performance.now();
    const stream = await caller.stream(saying("[[mock pace=15 length=8]]"), { bounds: { idleMs: 1_000, totalMs: 80 } });
    expect((await readStream(stream)).error).toBeUndefined();
    expect(performance.now() - started).toBeGreaterThan(90);
  });

  it("counts as OpenAI's tokenizer does, special marks as plain text", async () => {
    const scope = { tenant: "test" };
    const [great, mark = 0, nothing] = await countInline(["tiktoken is great!", "<|endoftext|>", ""], scope);
    expect([great, nothing]).toEqual([6, 0]);
    expect(mark).toBeGreaterThan(1);
  });
});

describe.each(["complete", "stream"] as const)("the mock provider's %s", (method) => {
  it("fails with the requested status", async () => {
    expect(await failureOf(caller[method](saying("[[mock status=429 retry_after=7]]")))).toMatchObject({
      failure: "status",
      status: 429,
      retryAfterSeconds: 7,
      message: "mock answered 429: as the message asked",
    });
  });

  it.each([
    [503, true],
    [504, false],
  ])("fails with status %i, which is free as any provider's: %s", async (status, isFree) => {
    const failure = await failureOf(caller[method](saying(`[[mock status=${status}]]`)));
    expect([failure.status, failure.isFree]).toEqual([status, isFree]);
  });

  it("names an unknown directive", async () => {
    expect(await failureOf(caller[method](saying("[[mock dealy=7]]")))).toMatchObject({
      status: 400,
      mayFailOver: false,
      message: "mock answered 400: unknown directive 'dealy'",
    });
  });

  it("fails as cut or malformed before the first word", async () => {
    expect(await failureOf(caller[method](saying("[[mock cut=0]]")))).toMatchObject({ failure: "cut" });
    expect(await failureOf(caller[method](saying("[[mock malformed=0]]")))).toMatchObject({ failure: "malformed" });
  });

  it("waits no longer than the attempt's bounds", async () => {
    const options = { bounds: { headersMs: 30 } };
    expect(await failureOf(caller[method](saying("[[mock delay=5000]]"), options))).toMatchObject({
      failure: "timeout",
    });
    const total = { bounds: { totalMs: 30 } };
    expect(await failureOf(caller[method](saying("[[mock stall=0]]"), total))).toMatchObject({ failure: "timeout" });
  });

  it("ends when the call is aborted", async () => {
    const abort = new AbortController();
    const failure = failureOf(caller[method](saying("[[mock delay=5000]]"), { signal: abort.signal }));
    // Nothing before the delay takes another turn.
    await setImmediate();
    abort.abort();
    expect(await failure).toMatchObject({ failure: "aborted" });
  });
});
