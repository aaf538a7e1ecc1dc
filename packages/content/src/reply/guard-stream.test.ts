import { GatewayError } from "@gatehouse/errors";
import type { CompletionChunk, CompletionDelta } from "@gatehouse/providers";
import { expect, test } from "vitest";
import { guardStream, type JudgedPiece, type StreamGuard } from "./guard-stream.ts";

/** A guard that holds back the last word, and replaces `secret` by [X]. */
function createGuard() {
  const asked: string[] = [];
  const state = { ends: 0 };
  const guard: StreamGuard = {
    async judge({ state: before, text, isLast }): Promise<JudgedPiece> {
      asked.push(text);
      const all = `${before?.held ?? ""}${text}`;
      const cut = isLast ? all.length : all.lastIndexOf(" ") + 1;
      const shown = all.slice(0, cut).replaceAll("secret", "[X]");
      const next = { context: "", held: all.slice(cut), isInsideKey: false };
      return await Promise.resolve({
        kind: "judged",
        shown,
        state: next,
        block: undefined,
        findings: [],
        isMasked: false,
      });
    },
    onEnd: () => {
      state.ends += 1;
    },
  };
  return { guard, asked, state };
}

function chunk(delta: CompletionDelta, { index = 0, finish = null as string | null } = {}): CompletionChunk {
  return {
    id: "i",
    object: "chat.completion.chunk",
    model: "m",
    created: 1,
    choices: [{ index, delta, finish_reason: finish }],
  };
}

async function run(chunks: readonly CompletionChunk[], { guard } = createGuard()): Promise<CompletionChunk[]> {
  async function* batches() {
    for (const each of chunks) yield await Promise.resolve([each]);
  }
  const shown: CompletionChunk[] = [];
  for await (const batch of (await guardStream({ batches: batches() }, guard)).batches) {
    expect(batch.length).toBeGreaterThan(0);
    shown.push(...batch);
  }
  return shown;
}

function contents(chunks: readonly CompletionChunk[], index = 0): string {
  return chunks
    .flatMap(({ choices }) => choices)
    .filter((choice) => choice.index === index)
    .map(({ delta }) => delta.content ?? "")
    .join("");
}

const spoken = "the word is secret, as you know";

test("text that arrives letter by letter gives the output of text that arrives at once", async () => {
  const world = createGuard();
  const pieces = [chunk({ role: "assistant" }), ...Array.from(spoken, (content) => chunk({ content }))];
  const shown = await run([...pieces, chunk({}, { finish: "stop" })], world);
  expect(contents(shown)).toBe("the word is [X], as you know");
  expect(shown[0]?.choices[0]?.delta.role).toBe("assistant");
  expect(shown.at(-1)?.choices).toEqual([{ index: 0, delta: {}, finish_reason: "stop" }]);
  expect(world.state.ends).toBe(1);
  // Whole words are inspected, not single letters.
  expect(world.asked.length).toBeLessThan(10);
});

test("withheld text comes before the finish, also where text and finish arrive together", async () => {
  const shown = await run([chunk({ content: "it is sec" }), chunk({ content: "ret" }, { finish: "stop" })]);
  expect(contents(shown)).toBe("it is [X]");
  expect(shown.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, "stop"]);
});

test("text that goes on after a finish reason is judged together with the text before it", async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const shown = await run([
    chunk({ content: "it is sec" }, { finish: "stop" }),
    { ...chunk({ content: "ret, a sec" }, { finish: "length" }), usage },
    chunk({ content: "ret" }),
    { ...chunk({}), choices: [], usage },
  ]);
  expect(contents(shown)).toBe("it is [X], a [X]");
  expect(shown.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason))).toEqual([
    null,
    null,
    null,
    "length",
  ]);
  expect(shown.slice(-2).map(({ choices }) => choices.length)).toEqual([1, 0]);
  expect(shown.at(-1)?.usage).toEqual(usage);
});

test("a failure after the finish reason comes after the rest of the text and the finish", async () => {
  async function* batches() {
    yield await Promise.resolve([chunk({ content: "it is " })]);
    yield [chunk({ content: "secret" }, { finish: "stop" })];
    throw new Error("broken");
  }
  const { batches: guarded } = await guardStream({ batches: batches() }, createGuard().guard);
  const shown: CompletionChunk[] = [];
  await expect(async () => {
    for await (const batch of guarded) shown.push(...batch);
  }).rejects.toThrow("broken");
  expect(contents(shown)).toBe("it is [X]");
  expect(shown.at(-1)?.choices[0]?.finish_reason).toBe("stop");
});

