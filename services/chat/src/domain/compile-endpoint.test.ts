import { expect, test } from "vitest";
import { checkEndpointDefinition } from "./compile-endpoint.ts";
import type { EndpointDefinition } from "./endpoint-fields.ts";

const fine: EndpointDefinition = {
  slug: "summarise-1",
  targets: [{ provider: "p", model: "m" }],
  description: null,
  systemPrompt: null,
  parameters: null,
  streamingEnabled: true,
  exposeAsMcpTool: false,
  maxRequestTokens: null,
  maxResponseTokens: null,
  monthlyBudgetMicros: null,
  inputSchema: null,
  outputSchema: null,
  timeoutMs: null,
  allowedParameters: [],
  firstTokenTimeoutMs: null,
  idleTimeoutMs: null,
  midStream: "error",
  holdTokens: null,
};

test("a plain definition passes", () => {
  expect(() => checkEndpointDefinition(fine)).not.toThrow();
});

test.each<[string, Partial<EndpointDefinition>]>([
  ["system_prompt", { systemPrompt: "{{#open}}" }],
  ["input_schema", { inputSchema: { type: "nothing" } }],
  ["output_schema", { outputSchema: { type: 5 } }],
  ["parameters.max_tokens must be number or null", { parameters: { max_tokens: "50" } }],
  ["parameters.temperature must be number or null", { parameters: { seed: 1, temperature: "hot" } }],
  ["parameters.stop must be a text or a list of texts", { parameters: { stop: ["a", 5] } }],
  ["hold_tokens needs mid_stream hold, not continue", { midStream: "continue", holdTokens: 40 }],
])("a wrong definition is refused with a message that names %s", (name, change) => {
  expect(() => checkEndpointDefinition({ ...fine, ...change })).toThrow(name);
});

test("a parameter may have every value of its type, null and the conventions of compatible servers included", () => {
  const parameters = { max_tokens: -1, max_completion_tokens: null, top_p: 0.5, stop: ["\n"], cache: { ttl: "5m" } };
  expect(() => checkEndpointDefinition({ ...fine, parameters })).not.toThrow();
  expect(() => checkEndpointDefinition({ ...fine, parameters: { stop: "END", seed: 7 } })).not.toThrow();
});
