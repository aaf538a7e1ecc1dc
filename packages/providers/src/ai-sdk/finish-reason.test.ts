import { expect, test } from "vitest";
import { toFinishReason } from "./finish-reason.ts";

test.each(["OTHER", "FINISH_REASON_UNSPECIFIED", "newreason", "compaction"])(
  "the reason %s, which OpenAI does not have, is stop",
  (raw) => {
    expect(toFinishReason({ unified: "other", raw }, "acme")).toBe("stop");
  },
);

test.each(["error", "malformed_tool_use", "UNEXPECTED_TOOL_CALL"])(
  "the reason %s is a failed answer, though the package does not know it",
  (raw) => {
    expect(() => toFinishReason({ unified: "other", raw }, "acme")).toThrow(`the finish reason '${raw}'`);
  },
);

test("an answer that fills the context has the reason length", () => {
  expect(toFinishReason({ unified: "other", raw: "model_context_window_exceeded" }, "acme")).toBe("length");
});

test.each([
  ["malformed_function_call", "acme ended its answer with the finish reason 'malformed_function_call'"],
  ["the prompt 's3cret' is bad", "acme ended its answer with an unknown finish reason"],
])("a failed answer names the provider's reason %j only where it is a word", (raw, message) => {
  expect(() => toFinishReason({ unified: "error", raw }, "acme")).toThrow(message);
});
