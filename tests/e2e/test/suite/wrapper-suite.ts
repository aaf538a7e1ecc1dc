import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../src/control-plane-client.ts";
import type { EndpointFixture } from "../../src/product-world.ts";
import { answer, answerMessage, fail, scriptedUsage, streamThenCut, streamWords } from "../../src/scripted-provider.ts";
import { describeAiSdkClient } from "./ai-sdk-client-suite.ts";
import { describeLangChainClient } from "./langchain-client-suite.ts";
import { describeOpenAiClient } from "./openai-client-suite.ts";
import { describeOpenAiCompletions } from "./openai-completions-suite.ts";
import type { World } from "./world.ts";
import { createWrapperWorld, type WrapperWorld } from "./wrapper-world.ts";

/** The Wrapper, called by third-party clients and plain requests. */
export function describeWrapper(world: () => World): void {
  describe("its clients", () => {
    let clients: WrapperWorld;
    beforeAll(async () => {
      clients = await createWrapperWorld(world().product);
    });
    afterAll(async () => await clients.stop());

    describeOpenAiClient(() => clients);
    describeOpenAiCompletions(() => clients);
    describeAiSdkClient(() => clients);
    describeLangChainClient(() => clients);
  });

  let alias: EndpointFixture;

  beforeAll(async () => {
    alias = await wrapped({ streaming_enabled: true });
  });

  async function wrapped(settings: Json = {}, limits: Json = {}): Promise<EndpointFixture> {
    const project = await world().newProject({ type: "ai_wrapper", scopes: ["chat", "models"], ...limits });
    return await world().endpoint(settings, project);
  }

  function sdk({ project, token }: { project: string; token: string } = alias): OpenAI {
    return new OpenAI({ baseURL: `${world().product.url}/api/${project}/v1`, apiKey: token, maxRetries: 0 });
  }

  const ask = (model: string, content = "x") => ({ model, messages: [{ role: "user" as const, content }] });

  async function refusal(call: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
    return await call.then(
      () => {
        throw new Error("The call was not refused.");
      },
      (cause: unknown) => cause as InstanceType<typeof OpenAI.APIError>,
    );
  }

  describe("Wrapper: the OpenAI-compatible surface", () => {
    test("POST /v1/chat/completions answers with an OpenAI completion; model is the alias", async () => {
      world().primary.play(answer("Good morning."));
      const completion = await sdk().chat.completions.create(ask(alias.slug));
      expect(completion).toMatchObject({
        id: expect.stringMatching(/./),
        object: "chat.completion",
        created: expect.any(Number),
        choices: [{ index: 0, message: { role: "assistant", content: "Good morning." }, finish_reason: "stop" }],
        usage: scriptedUsage,
      });
      expect(world().primary.received[0]?.body.model).toBe("m");
    });

    test("requests are OpenAI's, in full", async () => {
      world().primary.play(answer("{}"));
      const request = {
        messages: [
          { role: "system" as const, content: "s" },
          {
            role: "user" as const,
            content: [
              { type: "text" as const, text: "x" },
              { type: "image_url" as const, image_url: { url: "data:image/png;base64,AAAA" } },
            ],
          },
          {
            role: "assistant" as const,
            tool_calls: [{ id: "c1", type: "function" as const, function: { name: "f", arguments: "{}" } }],
          },
          { role: "tool" as const, tool_call_id: "c1", content: "result" },
        ],
        tools: [{ type: "function" as const, function: { name: "f", parameters: { type: "object" } } }],
        tool_choice: "auto" as const,
        response_format: { type: "json_object" as const },
        logprobs: true,
        top_logprobs: 2,
        temperature: 0.5,
        seed: 7,
        stop: ["END"],
        n: 1,
      };
      await sdk().chat.completions.create({ model: alias.slug, ...request });
      expect(world().primary.received[0]?.body).toMatchObject(request);
    });

    test("replies are OpenAI's, in full: tool calls", async () => {
      const toolCalls = [{ id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } }];
      world().primary.play(answerMessage({ content: null, tool_calls: toolCalls }, "tool_calls"));
      const completion = await sdk().chat.completions.create(ask(alias.slug));
      expect(completion.choices[0]).toMatchObject({
        finish_reason: "tool_calls",
        message: { content: null, tool_calls: toolCalls },
      });
    });

    test("streams; usage only where stream_options asks for it", async () => {
      world().primary.play(streamWords(["Good ", "morning."]));
      const stream = await sdk().chat.completions.create({
        ...ask(alias.slug),
        stream: true,
        stream_options: { include_usage: true },
      });
      const chunks = [];
      for await (const item of stream) chunks.push(item);
      expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("Good morning.");
      expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
      expect(chunks.find(({ choices }) => choices[0]?.finish_reason === "stop")).toBeDefined();
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: scriptedUsage });
      const plain = await sdk().chat.completions.create({ ...ask(alias.slug), stream: true });
      for await (const item of plain) expect(item.usage ?? null).toBeNull();
    });

    test("an error after the first byte reaches the SDK as an error", async () => {
      const provider = await world().anotherProvider(world().primary);
      const cut = await wrapped({ streaming_enabled: true, targets: [{ provider, model: "m" }] });
      world().primary.play(streamThenCut(["one"]));
      const stream = await sdk(cut).chat.completions.create({ ...ask(cut.slug), stream: true });
      const read = async () => {
        for await (const item of stream) void item;
      };
      await expect(read()).rejects.toBeInstanceOf(OpenAI.APIError);
    });

    test("GET /v1/models lists the aliases that are active, with scope models", async () => {
      const models = await sdk().models.list();
      expect(models.data).toEqual([expect.objectContaining({ id: alias.slug, object: "model" })]);
      const { token } = await world().newToken(alias.project, { scopes: ["chat"] });
      const refused = await world().ask(`/api/${alias.project}/v1/models`, { method: "GET", token });
      expect([refused.status, refused.body["error"]]).toEqual([
        403,
        "Missing required scope: 'models'. Token has: chat.",
      ]);
    });

    test("unknown alias: 404, not found or inactive", async () => {
      const error = await refusal(sdk().chat.completions.create(ask("no-such-alias")));
      expect(error).toBeInstanceOf(OpenAI.NotFoundError);
      const plain = await world().ask(`/api/${alias.project}/v1/chat/completions`, {
        token: alias.token,
        body: ask("no-such-alias"),
      });
      expect(plain.status).toBe(404);
      expect(plain.body).toMatchObject({ ok: false, error: "Endpoint 'no-such-alias' not found or inactive." });
    });

    test.each<[string, unknown]>([
      ["no model", { messages: [{ role: "user", content: "x" }] }],
      ["model not a string", { ...ask("a"), model: 7 }],
      ["no messages", { model: "a" }],
      ["messages empty", { model: "a", messages: [] }],
      ["stream not boolean", { ...ask("a"), stream: "yes" }],
      ["not JSON", "{"],
      ["an array", []],
    ])("malformed body: %s gives 400", async (_name, body) => {
      const reply = await world().ask(`/api/${alias.project}/v1/chat/completions`, { token: alias.token, body });
      expect(reply.status).toBe(400);
      expect(reply.body).toMatchObject({ ok: false, error: expect.stringMatching(/\w{3}/) });
    });

    test("errors have the REST body with a string error, and the SDK raises the right class", async () => {
      const wrong = await refusal(sdk({ ...alias, token: "svc_live_wrong" }).chat.completions.create(ask(alias.slug)));
      expect(wrong).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(wrong.message).toContain("Invalid or revoked token.");
      const { token } = await world().newProject({ type: "ai_wrapper" });
      expect(
        await refusal(sdk({ project: alias.project, token }).chat.completions.create(ask(alias.slug))),
      ).toBeInstanceOf(OpenAI.PermissionDeniedError);

      const limited = await wrapped({}, { rate_limit_per_minute: 1 });
      world().primary.play(answer("ok"));
      await sdk(limited).chat.completions.create(ask(limited.slug));
      const rated = await refusal(sdk(limited).chat.completions.create(ask(limited.slug)));
      expect(rated).toBeInstanceOf(OpenAI.RateLimitError);
      expect(rated.headers?.get("retry-after")).toMatch(/^[1-9]\d*$/);

      const guarded = await wrapped();
      await world().control.call("svc_set_guardrails", { endpoint: guarded.uuid, keywords: ["falcon"] });
      const blocked = await refusal(sdk(guarded).chat.completions.create(ask(guarded.slug, "a falcon")));
      expect(blocked).toBeInstanceOf(OpenAI.UnprocessableEntityError);
      expect(blocked.message).toContain("Request blocked: keyword 'falcon' detected in input.");

      world().primary.play(fail(500));
      const failing = await wrapped({
        targets: [{ provider: await world().anotherProvider(world().primary), model: "m" }],
      });
      const failed = await refusal(sdk(failing).chat.completions.create(ask(failing.slug)));
      expect(failed).toBeInstanceOf(OpenAI.InternalServerError);
      expect(failed.status).toBe(502);
      expect(failed.message).toMatch(/Provider call failed: /);
    });

    test("the same pipeline runs: token cap, budget, schemas, in the specification's words", async () => {
      world().primary.play(answer("ok"));
      const cases = [
        [
          { max_request_tokens: 1 },
          422,
          /^Request exceeds endpoint per-request token limit: ~\d+ tokens estimated, cap is 1\.$/,
        ],
        [{ monthly_budget_usd: 0 }, 422, /^Endpoint monthly budget exhausted: ~\$0\.00 spent, budget \$0\.00\./],
        [
          { input_schema: { type: "object", required: ["seed"] } },
          422,
          /^Validation failed: .*must have required property 'seed'/,
        ],
        [{ output_schema: { type: "object" } }, 502, /^Validation failed: output is not valid JSON$/],
      ] as const;
      for (const [settings, status, error] of cases) {
        const { project, slug, token } = await wrapped(settings);
        const reply = await world().ask(`/api/${project}/v1/chat/completions`, {
          token,
          body: ask(slug, "some words"),
        });
        expect(reply.status).toBe(status);
        expect(reply.body).toMatchObject({ ok: false, error: expect.stringMatching(error) });
      }
    });

    test("the endpoint's prompt comes before the caller's messages", async () => {
      world().primary.play(answer("ok"));
      const prompted = await wrapped({ system_prompt: "Be brief." });
      await sdk(prompted).chat.completions.create(ask(prompted.slug));
      expect(world().primary.received[0]?.body.messages).toEqual([
        { role: "system", content: "Be brief." },
        { role: "user", content: "x" },
      ]);
    });
  });
}
