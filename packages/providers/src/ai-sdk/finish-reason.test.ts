import { expect, test } from "vitest";
import { toFinishReason } from "./finish-reason.ts";

test.each([
  ["malformed_function_call", "acme ended its answer with the finish reason 'malformed_function_call'"],
  ["the prompt 's3cret' is bad", "acme ended its answer with an unknown finish reason"],
])("a failed answer names the provider's reason %j only where it is a word", (raw, message) => {
  expect(() => toFinishReason({ unified: "error", raw }, "acme")).toThrow(message);
});