test("withheld text is shown at the end of a stream without a finish reason", async () => {
  expect(contents(await run([chunk({ content: "a secret" })]))).toBe("a [X]");
});

test("each choice, field and tool call is judged as a text by itself", async () => {
  const call = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] });
  const shown = await run([
    chunk({ content: "a sec" }),
    chunk({ content: "b sec" }, { index: 1 }),
    chunk({ reasoning_content: "c sec" }),
    chunk(call(0, '{"a": "sec')),
    chunk(call(1, '{"b": "sec')),
    chunk({ content: "ret" }),
    chunk({ content: "ond" }, { index: 1 }),
    chunk(call(0, 'ret"}')),
    chunk({}, { finish: "stop" }),
    chunk({}, { index: 1, finish: "stop" }),
  ]);
  expect([contents(shown), contents(shown, 1)]).toEqual(["a [X]", "b second"]);
  const texts = JSON.stringify(shown);
  expect(texts).toContain('[X]\\"}');
  expect(texts).not.toContain("secret");
  expect(texts).toContain('"reasoning_content":"sec"');
});

test("chunks without text pass unchanged, usage included", async () => {
  const usage: CompletionChunk = {
    id: "i",
    model: "m",
    created: 1,
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  const role = chunk({ role: "assistant" });
  expect(await run([role, usage])).toEqual([role, usage]);
});

test("a block before any output rejects the call instead of the stream", async () => {
  const blocked = new GatewayError("guardrail_blocked", "Blocked.");
  const guard: StreamGuard = { judge: async () => await Promise.reject(blocked), onEnd: () => undefined };
  async function* batches() {
    yield await Promise.resolve([chunk({ role: "assistant" }), chunk({ content: "a secret " })]);
  }
  await expect(guardStream({ batches: batches() }, guard)).rejects.toBe(blocked);
});

test("text that precedes a block in the same read is shown before it", async () => {
  const blocked = new GatewayError("guardrail_blocked", "Blocked.");
  const { guard } = createGuard();
  const blocking: StreamGuard = {
    ...guard,
    judge: async (piece) => (piece.text.includes("moon") ? await Promise.reject(blocked) : await guard.judge(piece)),
  };
  let isLeft = false;
  async function* batches() {
    try {
      yield await Promise.resolve(["once in ", "a blue ", "moon ", "never "].map((content) => chunk({ content })));
    } finally {
      isLeft = true;
    }
  }
  const shown: CompletionChunk[] = [];
  const stream = await guardStream({ batches: batches() }, blocking);
  const read = async () => {
    for await (const batch of stream.batches) shown.push(...batch);
  };
  await expect(read()).rejects.toBe(blocked);
  expect(contents(shown)).toBe("once in a blue ");
  expect(isLeft).toBe(true);
});

test("a failure of the provider is thrown by the stream after the chunks already shown", async () => {
  async function* batches() {
    yield await Promise.resolve([chunk({ role: "assistant" })]);
    throw new Error("gone");
  }
  const { guard } = createGuard();
  const shown: CompletionChunk[] = [];
  const stream = await guardStream({ batches: batches() }, guard);
  const read = async () => {
    for await (const batch of stream.batches) shown.push(...batch);
  };
  await expect(read()).rejects.toThrow("gone");
  expect(shown).toHaveLength(1);
});

test("text that is held back when the provider fails is shown before the failure", async () => {
  async function* batches() {
    yield await Promise.resolve([chunk({ role: "assistant", content: "the word is sec" })]);
    yield await Promise.resolve([chunk({ content: "ret" }), chunk({ content: "beside" }, { index: 1 })]);
    throw new Error("gone");
  }
  const { guard, state } = createGuard();
  const shown: CompletionChunk[] = [];
  const stream = await guardStream({ batches: batches() }, guard);
  const read = async () => {
    for await (const batch of stream.batches) shown.push(...batch);
  };
  await expect(read()).rejects.toThrow("gone");
  expect(contents(shown)).toBe("the word is [X]");
  expect(contents(shown, 1)).toBe("beside");
  expect(shown.every(({ choices }) => choices.every((choice) => choice.finish_reason === null))).toBe(true);
  expect(state.ends).toBe(1);
});

test("a block of text that is held back when the provider fails is thrown in place of the failure", async () => {
  async function* batches() {
    yield await Promise.resolve([chunk({ content: "the word is sec" })]);
    throw new Error("gone");
  }
  const { guard } = createGuard();
  const judge: StreamGuard["judge"] = async (piece) => {
    if (piece.isLast) throw new Error("blocked");
    return await guard.judge(piece);
  };
  const stream = await guardStream({ batches: batches() }, { ...guard, judge });
  const read = async () => {
    for await (const batch of stream.batches) expect(contents(batch)).toBe("the word is ");
  };
  await expect(read()).rejects.toThrow("blocked");
});

test("an error of the guard ends the provider's work and is thrown", async () => {
  let isLeft = false;
  async function* batches() {
    try {
      for (;;) yield await Promise.resolve([chunk({ content: "on and on " })]);
    } finally {
      isLeft = true;
    }
  }
  const guard: StreamGuard = { judge: async () => await Promise.reject(new Error("blocked")), onEnd: () => undefined };
  const read = async () => {
    for await (const batch of (await guardStream({ batches: batches() }, guard)).batches) expect(batch).toEqual([]);
  };
  await expect(read()).rejects.toThrow("blocked");
  expect(isLeft).toBe(true);
});

test("other work runs between the pieces of one very large delta", async () => {
  const world = createGuard();
  const piecesInTurn: number[] = [];
  let pieces = 0;
  const judge: StreamGuard["judge"] = async (piece) => {
    pieces += 1;
    for (const until = performance.now() + 0.5; performance.now() < until;);
    return await world.guard.judge(piece);
  };
  const counting = setInterval(() => {
    piecesInTurn.push(pieces);
    pieces = 0;
  });
  await run([chunk({ content: "a".repeat(1_600_000) }), chunk({}, { finish: "stop" })], {
    ...world,
    guard: { ...world.guard, judge },
  });
  clearInterval(counting);
  // A hundred pieces of half a millisecond.
  expect(world.asked.length).toBeGreaterThan(90);
  expect(Math.max(pieces, ...piecesInTurn)).toBeLessThan(50);
});

test("a tool's name is judged at once, in parts and where it comes with every chunk", async () => {
  const named = (index: number, name: string) => chunk({ tool_calls: [{ index, function: { name } }] });
  const { guard, asked } = createGuard();
  const shown = await run(
    [
      named(0, "send_"),
      named(0, "mail"),
      named(1, "my_secret"),
      named(1, "my_secret"),
      named(2, "sec"),
      named(2, "ret"),
    ],
    {
      guard,
      asked,
      state: { ends: 0 },
    },
  );
  const names = shown.map(
    ({ choices }) => ((choices[0]?.delta["tool_calls"] ?? []) as { function: { name: string } }[])[0]?.function.name,
  );
  expect(names).toEqual(["send_", "mail", "my_[X]", "", "sec", ""]);
  expect(asked).toEqual(["send_", "send_mail", "my_secret", "my_secretmy_secret", "sec", "secret"]);
});

test("an answer of very many choices is guarded in linear time", async () => {
  const count = 20_000;
  const indexes = Array.from({ length: count }, (_, index) => index);
  const begun = indexes.map((index) => chunk({ content: "a" }, { index }));
  const finished = indexes.map((index) => chunk({}, { index, finish: "stop" }));
  const startedAt = performance.now();
  const shown = await run([...begun, ...finished]);
  expect(performance.now() - startedAt).toBeLessThan(8_000);
  expect(shown).toHaveLength(2 * count);
});

test("a first read of very many chunks without text is passed on", async () => {
  const roles = Array.from({ length: 150_000 }, () => chunk({ role: "assistant" }));
  async function* batches() {
    yield await Promise.resolve([...roles, chunk({ content: "a " })]);
  }
  const guarded = await guardStream({ batches: batches() }, createGuard().guard);
  const { value } = await guarded.batches[Symbol.asyncIterator]().next();
  expect(value).toHaveLength(roles.length + 1);
});

test("a stream that goes on without text is not read ahead to its end", async () => {
  let read = 0;
  async function* batches() {
    const quiet = { ...chunk({}), choices: [] };
    for (; read < 100; read += 1) yield await Promise.resolve(Array.from({ length: 1_000 }, () => quiet));
  }
  await guardStream({ batches: batches() }, createGuard().guard);
  expect(read).toBeLessThan(20);
});
