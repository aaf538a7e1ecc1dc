import { expect, test } from "vitest";
import { send } from "../../src/chat-client.ts";
import type { Json } from "../../src/control-plane-client.ts";
import type { Exchange } from "../../src/exchange.ts";
import type { EndpointFixture } from "../../src/product-world.ts";
import { answer, fail, streamThenCut } from "../../src/scripted-provider.ts";
import type { World } from "./world.ts";

interface Usage {
  readonly requests: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost_usd: number;
}

const exhausted =
  /^Endpoint monthly budget exhausted: ~\$(\d+\.\d{2,6}) spent, budget \$(\d+\.\d{2,6})\. Resets at the start of next month\.$/;

/** Rate limits, as a client meets them. */
export function describeRateLimits(world: () => World): void {
  const chat = chatOf(world);
  const usageOf = usagesOf(world);

  test.each([
    ["beside the hour's", {}],
    ["alone", { rate_limit_per_hour: null }],
  ])(
    "per minute, %s: 429 with Retry-After, scope and retry_after; a malformed body does not count",
    async (_name, hour) => {
      world().primary.play(answer("ok"));
      const limited = await world().ownEndpoint({}, { rate_limit_per_minute: 3, ...hour });
      for (const left of [2, 1, 0]) {
        const { status, headers } = await chat(limited);
        expect(status).toBe(200);
        expect(headers["x-ratelimit-limit"]).toBe("3");
        expect(headers["x-ratelimit-remaining"]).toBe(String(left));
        expect(headers["x-ratelimit-reset"]).toMatch(/^\d+$/);
        expect(Number(headers["x-ratelimit-reset"])).toBeGreaterThan(Date.now() / 1_000 - 1);
        // A request that is refused before the limit (a malformed body) does not count.
        expect((await world().ask(limited.path, { token: limited.token, body: {} })).status).toBe(400);
      }
      const { status, headers, body } = await chat(limited);
      expect(status).toBe(429);
      const retryAfter = Number(headers["retry-after"]);
      expect(body).toEqual({ ok: false, error: "Rate limit exceeded.", scope: "minute", retry_after: retryAfter });
      expect(headers["retry-after"]).toMatch(/^[1-9]\d*$/);
      expect(retryAfter).toBeLessThanOrEqual(60);
      expect(headers["x-ratelimit-remaining"]).toBe("0");
      expect(world().primary.received).toHaveLength(3);
    },
  );

  test("per hour: scope is hour, and the tightest window is the one in the headers", async () => {
    const limited = await world().ownEndpoint({}, { rate_limit_per_minute: 100, rate_limit_per_hour: 2 });
    expect((await chat(limited)).headers["x-ratelimit-limit"]).toBe("2");
    await chat(limited);
    const { status, body } = await chat(limited);
    expect(status).toBe(429);
    expect(body).toMatchObject({ error: "Rate limit exceeded.", scope: "hour" });
    expect(body["retry_after"]).toBeGreaterThanOrEqual(1);
    expect(body["retry_after"]).toBeLessThanOrEqual(3_600);
  });

  test("count per project, over its endpoints and tokens and both chat routes", async () => {
    const limited = await world().ownEndpoint({}, { rate_limit_per_minute: 3 });
    const other = await world().endpoint({}, limited);
    const { token } = await world().newToken(limited.project);
    const dispatcher = `/api/${limited.project}/chat/completions`;
    const replies = [
      await chat(limited),
      await chat({ path: other.path, token }),
      await world().ask(dispatcher, { token, body: { message: "x", endpoint: other.slug } }),
      await chat(limited),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  });

  test("per token where the token has limits, beside its project's", async () => {
    const open = await world().ownEndpoint({}, { rate_limit_per_minute: 100 });
    const { token } = await world().newToken(open.project, { rate_limit_per_minute: 1 });
    const own = { path: open.path, token };
    expect((await chat(own)).status).toBe(200);
    const refused = await chat(own);
    expect([refused.status, refused.body["scope"]]).toEqual([429, "minute"]);
    expect((await chat(open)).status).toBe(200);
  });

  test.each([
    ["minute", 5, 15],
    ["hour", 25, 60],
  ])("concurrent calls never exceed the limit of a %s", async (scope, limit, calls) => {
    world().primary.play(answer("ok"));
    const limits = { rate_limit_per_minute: null, [`rate_limit_per_${scope}`]: limit };
    const limited = await world().ownEndpoint({}, limits);
    const replies = await Promise.all(Array.from({ length: calls }, async () => await chat(limited)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(limit);
    const refused = replies.filter(({ status, body }) => status === 429 && body["scope"] === scope);
    expect(refused).toHaveLength(calls - limit);
  });

  test("null means unlimited", async () => {
    const unlimited = { rate_limit_per_minute: null, rate_limit_per_hour: null };
    expect((await chat(await world().ownEndpoint({}, unlimited))).status).toBe(200);
  });

  test("a rate-limited request spends no budget", async () => {
    const targets = [
      { provider: world().primaryName, model: "m", input_price_per_million: 1_000, output_price_per_million: 0 },
    ];
    const limited = await world().ownEndpoint({ targets, monthly_budget_usd: 1 }, { rate_limit_per_minute: 1 });
    world().primary.play(answer("ok"));
    await chat(limited);
    expect((await chat(limited)).status).toBe(429);
    await expect.poll(async () => (await usageOf(limited)).cost_usd, { timeout: 3_000 }).toBe(0.007);
  });
}

/** Monthly budgets and the usage that they are counted by. */
export function describeBudgets(world: () => World): void {
  const chat = chatOf(world);
  const usageOf = usagesOf(world);

  /** A target at which the scripted answer of 7 and 3 tokens costs this much. */
  function priced(inputPrice: number, outputPrice: number): Json {
    const target = { provider: world().primaryName, model: "m" };
    return { targets: [{ ...target, input_price_per_million: inputPrice, output_price_per_million: outputPrice }] };
  }

  test("spending that reaches the budget gives 422, with what was spent and the budget", async () => {
    world().primary.play(answer("ok"));
    // One call costs 7 * 0.5 + 3 * 0.5 = 5 dollars.
    const spender = await world().ownEndpoint({ ...priced(500_000, 500_000), monthly_budget_usd: 5 });
    const first = await chat(spender);
    expect([first.status, first.body["error"]]).toEqual([200, undefined]);
    const second = await chat(spender);
    expect(second.status).toBe(422);
    expect(second.body).toMatchObject({
      ok: false,
      error: "Endpoint monthly budget exhausted: ~$5.00 spent, budget $5.00. Resets at the start of next month.",
    });
    expect(world().primary.received).toHaveLength(1);
  });

  test("a budget admits calls until what is left pays for no more, and then says what was spent", async () => {
    const { product, primary, token, primaryName, endpoint } = world();
    const targets = [
      { provider: primaryName, model: "m", input_price_per_million: 1_000, output_price_per_million: 1_000 },
    ];
    // The scripted provider reports 10 tokens: 0.01 dollars a call.
    const { path } = await endpoint({ targets, monthly_budget_usd: 0.025 });
    primary.play(answer("ok"));
    const call = async () => await send(product, path, { token, body: { message: "x" } });
    expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
    const refused = await call();
    expect([refused.status, refused.body["error"]]).toEqual([
      422,
      "Endpoint monthly budget exhausted: ~$0.02 spent, budget $0.025. Resets at the start of next month.",
    ]);
  });

  test("costs with separate prices of input and output are exact in micro-dollars", async () => {
    world().primary.play(answer("ok"));
    const spender = await world().ownEndpoint({ ...priced(0.15, 0.6), monthly_budget_usd: 1 });
    for (let times = 0; times < 4; times += 1) expect((await chat(spender)).status).toBe(200);
    // 7 * 0.15 + 3 * 0.6 = 2.85 millionths of a dollar a call.
    await expect.poll(async () => (await usageOf(spender)).requests, { timeout: 3_000 }).toBe(4);
    const usage = await usageOf(spender);
    expect(usage).toMatchObject({ prompt_tokens: 28, completion_tokens: 12 });
    expect(usage.cost_usd).toBeGreaterThanOrEqual(0.000_011);
    expect(usage.cost_usd).toBeLessThanOrEqual(0.000_012);
  });

  test("the month's usage is the sum of what was answered", async () => {
    const { product, primary, token, project, primaryName, endpoint, control } = world();
    const targets = [{ provider: primaryName, model: "m", input_price_per_million: 1, output_price_per_million: 2 }];
    const { path, uuid, slug } = await endpoint({ targets });
    primary.play(answer("ok"));
    for (let index = 0; index < 3; index++) await send(product, path, { token, body: { message: "x" } });
    const used = { requests: 3, prompt_tokens: 21, completion_tokens: 9, cost_usd: 0.000039 };
    await expect
      .poll(async () => await control.call("svc_get_usage", { project, endpoint: uuid }), { timeout: 5_000 })
      .toEqual({
        month: new Date().toISOString().slice(0, 7),
        endpoints: [{ endpoint: uuid, slug, ...used }],
        total: used,
      });
  });

  test("a small budget is shown with up to 6 decimals", async () => {
    world().primary.play(answer("ok"));
    const spender = await world().ownEndpoint({ ...priced(1, 1), monthly_budget_usd: 0.000_01 });
    await chat(spender);
    const refused = await chat(spender);
    expect(refused.status).toBe(422);
    expect(refused.body["error"]).toMatch(exhausted);
    expect(refused.body["error"]).toContain("budget $0.00001.");
  });

  test("a budget of 0 refuses every call", async () => {
    world().primary.play(answer("ok"));
    for (const prices of [priced(1, 1), {}]) {
      const broke = await world().ownEndpoint({ ...prices, monthly_budget_usd: 0 });
      const refused = await chat(broke);
      expect(refused.status).toBe(422);
      expect(refused.body["error"]).toBe(
        "Endpoint monthly budget exhausted: ~$0.00 spent, budget $0.00. Resets at the start of next month.",
      );
    }
    expect(world().primary.received).toHaveLength(0);
  });

  test("concurrent calls must not overspend", async () => {
    world().primary.play(answer("ok"));
    // One call costs 0.01 dollars; the budget holds five of them.
    const spender = await world().ownEndpoint({ ...priced(1_000, 1_000), monthly_budget_usd: 0.05 });
    const replies = await Promise.all(Array.from({ length: 20 }, async () => await chat(spender)));
    const passed = replies.filter(({ status }) => status === 200).length;
    const refused = replies.filter(({ status }) => status === 422);
    const held = replies.filter(({ status }) => status === 429);
    expect(passed + refused.length + held.length).toBe(20);
    expect(passed).toBeGreaterThanOrEqual(1);
    expect(passed).toBeLessThanOrEqual(5);
    for (const { body } of refused) expect(body["error"]).toMatch(exhausted);
    for (const { body, headers } of held) {
      expect(body["error"]).toMatch(/~\$0\.0\d+ reserved, ~\$0\.0\d+ spent, budget \$0\.05\./);
      expect(headers["retry-after"]).toBe("1");
    }
    await expect.poll(async () => (await usageOf(spender)).cost_usd, { timeout: 3_000 }).toBeCloseTo(passed * 0.01, 6);
  });

  test("concurrent calls do not overspend a budget, and calls cut or left are billed", async () => {
    const { product, primary, token, primaryName, endpoint } = world();
    const targets = [
      { provider: primaryName, model: "m", input_price_per_million: 1_000, output_price_per_million: 1_000 },
    ];
    const { path } = await endpoint({
      targets,
      monthly_budget_usd: 0.05,
      parameters: { max_tokens: 9 },
      streaming_enabled: true,
    });
    primary.play(answer("ok"));
    const replies = await Promise.all(
      Array.from({ length: 30 }, async () => await send(product, path, { token, body: { message: "x" } })),
    );
    const admitted = replies.filter(({ status }) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(1);
    expect(admitted).toBeLessThanOrEqual(5);
    primary.play(streamThenCut(["twenty ", "words ", "and ", "more "]));
    for (let left = 5 - admitted; left >= 0; left--) {
      await send(product, path, { token, body: { message: "x", stream: true } }).catch(() => {});
    }
    primary.play(answer("ok"));
    let spent = false;
    for (let index = 0; index < 6 && !spent; index++) {
      spent = (await send(product, path, { token, body: { message: "x" } })).status === 422;
    }
    expect(spent).toBe(true);
  });

  test("unused reservations are released: the whole budget can be spent", async () => {
    world().primary.play(answer("ok"));
    const spender = await world().ownEndpoint({ ...priced(1_000, 1_000), monthly_budget_usd: 0.05 });
    let passed = 0;
    while ((await chat(spender)).status === 200) passed += 1;
    expect(passed).toBe(5);
  });

  test("a failed call costs nothing", async () => {
    const spender = await world().ownEndpoint({ ...priced(1_000, 1_000), monthly_budget_usd: 0.01 });
    world().primary.play(fail(400));
    for (let times = 0; times < 3; times += 1) expect((await chat(spender)).status).toBe(502);
    world().primary.play(answer("ok"));
    expect((await chat(spender)).status).toBe(200);
    expect((await chat(spender)).status).toBe(422);
  });

  test("an unknown model's price is 0", async () => {
    world().primary.play(answer("ok"));
    const free = await world().ownEndpoint({
      targets: [{ provider: world().primaryName, model: "nobody-knows" }],
      monthly_budget_usd: 0.000_001,
    });
    for (let times = 0; times < 3; times += 1) expect((await chat(free)).status).toBe(200);
    await expect.poll(async () => (await usageOf(free)).requests, { timeout: 3_000 }).toBe(3);
    expect((await usageOf(free)).cost_usd).toBe(0);
  });

  test("a known model has a price without one in its target", async () => {
    world().primary.play(answer("ok"));
    const known = await world().ownEndpoint({ targets: [{ provider: world().primaryName, model: "gpt-4o" }] });
    await chat(known);
    await expect.poll(async () => (await usageOf(known)).cost_usd, { timeout: 3_000 }).toBeGreaterThan(0);
  });
}

function chatOf(world: () => World) {
  return async ({ path, token }: { readonly path: string; readonly token: string }): Promise<Exchange> =>
    await world().ask(path, { token, body: { message: "x" } });
}

function usagesOf(world: () => World) {
  return async ({ project }: Pick<EndpointFixture, "project">): Promise<Usage> => {
    const { total } = await world().control.call<{ total: Usage }>("svc_get_usage", { project });
    return total;
  };
}
