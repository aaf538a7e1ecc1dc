import { type EndpointFixture, type Json, type Script, silence } from "@gatehouse/e2e";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdversaryWorld, openAdversaryWorld } from "../src/world.ts";

/** Dollars per million tokens, of prompt and answer. */
const price = 10;
const microsPerDollar = 1_000_000;
/** Tokens of the model's answer without a limit. */
const longestAnswer = 64_000;
const promptTokens = 8;

let world: AdversaryWorld;
beforeAll(async () => {
  world = await openAdversaryWorld();
});
afterAll(async () => await world.stop());

async function endpoint(settings: Json = {}, of: Json = {}): Promise<EndpointFixture> {
  const target = { provider: world.providerName, model: "nobody-knows-its-longest-answer" };
  const targets = [{ ...target, input_price_per_million: price, output_price_per_million: price }];
  return await world.endpoint({ targets, ...settings }, await world.project(of));
}

interface Usage {
  readonly requests: number;
  readonly cost_usd: number;
}

async function usageOf({ project }: EndpointFixture): Promise<Usage> {
  return (await world.control.call<{ total: Usage }>("svc_get_usage", { project })).total;
}

function limitOf({ body }: Parameters<Script>[0]): number {
  const limit = body["max_tokens"] ?? body["max_completion_tokens"];
  return typeof limit === "number" ? limit : Number.POSITIVE_INFINITY;
}

/** Answers with as many tokens as permitted, and charges for them. */
function greedy(books: { tokens: number }): Script {
  return (request, res) => {
    const completion = Math.min(longestAnswer, limitOf(request));
    books.tokens += promptTokens + completion;
    const message = { role: "assistant", content: "word ".repeat(completion) };
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens: completion,
      total_tokens: promptTokens + completion,
    };
    res.writeHead(200, { "content-type": "application/json" });
    res.end(
      JSON.stringify({
        id: "i",
        model: "m",
        created: 1,
        choices: [{ index: 0, message, finish_reason: "length" }],
        usage,
      }),
    );
  };
}

test("80 concurrent calls of a model that answers with 64,000 tokens spend no more than $1", async () => {
  const spender = await endpoint({ monthly_budget_usd: 1 });
  const books = { tokens: 0 };
  world.provider.play(greedy(books));
  const ask = async () => await world.ask(spender.path, { token: spender.token, body: { message: "x" } });
  const statuses = new Set<number>();
  for (let round = 0; round < 5; round += 1) {
    for (const { status } of await Promise.all(Array.from({ length: 80 }, ask))) statuses.add(status);
  }
  expect([...statuses]).toEqual(expect.arrayContaining([200, 429]));
  expect((await ask()).status).toBe(422);
  expect(books.tokens * price).toBeLessThanOrEqual(microsPerDollar);
  expect(books.tokens * price).toBeGreaterThan(0.9 * microsPerDollar);
  await expect
    .poll(async () => (await usageOf(spender)).cost_usd, { timeout: 5_000 })
    .toBeCloseTo((books.tokens * price) / microsPerDollar, 6);
});

test("five calls that time out are billed at their possible cost", async () => {
  const budgeted = await endpoint({ monthly_budget_usd: 1, timeout_ms: 200, parameters: { max_tokens: 1_000 } });
  const free = await endpoint({ timeout_ms: 200 });
  for (const [fixture, costMin] of [
    [budgeted, (5 * 1_000 * price) / microsPerDollar],
    [free, (5 * promptTokens * price) / microsPerDollar],
  ] as const) {
    world.provider.play(silence);
    for (let call = 0; call < 5; call += 1) {
      expect((await world.ask(fixture.path, { token: fixture.token, body: { message: "x" } })).status).toBe(502);
    }
    expect(world.provider.received).toHaveLength(5);
    await expect.poll(async () => (await usageOf(fixture)).requests, { timeout: 5_000 }).toBe(5);
    expect((await usageOf(fixture)).cost_usd).toBeGreaterThanOrEqual(costMin);
  }
});

