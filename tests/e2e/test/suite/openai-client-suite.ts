import OpenAI, {
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { collect } from "../../src/collect.ts";
import { createProject } from "../../src/control-plane-client.ts";
import {
  answer,
  answerMessage,
  answerWith,
  chunk,
  event,
  fail,
  scriptedUsage,
  streamDeltas,
  streamThenCut,
  streamWords,
} from "../../src/scripted-provider.ts";
import type { WrapperWorld } from "./wrapper-world.ts";

const hello = [{ role: "user", content: "Hello" }] as const satisfies OpenAI.ChatCompletionMessageParam[];

const tools: OpenAI.ChatCompletionTool[] = ["weather", "time"].map((name) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
}));

const calls = [
  { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
  { id: "call_2", type: "function", function: { name: "time", arguments: '{"city":"Rome"}' } },
] as const;

/** OpenAI's official client, configured by base URL and key only. */
export function describeOpenAiClient(world: () => WrapperWorld): void {
  describe("the official openai package", () => {
    let client: OpenAI;
    let alias: string;
    beforeEach(async () => {
      client = new OpenAI({ baseURL: world().baseUrl(), apiKey: world().token, maxRetries: 0 });
      alias = await world().alias();
    });

    it("gets a completion, with the provider's model and token counts", async () => {
      world().provider.play(answer("Hi there"));
      const reply = await client.chat.completions.create({ model: alias, messages: [...hello] });
      expect(reply).toMatchObject({ object: "chat.completion", model: "m", usage: scriptedUsage });
      expect(reply.choices[0]?.message).toEqual({ role: "assistant", content: "Hi there" });
      expect(world().provider.received[0]?.body).toEqual({ model: "m", messages: hello });
    });

    it("gets every choice, with log probabilities and unknown fields", async () => {
      const logprobs = { content: [{ token: "a", logprob: -0.1, bytes: [97], top_logprobs: [] }], refusal: null };
      const choices = [0, 1].map((index) => ({
        index,
        message: { role: "assistant", content: `${index}`, reasoning_content: "hm" },
        logprobs,
        finish_reason: "stop",
      }));
      const whole = {
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices,
        usage: scriptedUsage,
        x: [1],
      };
      world().provider.play(answerWith(whole));
      const parameters = { n: 2, logprobs: true, top_logprobs: 3, seed: 7, stop: ["x"], temperature: 0 };
      const reply = await client.chat.completions.create({ model: alias, messages: [...hello], ...parameters });
      expect(reply).toEqual(whole);
      expect(world().provider.received[0]?.body).toMatchObject(parameters);
    });

    it("streams", async () => {
      world().provider.play(streamWords(["Hi", " there"]));
      const stream = await client.chat.completions.create({ model: alias, messages: [...hello], stream: true });
      const chunks = await collect(stream);
      expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("Hi there");
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
      expect(chunks.every(({ usage }) => usage === undefined || usage === null)).toBe(true);
    });

    it("gets the token counts of a stream when it asks for them", async () => {
      world().provider.play(streamWords(["Hi"]));
      const request = { model: alias, messages: [...hello], stream: true, stream_options: { include_usage: true } };
      const stream = await client.chat.completions.create({ ...request, stream: true });
      const last = (await collect(stream)).at(-1);
      expect(last).toMatchObject({ choices: [], usage: scriptedUsage });
    });

    it("gets parallel tool calls, and sends their results", async () => {
      world().provider.play(answerMessage({ content: null, tool_calls: calls }, "tool_calls"));
      const request: OpenAI.ChatCompletionCreateParamsNonStreaming = {
        model: alias,
        messages: [...hello],
        tools,
        tool_choice: "auto",
        parallel_tool_calls: true,
      };
      const reply = await client.chat.completions.create(request);
      expect(reply.choices[0]).toMatchObject({
        finish_reason: "tool_calls",
        message: { content: null, tool_calls: calls },
      });
      expect(world().provider.received[0]?.body).toMatchObject({
        tools,
        tool_choice: "auto",
        parallel_tool_calls: true,
      });

      world().provider.play(answer("Sunny, noon"));
      const message = reply.choices[0]?.message;
      if (message === undefined) throw new Error("There is a choice.");
      const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "ok" }) as const);
      const messages = [...hello, message, ...results];
      await client.chat.completions.create({ model: alias, messages, tools });
      expect(world().provider.received[0]?.body.messages).toEqual(messages);
    });

    it("puts streamed tool calls together", async () => {
      const deltas = calls.flatMap(({ id, function: { name, arguments: input } }, index) => [
        { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
        { tool_calls: [{ index, function: { arguments: input.slice(0, 5) } }] },
        { tool_calls: [{ index, function: { arguments: input.slice(5) } }] },
      ]);
      world().provider.play(streamDeltas([{ role: "assistant", content: null }, ...deltas], "tool_calls"));
      const stream = client.chat.completions.stream({ model: alias, messages: [...hello], tools });
      const { choices } = await stream.finalChatCompletion();
      expect(choices[0]?.message.tool_calls).toMatchObject(calls);
      expect(choices[0]?.finish_reason).toBe("tool_calls");
    });

    it("parses structured output", async () => {
      const format = zodResponseFormat(z.object({ city: z.string(), degrees: z.number() }), "weather");
      world().provider.play(answer('{"city":"Oslo","degrees":-4.5}'));
      const reply = await client.chat.completions.parse({
        model: alias,
        messages: [...hello],
        response_format: format,
      });
      expect(reply.choices[0]?.message.parsed).toEqual({ city: "Oslo", degrees: -4.5 });
      expect(world().provider.received[0]?.body.response_format).toEqual(JSON.parse(JSON.stringify(format)));
    });

    it("sends images and files as content parts", async () => {
      world().provider.play(answer("A cat"));
      const content: OpenAI.ChatCompletionContentPart[] = [
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
      ];
      await client.chat.completions.create({ model: alias, messages: [{ role: "user", content }] });
      expect(world().provider.received[0]?.body.messages).toEqual([{ role: "user", content }]);
    });

    it("gets an error for a stream that breaks, and not a shortened text", async () => {
      world().provider.play(streamThenCut(["Hi", " there"]));
      const stream = await client.chat.completions.create({ model: alias, messages: [...hello], stream: true });
      await expect(collect(stream)).rejects.toMatchObject({ code: "provider_failed", type: "api_error" });
    });

    it("gets an error for an error event in a provider's stream", async () => {
      world().provider.play((_request, res) => {
        res.writeHead(200, { "content-type": "text/event-stream" });
        res.write(chunk({ role: "assistant", content: "Hi" }));
        res.end(event({ error: { message: "overloaded", type: "server_error" } }));
      });
      const stream = await client.chat.completions.create({ model: alias, messages: [...hello], stream: true });
      await expect(collect(stream)).rejects.toThrow(/Provider call failed: .*overloaded/);
    });

    it("cancels the provider's work when it disconnects", async () => {
      world().provider.play((_request, res) => {
        res.writeHead(200, { "content-type": "text/event-stream" });
        res.write(chunk({ role: "assistant", content: "Hi" }));
      });
      const stream = await client.chat.completions.create({ model: alias, messages: [...hello], stream: true });
      for await (const _chunk of stream) break;
      await world().provider.received[0]?.left;
    });

    it("embeds in its default encoding", async () => {
      const encoded = Buffer.from(new Float32Array([0.5, -0.25]).buffer).toString("base64");
      const item = { object: "embedding", index: 0 };
      const rest = { object: "list", model: "m", usage: { prompt_tokens: 1, total_tokens: 1 } };
      world().provider.play(answerWith({ ...rest, data: [{ ...item, embedding: encoded }] }));
      const request = { model: alias, input: ["Hello"], dimensions: 2 };
      expect((await client.embeddings.create(request)).data[0]?.embedding).toEqual([0.5, -0.25]);
      const sent = { model: "m", input: ["Hello"], dimensions: 2, encoding_format: "base64" };
      expect(world().provider.received[0]).toMatchObject({ path: "/v1/embeddings", body: sent });
      world().provider.play(answerWith({ ...rest, data: [{ ...item, embedding: [0.5, -0.25] }] }));
      expect((await client.embeddings.create(request)).data[0]?.embedding).toEqual([0.5, -0.25]);
    });

    it("embeds tokens, which are decoded to text", async () => {
      const data = [{ object: "embedding", index: 0, embedding: [1] }];
      world().provider.play(answerWith({ object: "list", model: "m", data }));
      const reply = await client.embeddings.create({ model: alias, input: [15_339, 1_917], encoding_format: "float" });
      expect(reply.usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
      expect(world().provider.received[0]?.body).toMatchObject({ input: "hello world" });
    });

    it("lists the project's aliases as models", async () => {
      const inactive = await world().alias();
      const { endpoints } = await world().control.call<{ endpoints: { slug: string; uuid: string }[] }>(
        "svc_list_endpoints",
        { project: world().project, limit: 200 },
      );
      const endpoint = endpoints.find(({ slug }) => slug === inactive)?.uuid;
      await world().control.call("svc_set_endpoint_active", { endpoint, is_active: false });
      const models = await collect(client.models.list());
      expect(models.find(({ id }) => id === alias)).toEqual({
        id: alias,
        object: "model",
        created: expect.any(Number),
        owned_by: "gatehouse",
      });
      expect(models.map(({ id }) => id)).not.toContain(inactive);
    });

    it("gets its limits and the request id in headers", async () => {
      world().provider.play(answer("x"));
      const names = ["x-request-id", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
      const replies = [
        await client.chat.completions.create({ model: alias, messages: [...hello] }).asResponse(),
        await client.models.list().asResponse(),
      ];
      for (const { headers } of replies) for (const name of names) expect(headers.get(name), name).not.toBeNull();
    });

    describe("raises", () => {
      const create = async (model: string, key?: string) =>
        await (key === undefined ? client : client.withOptions({ apiKey: key })).chat.completions.create({
          model,
          messages: [...hello],
        });

      it("AuthenticationError for an unknown token", async () => {
        await expect(create(alias, `svc_live_${"x".repeat(40)}`)).rejects.toThrow(AuthenticationError);
        await expect(create(alias, "sk-123")).rejects.toThrow(/Invalid token format\./);
      });

      it("PermissionDeniedError for a missing scope and for another's project", async () => {
        const other = await createProject(world().control, { type: "ai_wrapper", scopes: ["models"] });
        const theirs = new OpenAI({ baseURL: world().baseUrl(other.project), apiKey: other.token, maxRetries: 0 });
        const request = { model: alias, messages: [...hello] };
        await expect(theirs.chat.completions.create(request)).rejects.toThrow(PermissionDeniedError);
        await expect(create(alias, other.token)).rejects.toThrow(PermissionDeniedError);
      });

      it("NotFoundError for an unknown alias", async () => {
        const failure: unknown = await create("nobody").catch((err: unknown) => err);
        expect(failure).toBeInstanceOf(NotFoundError);
        expect((failure as NotFoundError).message).toContain("Endpoint 'nobody' not found or inactive.");
      });

      it("BadRequestError for a body that is wrong, and for a project of another type", async () => {
        const messages = [{ role: "robot", content: "x" }] as unknown as OpenAI.ChatCompletionMessageParam[];
        await expect(client.chat.completions.create({ model: alias, messages })).rejects.toThrow(BadRequestError);
        const gateway = await createProject(world().control);
        const there = new OpenAI({ baseURL: world().baseUrl(gateway.project), apiKey: gateway.token, maxRetries: 0 });
        const failure = await there.chat.completions.create({ model: alias, messages: [...hello] }).catch(String);
        expect(failure).toContain("This project is not an AI Wrapper.");
      });

      it("UnprocessableEntityError for a body that the endpoint's schema forbids", async () => {
        const strict = await world().alias({ input_schema: { type: "object", required: ["user"] } });
        await expect(create(strict)).rejects.toThrow(UnprocessableEntityError);
      });

      it("RateLimitError with the time to wait", async () => {
        const limits = { type: "ai_wrapper", rate_limit_per_minute: 1 };
        const { project, token } = await createProject(world().control, limits);
        const there = new OpenAI({ baseURL: world().baseUrl(project), apiKey: token, maxRetries: 0 });
        const targets = [{ provider: world().providerName, model: "m" }];
        await world().control.call("svc_create_endpoint", { project, slug: "only", targets });
        world().provider.play(answer("x"));
        const attempt = async () => await there.chat.completions.create({ model: "only", messages: [...hello] });
        await attempt();
        const failure: unknown = await attempt().catch((err: unknown) => err);
        expect(failure).toBeInstanceOf(RateLimitError);
        expect(Number((failure as RateLimitError).headers?.get("retry-after"))).toBeGreaterThan(0);
      });

      it("InternalServerError for a provider that fails, with retries only for retryable failures", async () => {
        const persistent = client.withOptions({ maxRetries: 1 });
        const attempt = async () => await persistent.chat.completions.create({ model: alias, messages: [...hello] });
        world().provider.play(fail(400, "no such tool"));
        await expect(attempt()).rejects.toThrow(InternalServerError);
        expect(world().provider.received).toHaveLength(1);
        let asked = 0;
        world().provider.play(async (request, res) => {
          asked += 1;
          await (asked === 1 ? fail(500) : answer("Recovered"))(request, res);
        });
        expect((await attempt()).choices[0]?.message.content).toBe("Recovered");
      });
    });
  });
}
