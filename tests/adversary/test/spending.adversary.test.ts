import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type EndpointFixture, type Json, ScriptedProvider, type Script, silence } from "@gatehouse/e2e";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdversaryWorld, openAdversaryWorld } from "../src/world.ts";

/** Tokens of the provider's answer without a limit. */
const generousTokens = 64_000;
/** OpenAI's count of one message "Hello". */
const helloTokens = 8;
const pricePerMillion = 10;
const usageWithinMs = 20_000;

let world: AdversaryWorld;
let provider: ScriptedProvider;
let providerName: string;
beforeAll(async () => {
  world = await openAdversaryWorld();
  provider = await ScriptedProvider.start();
  providerName = await world.anotherProvider(provider);
});
afterAll(async () => {
  await world.stop();
  await provider.stop();
});

/** Answers with as many tokens as permitted, and bills them. */
const generous: Script = ({ body }, res) => {
  const bound = Number(body["max_completion_tokens"] ?? body["max_tokens"] ?? generousTokens);
  const tokens = Math.min(bound, generousTokens) * Number(body["n"] ?? 1);
  const message = { role: "assistant", content: "Much." };
  const usage = { prompt_tokens: helloTokens, completion_tokens: tokens, total_tokens: tokens + helloTokens };
  res.writeHead(200, { "content-type": "application/json" });
  res.end(JSON.stringify({ model: "m", choices: [{ index: 0, message, finish_reason: "stop" }], usage }));
};

async function pricedEndpoint(settings: Json = {}): Promise<EndpointFixture> {
  const unlimited = { rate_limit_per_minute: null, rate_limit_per_hour: null };
  const project = await world.project(unlimited);
  const prices = { input_price_per_million: pricePerMillion, output_price_per_million: pricePerMillion };
  return await world.endpoint({ targets: [{ provider: providerName, model: "m", ...prices }], ...settings }, project);
}

async function spentUsd({ project, uuid }: EndpointFixture): Promise<number> {
  const { endpoints } = await world.control.call<{ endpoints: { endpoint: string; cost_usd: number }[] }>(
    "svc_get_usage",
    { project },
  );
  return endpoints.find(({ endpoint }) => endpoint === uuid)?.cost_usd ?? 0;
}

/** Polls, since usage is written in batches. */
async function untilSpent(endpoint: EndpointFixture): Promise<number> {
  const until = performance.now() + usageWithinMs;
  for (;;) {
    const spent = await spentUsd(endpoint);
    if (spent > 0 || performance.now() > until) return spent;
    await delay(100);
  }
}

test("eighty concurrent calls spend no more than the budget, for answers of any length", async () => {
  provider.play(generous);
  const budget = 1;
  const endpoint = await pricedEndpoint({ monthly_budget_usd: budget });
  const calls = Array.from(
    { length: 80 },
    async () => await world.ask(endpoint.path, { token: endpoint.token, body: { message: "Hello" } }),
  );
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(
    statuses.every((status) => [200, 422, 429].includes(status)),
    statuses.join(" "),
  ).toBe(true);
  expect(await untilSpent(endpoint)).toBeGreaterThan(0);
  expect(await spentUsd(endpoint)).toBeLessThanOrEqual(budget);
});

test("a call that timed out is billed", async () => {
  provider.play(silence);
  const endpoint = await pricedEndpoint({ timeout_ms: 300 });
  const { status } = await world.ask(endpoint.path, { token: endpoint.token, body: { message: "Hello" } });
  expect(status).toBe(502);
  expect(await untilSpent(endpoint)).toBeGreaterThan(0);
});

test("a call whose caller has left is billed, answer included", async () => {
  provider.play(silence);
  const endpoint = await pricedEndpoint();
  const body = JSON.stringify({ message: "Hello" });
  const outgoing = request(`${world.product.url}${endpoint.path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${endpoint.token}`, "content-length": body.length },
  });
  outgoing.on("error", () => {});
  outgoing.end(body);
  await expect.poll(() => provider.received.length, { timeout: 10_000 }).toBe(1);
  outgoing.destroy();
  expect(await untilSpent(endpoint)).toBeGreaterThan(0);
});

test("text outside the messages counts toward the token cap", async () => {
  provider.play(generous);
  const wrapper = await world.project({ type: "ai_wrapper" });
  const { slug, token, project } = await world.endpoint(
    { max_request_tokens: 500, targets: [{ provider: providerName, model: "m" }] },
    wrapper,
  );
  const described = { name: "f", description: "describe ".repeat(100_000), parameters: {} };
  const { status } = await world.ask(`/api/${project}/v1/chat/completions`, {
    token,
    body: {
      model: slug,
      messages: [{ role: "user", content: "Hello" }],
      tools: [{ type: "function", function: described }],
    },
  });
  expect(status).toBe(422);
  expect(provider.received).toHaveLength(0);
});
