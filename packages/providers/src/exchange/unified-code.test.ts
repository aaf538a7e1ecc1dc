import { expect, test } from "vitest";
import { unifiedCodeOf } from "./unified-code.ts";

test.each([
  ["OpenAI", 400, "context_length_exceeded", "Your input exceeds the context window of this model."],
  ["OpenAI, older", 400, "invalid_request_error", "This model's maximum context length is 8192 tokens. However, …"],
  ["Azure OpenAI", 400, "context_length_exceeded", "This model's maximum context length is 16385 tokens."],
  ["Anthropic", 400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"],
  [
    "Anthropic, with its answer",
    400,
    "invalid_request_error",
    "input length and `max_tokens` exceed context limit: 1 + 2 > 2",
  ],
  [
    "Google",
    400,
    "INVALID_ARGUMENT",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  ],
  ["Mistral", 400, "3051", "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"],
  ["Bedrock", 400, "ValidationException", "Input is too long for requested model."],
  ["vLLM", 400, "BadRequestError", "The decoder prompt (length 9000) is longer than the maximum model length of 8192."],
  ["llama.cpp", 400, "exceed_context_size_error", "the request exceeds the available context size, try increasing it"],
  ["Ollama", 400, undefined, "the input length exceeds the context length"],
  ["Groq", 400, "invalid_request_error", "Please reduce the length of the messages or completion."],
  ["xAI", 400, undefined, "This model's maximum prompt length is 131072 but the request contains 200000 tokens."],
  ["a stream without a status", undefined, undefined, "maximum context length is 8192 tokens"],
])("%s means that a request is too long", (...row) => {
  const [, status, name, message] = row;
  expect(unifiedCodeOf(status, name, message)).toBe("context_length_exceeded");
});

test.each([
  ["OpenAI", 400, "content_policy_violation", "Your request was rejected by the safety system."],
  ["Azure OpenAI", 400, "content_filter", "The response was filtered due to … content management policy."],
  ["an aggregator", 403, undefined, "Your chosen model requires moderation and your input was flagged"],
])("%s means that a filter refuses a request", (...row) => {
  const [, status, name, message] = row;
  expect(unifiedCodeOf(status, name, message)).toBe("content_filter");
});

test.each([
  ["OpenAI", "rate_limit_exceeded"],
  ["Anthropic", "rate_limit_error"],
  ["Google", "RESOURCE_EXHAUSTED"],
  ["Mistral", "rate_limited"],
  ["Bedrock, in a stream", "throttlingException"],
  ["a provider without a name", undefined],
])("a 429 of %s has the code for too many requests", (_provider, name) => {
  expect(unifiedCodeOf(429, name, "Slow down.")).toBe("rate_limit_exceeded");
});

test.each([
  ["a quota that is used up", 429, "insufficient_quota", "You exceeded your current quota."],
  ["another status", 400, "rate_limited", "Slow down."],
  ["a bad parameter", 400, "invalid_request_error", "temperature must be at most 2"],
  ["tokens a minute", 429, "rate_limit_exceeded", "Request too large: reduce the length of the messages"],
  ["an outage", 503, undefined, "context window service unavailable"],
  ["no permission", 403, "permission_error", "This key must not use models with a context window above 8192."],
])("%s keeps its own code", (...row) => {
  const [, status, name, message] = row;
  expect(unifiedCodeOf(status, name, message)).toBe(name);
});
