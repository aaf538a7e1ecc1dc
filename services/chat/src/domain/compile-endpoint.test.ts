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
  ["hold_tokens needs mid_stream hold, not continue", { midStream: "continue", holdTokens: 40 }],
])("a wrong definition is refused with a message that names %s", (name, change) => {
  expect(() => checkEndpointDefinition({ ...fine, ...change })).toThrow(name);
});
