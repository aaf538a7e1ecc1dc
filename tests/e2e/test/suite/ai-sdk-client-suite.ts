import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, embedMany, generateText, Output, streamText, tool, type ToolSet } from "ai";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { collect } from "../../src/collect.ts";
import {
  answer,
  answerMessage,
  answerWith,
  streamDeltas,
  streamThenCut,
  streamWords,
} from "../../src/scripted-provider.ts";
import type { WrapperWorld } from "./wrapper-world.ts";

const tools: ToolSet = {
  weather: tool({ description: "The weather", inputSchema: z.object({ city: z.string() }) }) as ToolSet[string],
};

/** The AI SDK's provider for OpenAI-compatible servers, configured by base URL and key only. */
export function describeAiSdkClient(world: () => WrapperWorld): void {
  describe("the AI SDK", () => {
    let alias: string;
    const provider = () =>
      createOpenAICompatible({
        name: "gateway",
        baseURL: world().baseUrl(),
        apiKey: world().token,
        includeUsage: true,
        supportsStructuredOutputs: true,
      });
    beforeEach(async () => {
      alias = await world().alias();
    });

    it("generates text", async () => {
      world().provider.play(answer("Hi there"));
      const { text, usage, finishReason } = await generateText({ model: provider()(alias), prompt: "Hello" });
      expect({ text, finishReason }).toEqual({ text: "Hi there", finishReason: "stop" });
      expect(usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
    });

    it("streams text, with token counts", async () => {
      world().provider.play(streamWords(["Hi", " there"]));
      const result = streamText({ model: provider()(alias), prompt: "Hello" });
      expect((await collect(result.textStream)).join("")).toBe("Hi there");
      expect(await result.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
    });

    it("streams tool calls", async () => {
      const deltas = ["a", "b"].flatMap((id, index) => [
        { tool_calls: [{ index, id, type: "function", function: { name: "weather", arguments: "" } }] },
        { tool_calls: [{ index, function: { arguments: `{"city":"${id}"}` } }] },
      ]);
      world().provider.play(streamDeltas([{ role: "assistant", content: null }, ...deltas], "tool_calls"));
      const result = streamText({ model: provider()(alias), prompt: "Hello", tools });
      const toolCalls = await result.toolCalls;
      expect(toolCalls.map(({ toolCallId, input }) => [toolCallId, input])).toEqual([
        ["a", { city: "a" }],
        ["b", { city: "b" }],
      ]);
    });

    it("gets tool calls whole", async () => {
      const call = { id: "a", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };
      world().provider.play(answerMessage({ content: null, tool_calls: [call] }, "tool_calls"));
      const { toolCalls } = await generateText({ model: provider()(alias), prompt: "Hello", tools });
      expect(toolCalls[0]).toMatchObject({ toolName: "weather", input: { city: "Oslo" } });
    });

    it("generates objects", async () => {
      world().provider.play(answer('{"city":"Oslo"}'));
      const schema = z.object({ city: z.string() });
      const { output } = await generateText({
        model: provider()(alias),
        prompt: "Hello",
        output: Output.object({ schema }),
      });
      expect(output).toEqual({ city: "Oslo" });
      expect(world().provider.received[0]?.body).toMatchObject({ response_format: { type: "json_schema" } });
    });

    it("embeds", async () => {
      const data = [0, 1].map((index) => ({ object: "embedding", index, embedding: [index, 0.5] }));
      const usage = { prompt_tokens: 2, total_tokens: 2 };
      world().provider.play(answerWith({ object: "list", data, model: "m", usage }));
      const { embeddings } = await embedMany({ model: provider().embeddingModel(alias), values: ["a", "b"] });
      expect(embeddings).toEqual([
        [0, 0.5],
        [1, 0.5],
      ]);
    });

    it("gets an error for a stream that breaks", async () => {
      world().provider.play(streamThenCut(["Hi"]));
      const errors: unknown[] = [];
      const result = streamText({
        model: provider()(alias),
        prompt: "Hello",
        onError: ({ error }) => void errors.push(error),
      });
      await result.consumeStream();
      expect(errors).toHaveLength(1);
    });

    it("gets the status and the text of a refusal", async () => {
      const failure: unknown = await generateText({ model: provider()("nobody"), prompt: "x", maxRetries: 0 }).catch(
        (err: unknown) => err,
      );
      expect(APICallError.isInstance(failure)).toBe(true);
      expect(failure).toMatchObject({
        statusCode: 404,
        responseBody: expect.stringContaining("not found or inactive"),
      });
    });
  });
}
