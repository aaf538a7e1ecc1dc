import { expect, test } from "vitest";
import { parseCompletion, parseCompletionChunk } from "./parse-completion.ts";

const message = { role: "assistant", content: "x" };
const head = { id: "c", object: "o", model: "m", created: 1 };

function choices(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({ index, message, delta: {}, finish_reason: "stop" }));
}

test.each([
  ["a completion", parseCompletion],
  ["a chunk", parseCompletionChunk],
])("%s of up to 1,024 choices is read, complete or filled in, and one with more is refused", (_name, parse) => {
  for (const frame of [head, {}]) {
    expect(parse({ ...frame, choices: choices(1_024) }, 1)?.choices).toHaveLength(1_024);
    expect(parse({ ...frame, choices: choices(1_025) }, 1)).toBeUndefined();
  }
});
