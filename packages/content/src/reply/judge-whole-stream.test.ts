import type { InspectedText } from "@gatehouse/guardrail-client";
import type { ChatMessage, CompletionChunk, CompletionDelta } from "@gatehouse/providers";
import { expect, test } from "vitest";
import { judgeWholeStream } from "./judge-whole-stream.ts";
import { textsOfCompletion } from "./message-texts.ts";

const chunk = (delta: CompletionDelta): CompletionChunk => ({
  id: "c",
  model: "m",
  created: 0,
  choices: [{ index: 0, delta, finish_reason: null }],
});

async function* batchesOf(deltas: readonly CompletionDelta[]) {
  for (const delta of deltas) yield await Promise.resolve([chunk(delta)]);
}

function nameIn(choice: CompletionChunk["choices"][number] | undefined): string | undefined {
  const calls = (choice?.delta["tool_calls"] ?? []) as readonly { readonly function: { readonly name: string } }[];
  return calls[0]?.function.name;
}

const call = (index: number, named: object): CompletionDelta => ({ tool_calls: [{ index, function: named }] });

test("a whole answer is judged with the names of the tools that its arguments are for", async () => {
  const deltas = [
    { content: "one " },
    call(0, { name: "send_", arguments: "" }),
    call(0, { name: "mail", arguments: '{"to":' }),
    call(1, { name: "stop", arguments: "{}" }),
    call(0, { arguments: '"a"}' }),
    call(1, { name: "stop", arguments: "" }),
    { content: "two" },
  ];
  const seen: InspectedText[] = [];
  const { batches } = await judgeWholeStream({ batches: batchesOf(deltas) }, "p", async (texts) => {
    seen.push(...texts);
    return await Promise.resolve(texts.map(({ text }) => text));
  });
  expect(seen).toEqual([
    { role: "assistant", text: "one two" },
    { role: "assistant", text: "send_mail" },
    { role: "assistant", text: '{"to":"a"}', tool: "send_mail" },
    { role: "assistant", text: "stop" },
    { role: "assistant", text: "stopstop" },
    { role: "assistant", text: "{}", tool: "stop" },
  ]);
  const shown: unknown[] = [];
  for await (const batch of batches) shown.push(...batch);
  expect(shown).toEqual(deltas.map(chunk));
});

test("arguments that are an object are judged as JSON, and free input of a custom tool as text", async () => {
  const input = { to: "a" };
  const deltas = [
    call(0, { name: "send", arguments: input }),
    { tool_calls: [{ index: 1, custom: { name: "run", input: "b" } }] },
  ];
  const seen: InspectedText[] = [];
  const judge = (shown: readonly string[]) => async (texts: readonly InspectedText[]) => {
    seen.push(...texts);
    return await Promise.resolve(shown);
  };
  const shownOf = async (shown: readonly string[]) => {
    const { batches } = await judgeWholeStream({ batches: batchesOf(deltas) }, "p", judge(shown));
    const chunks: CompletionChunk[] = [];
    for await (const batch of batches) chunks.push(...batch);
    return chunks.map(({ choices }) => choices[0]?.delta);
  };
  expect(await shownOf(["send", '{"to":"a"}', "run", "b"])).toEqual(deltas);
  expect(seen).toEqual([
    { role: "assistant", text: "send" },
    { role: "assistant", text: '{"to":"a"}', tool: "send" },
    { role: "assistant", text: "run" },
    { role: "assistant", text: "b", tool: "run" },
  ]);
  expect(await shownOf(["send", '{"to":"[X]"}', "run", "[Y]"])).toEqual([
    call(0, { name: "send", arguments: '{"to":"[X]"}' }),
    { tool_calls: [{ index: 1, custom: { name: "run", input: "[Y]" } }] },
  ]);
});

test("a masked name replaces the first of its pieces", async () => {
  const deltas = [
    call(0, { name: "send_", arguments: "" }),
    call(0, { name: "mail", arguments: "{}" }),
    call(1, { name: "stop", arguments: "" }),
    call(1, { name: "stop", arguments: "{}" }),
  ];
  const { batches } = await judgeWholeStream({ batches: batchesOf(deltas) }, "p", async (texts) => {
    return await Promise.resolve(texts.map(({ text }) => (text === "{}" ? text : `[${text}]`)));
  });
  const names: unknown[] = [];
  for await (const batch of batches) {
    for (const { choices } of batch) names.push(nameIn(choices[0]));
  }
  expect(names).toEqual(["[send_mail]", "", "[stop]", ""]);
});

test("a name that two equal pieces make is judged", async () => {
  const deltas = [call(0, { name: "tin" }), call(0, { name: "tin", arguments: "{}" })];
  const { batches } = await judgeWholeStream({ batches: batchesOf(deltas) }, "p", async (texts) => {
    return await Promise.resolve(texts.map(({ text }) => text.replace("tintin", "[X]")));
  });
  const names: unknown[] = [];
  for await (const batch of batches) for (const { choices } of batch) names.push(nameIn(choices[0]));
  expect(names).toEqual(["[X]", ""]);
});

test.each<[string, readonly CompletionDelta[], Partial<ChatMessage>]>([
  ["no text", [{ role: "assistant", content: "" }, {}], { content: "" }],
  [
    "a tool call after an empty content",
    [{ content: "" }, call(0, { name: "f", arguments: "" }), call(0, { arguments: "{}" })],
    { content: "", tool_calls: [{ function: { name: "f", arguments: "{}" } }] },
  ],
  [
    "calls without arguments, one of free input",
    [call(0, { name: "f" }), { tool_calls: [{ index: 1, custom: { name: "g" } }] }],
    { content: null, tool_calls: [{ function: { name: "f" } }, { custom: { name: "g" } }] },
  ],
  [
    "texts in another order",
    [
      call(1, { name: "g", arguments: "{}" }),
      { function_call: { name: "h", arguments: "1" } },
      { reasoning: "why" },
      call(0, { name: "f", arguments: "[]" }),
      { content: "what" },
    ],
    {
      content: "what",
      reasoning: "why",
      tool_calls: [{ function: { name: "f", arguments: "[]" } }, { function: { name: "g", arguments: "{}" } }],
      function_call: { name: "h", arguments: "1" },
    },
  ],
])("a held stream and a whole answer ask the same: %s", async (_name, deltas, message) => {
  const seen: InspectedText[] = [];
  await judgeWholeStream({ batches: batchesOf(deltas) }, "p", async (texts) => {
    seen.push(...texts);
    return await Promise.resolve(texts.map(({ text }) => text));
  });
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }];
  expect(seen).toEqual(textsOfCompletion({ id: "c", model: "m", created: 0, choices }));
});