/** Sends a request, and leaves once the provider has it. */
async function askAndLeave(path: string, token: string, body: unknown): Promise<void> {
  const before = world.provider.received.length;
  const leave = new AbortController();
  const reply = fetch(world.product.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
    signal: leave.signal,
  }).then(
    async (answer) => await answer.text().catch(() => undefined),
    () => undefined,
  );
  await expect.poll(() => world.provider.received.length, { timeout: 10_000 }).toBe(before + 1);
  leave.abort();
  await reply;
}

test("five calls whose caller leaves are billed at their possible cost", async () => {
  const spender = await endpoint({ monthly_budget_usd: 1, parameters: { max_tokens: 1_000 } });
  world.provider.play(silence);
  for (let call = 0; call < 5; call += 1) await askAndLeave(spender.path, spender.token, { message: "x" });
  await expect.poll(async () => (await usageOf(spender)).requests, { timeout: 5_000 }).toBe(5);
  expect((await usageOf(spender)).cost_usd).toBeGreaterThanOrEqual((5 * 1_000 * price) / microsPerDollar);
});

/** Longest answer where neither caller nor endpoint limits it, for an unknown model (docs/allowances.md). */
const answerTokensDefault = 4_096;

test("a call of an unknown model whose caller leaves is billed a default number of tokens, not the whole budget", async () => {
  const spender = await endpoint({ monthly_budget_usd: 1 });
  world.provider.play(silence);
  const before = world.provider.received.length;
  for (let call = 0; call < 5; call += 1) await askAndLeave(spender.path, spender.token, { message: "x" });
  // The limit is sent, so that the provider cannot charge for more.
  expect(world.provider.received.slice(before).map(limitOf)).toEqual([1, 2, 3, 4, 5].map(() => answerTokensDefault));
  await expect.poll(async () => (await usageOf(spender)).requests, { timeout: 5_000 }).toBe(5);
  const { cost_usd: cost } = await usageOf(spender);
  expect(cost).toBeGreaterThanOrEqual((5 * answerTokensDefault * price) / microsPerDollar);
  expect(cost).toBeLessThan((5 * 1.1 * answerTokensDefault * price) / microsPerDollar);
});

/** Streams until its client leaves. */
const endless: Script = (_request, res) => {
  res.writeHead(200, { "content-type": "text/event-stream" });
  const choice = { index: 0, delta: { role: "assistant", content: "first" }, finish_reason: null };
  res.write(`data: ${JSON.stringify({ id: "i", model: "m", created: 1, choices: [choice] })}\n\n`);
};

const tools = [
  { type: "function", function: { name: "f", description: "word ".repeat(700_000), parameters: { type: "object" } } },
];

test("3.5 MB in the description of a tool count toward the token cap", async () => {
  const capped = await endpoint({ max_request_tokens: 500 }, { project_type: "ai_wrapper" });
  world.provider.play(endless);
  const body = { model: capped.slug, messages: [{ role: "user", content: "x" }], tools, stream: true };
  const reply = await world.ask(`/api/${capped.project}/v1/chat/completions`, { token: capped.token, body });
  expect([reply.status, reply.body["error"]]).toEqual([
    422,
    expect.stringMatching(/^Request exceeds endpoint per-request token limit: ~\d{6} tokens estimated, cap is 500\.$/),
  ]);
  expect(world.provider.received).toEqual([]);
});

test.each([
  ["with a budget", { monthly_budget_usd: 100 }],
  ["without one", {}],
])("3.5 MB in the description of a tool are billed when the caller leaves early, %s", async (_name, settings) => {
  const spender = await endpoint({ streaming_enabled: true, ...settings }, { project_type: "ai_wrapper" });
  world.provider.play(endless);
  const body = { model: spender.slug, messages: [{ role: "user", content: "x" }], tools, stream: true };
  await askAndLeave(`/api/${spender.project}/v1/chat/completions`, spender.token, body);
  await expect.poll(async () => (await usageOf(spender)).requests, { timeout: 20_000 }).toBe(1);
  // 700,000 words are at least as many tokens.
  expect((await usageOf(spender)).cost_usd).toBeGreaterThanOrEqual((700_000 * price) / microsPerDollar);
});
