import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { send, sendStreaming, streamedText } from "../../src/chat-client.ts";
import { createProject } from "../../src/control-plane-client.ts";
import { answer, streamThenCut, streamWords } from "../../src/scripted-provider.ts";
import type { World } from "./world.ts";

/** Limits, budgets, schemas, prompts and sessions, as a client meets them. */
export function describePolicies(world: () => World): void {
  async function limited(limits: Record<string, number | null>) {
    const { control, primaryName } = world();
    const fixture = await createProject(control, limits);
    const targets = [{ provider: primaryName, model: "m" }];
    await control.call("svc_create_endpoint", { project: fixture.project, slug: "s", targets });
    return { ...fixture, path: `/api/${fixture.project}/s` };
  }

  test("a request over the limit of its minute is refused with scope and delay; refusals further on have counted", async () => {
    const { product, primary } = world();
    const { path, token } = await limited({ rate_limit_per_minute: 3, rate_limit_per_hour: null });
    primary.play(answer("ok"));
    const call = async (body: object) => await send(product, path, { token, body });
    const first = await call({ message: "x" });
    expect([first.status, first.headers.get("x-ratelimit-limit"), first.headers.get("x-ratelimit-remaining")]).toEqual([
      200,
      "3",
      "2",
    ]);
    expect(Number(first.headers.get("x-ratelimit-reset"))).toBeGreaterThan(Date.now() / 1_000 - 1);
    // A request that is refused before the limit (a malformed body) does not count.
    expect((await call({})).status).toBe(400);
    expect((await call({ message: "x" })).status).toBe(200);
    expect((await call({ message: "x" })).status).toBe(200);
    const refused = await call({ message: "x" });
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      ok: false,
      error: "Rate limit exceeded.",
      scope: "minute",
      retry_after: Number(refused.headers.get("retry-after")),
    });
    expect(refused.body["retry_after"]).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
  });

  test("never more than the limit is admitted, however many come at once", async () => {
    const { product, primary } = world();
    const { path, token } = await limited({ rate_limit_per_minute: null, rate_limit_per_hour: 25 });
    primary.play(answer("ok"));
    const replies = await Promise.all(
      Array.from({ length: 60 }, async () => await send(product, path, { token, body: { message: "x" } })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(25);
    expect(replies.filter(({ status, body }) => status === 429 && body["scope"] === "hour")).toHaveLength(35);
  });

  test("a token's own limit holds beside its project's", async () => {
    const { product, primary, control } = world();
    const { path, project, token } = await limited({ rate_limit_per_minute: 100 });
    const { token: tight } = await control.call<{ token: string }>("svc_create_token", {
      project,
      name: "tight",
      scopes: ["chat"],
      rate_limit_per_minute: 1,
    });
    primary.play(answer("ok"));
    const status = async (with_: string) =>
      (await send(product, path, { token: with_, body: { message: "x" } })).status;
    expect([await status(tight), await status(tight), await status(token)]).toEqual([200, 429, 200]);
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

  test("a budget of 0 refuses every call", async () => {
    const { product, token, endpoint } = world();
    const { path } = await endpoint({ monthly_budget_usd: 0 });
    const reply = await send(product, path, { token, body: { message: "x" } });
    expect([reply.status, reply.body["error"]]).toEqual([
      422,
      "Endpoint monthly budget exhausted: ~$0.00 spent, budget $0.00. Resets at the start of next month.",
    ]);
  });

  test("a prompt over the per-request cap is refused with the estimate", async () => {
    const { product, primary, token, endpoint } = world();
    const { path } = await endpoint({ max_request_tokens: 40, system_prompt: "Be brief." });
    primary.play(answer("ok"));
    expect((await send(product, path, { token, body: { message: "short" } })).status).toBe(200);
    const refused = await send(product, path, { token, body: { message: "word ".repeat(100) } });
    expect(refused.status).toBe(422);
    expect(refused.body["error"]).toMatch(
      /^Request exceeds endpoint per-request token limit: ~1[01]\d tokens estimated, cap is 40\.$/,
    );
  });

  test("the input schema validates the body as sent", async () => {
    const { product, primary, token, endpoint } = world();
    const input_schema = {
      type: "object",
      properties: { message: { type: "string", minLength: 3 }, locale: { enum: ["de", "en"] } },
      required: ["locale"],
      additionalProperties: false,
    };
    const { path } = await endpoint({ input_schema });
    primary.play(answer("ok"));
    expect((await send(product, path, { token, body: { message: "long", locale: "de" } })).status).toBe(200);
    const refused = await send(product, path, { token, body: { message: "x", extra: 1 } });
    expect(refused.status).toBe(422);
    expect(refused.body["error"]).toBe(
      "Validation failed: / must have required property 'locale'; / must NOT have additional properties; /message must NOT have fewer than 3 characters",
    );
  });

  test("the output schema validates the model's text before a stream of it begins", async () => {
    const { product, primary, token, endpoint } = world();
    const output_schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const { path } = await endpoint({ output_schema, streaming_enabled: true });
    const call = async (text: string) => {
      primary.play(answer(text));
      return await send(product, path, { token, body: { message: "x", stream: true } });
    };
    primary.play(answer('{"n": 1}'));
    const valid = await sendStreaming(product, path, { token, body: { message: "x", stream: true } });
    expect(streamedText(valid)).toBe('{"n": 1}');
    expect((await call('{"n": "one"}')).body).toEqual({ ok: false, error: "Validation failed: /n must be integer" });
    const invalid = await call("no json");
    expect([invalid.status, invalid.body["error"]]).toEqual([502, "Validation failed: output is not valid JSON"]);
    expect(primary.received[0]?.body["response_format"]).toMatchObject({ type: "json_schema" });
  });

  test("variables fill the prompt, and a missing one is named", async () => {
    const { product, primary, token, endpoint } = world();
    const { path } = await endpoint({ system_prompt: "Answer {{name}} in {{language}}." });
    primary.play(answer("ok"));
    const variables = { name: "<Ann>", language: "German" };
    expect((await send(product, path, { token, body: { message: "x", variables } })).status).toBe(200);
    expect(primary.received[0]?.body.messages[0]).toEqual({ role: "system", content: "Answer <Ann> in German." });
    const refused = await send(product, path, { token, body: { message: "x", variables: { name: "Ann" } } });
    expect([refused.status, refused.body["error"]]).toEqual([
      400,
      "Missing variable 'language': send it in the body's 'variables' object.",
    ]);
    expect((await send(product, path, { token, body: { message: "x", variables: { name: {} } } })).status).toBe(400);
  });

  test("a session remembers whole turns, also streamed ones, and only for its own token", async () => {
    const { product, primary, token, project, control, endpoint } = world();
    const { path } = await endpoint({ system_prompt: "S", streaming_enabled: true });
    const session_id = randomUUID();
    primary.play(answer("a1"));
    const first = await send(product, path, { token, body: { message: "q1", session_id } });
    expect(first.body["meta"]).toMatchObject({ session_id });
    primary.play(streamWords(["a", "2"]));
    const second = await sendStreaming(product, path, { token, body: { message: "q2", session_id, stream: true } });
    expect(streamedText(second)).toBe("a2");
    expect(second.events[0]).toMatchObject({ meta: { session_id } });
    primary.play(streamThenCut(["lost"]));
    await sendStreaming(product, path, { token, body: { message: "q-cut", session_id, stream: true } });
    primary.play(answer("a3"));
    await send(product, path, { token, body: { message: "q3", session_id } });
    const contents = (messages: readonly unknown[] = []) =>
      messages.map((message) => (message as { content: string }).content);
    expect(contents(primary.received[0]?.body.messages)).toEqual(["S", "q1", "a1", "q2", "a2", "q3"]);

    const other = await control.call<{ token: string }>("svc_create_token", {
      project,
      name: "other",
      scopes: ["chat"],
    });
    primary.play(answer("x"));
    await send(product, path, { token: other.token, body: { message: "mine?", session_id } });
    expect(contents(primary.received[0]?.body.messages)).toEqual(["S", "mine?"]);
  });

  test.each(["x", "", 1, null, "00000000-0000-0000-0000-00000000000"])(
    "session_id %j is refused",
    async (session_id) => {
      const { product, token, endpoint } = world();
      const { path } = await endpoint();
      const reply = await send(product, path, { token, body: { message: "x", session_id } });
      expect([reply.status, reply.body["error"]]).toEqual([400, "'session_id' must be a UUID."]);
    },
  );

  test.each<[string, object]>([
    ["monthly_budget_usd", { monthly_budget_usd: -1 }],
    ["monthly_budget_usd", { monthly_budget_usd: "ten" }],
    ["max_request_tokens", { max_request_tokens: 0 }],
    ["input_schema", { input_schema: { $ref: "https://evil.example/s" } }],
    ["output_schema", { output_schema: { type: "nothing" } }],
    ["system_prompt", { system_prompt: "{{#section}}" }],
    ["timeout_ms", { timeout_ms: 0 }],
  ])("an endpoint with a wrong %s is refused when it is saved", async (name, settings) => {
    const { endpoint } = world();
    await expect(endpoint({ ...settings })).rejects.toThrow(name);
  });

  test("usage without a report is counted", async () => {
    const { product, primary, token, endpoint } = world();
    const { path } = await endpoint();
    primary.play(({ body }, res) => {
      const message = { role: "assistant", content: "four words of text" };
      res.writeHead(200, { "content-type": "application/json" });
      res.end(
        JSON.stringify({
          id: "i",
          created: 1,
          model: body.model,
          choices: [{ index: 0, message, finish_reason: "stop" }],
        }),
      );
    });
    const { body } = await send(product, path, { token, body: { message: "x" } });
    expect(body["usage"]).toMatchObject({ completion_tokens: 4 });
  });
}
