import { expect, test } from "vitest";
import type { EndpointDefinition } from "./endpoint.ts";
import { checkEndpointDefinition } from "./endpoint-rules.ts";

const fine: EndpointDefinition = {
  slug: "summarise-1",
  targets: [{ provider: "p", model: "m" }],
  description: null,
  systemPrompt: null,
  parameters: null,
  streamingEnabled: true,
  exposeAsMcpTool: false,
  maxRequestTokens: null,
  monthlyBudgetMicros: null,
  inputSchema: null,
  outputSchema: null,
  timeoutMs: null,
  allowedParameters: [],
  firstTokenTimeoutMs: null,
  idleTimeoutMs: null,
  midStream: "error",
};

test("a plain definition passes", () => {
  expect(() => checkEndpointDefinition(fine)).not.toThrow();
});

test.each<[string, Partial<EndpointDefinition>]>([
  ["slug", { slug: "" }],
  ["slug", { slug: "-a" }],
  ["slug", { slug: "Über" }],
  ["slug", { slug: "a".repeat(64) }],
  ["slug", { slug: "a\r\nx-evil: 1" }],
  ["reserved", { slug: "chat" }],
  ["reserved", { slug: "mcp" }],
  ["reserved", { slug: "v1" }],
  ["targets", { targets: [] }],
  ["targets", { targets: Array.from({ length: 17 }, () => ({ provider: "p", model: "m" })) }],
  ["targets[0].provider", { targets: [{ provider: "", model: "m" }] }],
  ["targets[0].model", { targets: [{ provider: "p", model: "" }] }],
  ["input_price_per_million", { targets: [{ provider: "p", model: "m", inputPricePerMillion: -1 }] }],
  ["system_prompt", { systemPrompt: "\0" }],
  ["'stream'", { parameters: { stream: true } }],
  ["max_request_tokens", { maxRequestTokens: 0 }],
  ["timeout_ms", { timeoutMs: 600_001 }],
  ["timeout_ms", { timeoutMs: 1.5 }],
  ["first_token_timeout_ms", { firstTokenTimeoutMs: 0 }],
  ["idle_timeout_ms", { idleTimeoutMs: 600_001 }],
  ["targets[0].retries", { targets: [{ provider: "p", model: "m", retries: 6 }] }],
  ["monthly_budget_usd", { monthlyBudgetMicros: -1 }],
  ["monthly_budget_usd", { monthlyBudgetMicros: Number.NaN }],
])("a wrong definition is refused with a message that names %s", (name, change) => {
  expect(() => checkEndpointDefinition({ ...fine, ...change })).toThrow(name);
});
