import { expect, test } from "vitest";
import type { CompletionChunk, CompletionDelta } from "../forms/completion.ts";
import { DeltaFields } from "./delta-fields.ts";

function chunkOf(delta: CompletionDelta, index = 0): CompletionChunk {
  return { id: "c", model: "m", created: 0, choices: [{ index, delta, finish_reason: null }] };
}

function indexesOf(...deltas: readonly CompletionDelta[]) {
  const fields = new DeltaFields();
  return deltas.map((delta) => {
    const calls = fields.complete(chunkOf(delta)).choices[0]?.delta["tool_calls"];
    return (calls as readonly { readonly index?: unknown }[]).map(({ index }) => index);
  });
}

const begun = (id: string, name = "f") => ({ id, type: "function", function: { name, arguments: "" } });
const more = (id?: string) => ({ ...(id === undefined ? {} : { id }), function: { arguments: "{}" } });

test("the first delta of each choice gets a role, and a chunk that lacks nothing is the same", () => {
  const fields = new DeltaFields();
  const rolesOf = (chunk: CompletionChunk) => fields.complete(chunk).choices.map(({ delta }) => delta.role);
  expect(rolesOf(chunkOf({ content: "a" }))).toEqual(["assistant"]);
  expect(rolesOf(chunkOf({ role: "assistant" }, 1))).toEqual(["assistant"]);
  const second = chunkOf({ content: "b", tool_calls: [{ ...begun("a"), index: 0 }] });
  expect(fields.complete(second)).toBe(second);
  expect(fields.complete(chunkOf({}, 2)).choices[0]?.delta).toEqual({ role: "assistant" });
});

test.each<[string, CompletionDelta[], number[][]]>([
  ["whole calls in one list", [{ tool_calls: [begun("a"), begun("b")] }], [[0, 1]]],
  ["whole calls in several chunks", [{ tool_calls: [begun("a")] }, { tool_calls: [begun("b")] }], [[0], [1]]],
  [
    "parts with the id",
    [{ tool_calls: [begun("a"), begun("b")] }, { tool_calls: [more("a"), more("b")] }],
    [
      [0, 1],
      [0, 1],
    ],
  ],
  ["parts without id", [{ tool_calls: [begun("a"), begun("b")] }, { tool_calls: [more()] }], [[0, 1], [1]]],
  ["parts with an empty id", [{ tool_calls: [begun("a")] }, { tool_calls: [more("")] }], [[0], [0]]],
  ["calls without ids", [{ tool_calls: [begun("", "f"), begun("", "g")] }, { tool_calls: [more()] }], [[0, 1], [1]]],
  [
    "only some indexes",
    [{ tool_calls: [{ ...begun("a"), index: 3 }] }, { tool_calls: [begun("b"), more("a")] }],
    [[3], [4, 3]],
  ],
])("tool calls get the index that joins their parts: %s", (_name, deltas, indexes) => {
  expect(indexesOf(...deltas)).toEqual(indexes);
});

test.each([Number.POSITIVE_INFINITY, 0.5])("an index %d, which clients cannot use, is replaced", (index) => {
  expect(indexesOf({ tool_calls: [{ ...begun("a"), index }] }, { tool_calls: [more()] })).toEqual([[0], [0]]);
});
