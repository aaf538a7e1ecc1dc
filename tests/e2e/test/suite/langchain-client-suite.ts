import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { concat } from "@langchain/core/utils/stream";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
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

const weather = tool(({ city }: { city: string }) => city, {
  name: "weather",
  description: "The weather",
  schema: z.object({ city: z.string() }),
});

/** LangChain's ChatOpenAI, configured by base URL and key only. */
export function describeLangChainClient(world: () => WrapperWorld): void {
  describe("LangChain's ChatOpenAI", () => {
    let chat: ChatOpenAI;
    const configuration = () => ({ baseURL: world().baseUrl() });
    const chatWith = (model: string) =>
      new ChatOpenAI({ model, apiKey: world().token, configuration: configuration(), maxRetries: 0 });
    beforeEach(async () => {
      chat = chatWith(await world().alias());
    });

    it("answers", async () => {
      world().provider.play(answer("Hi there"));
      const reply = await chat.invoke([new HumanMessage("Hello")]);
      expect(reply.text).toBe("Hi there");
      expect(reply.usage_metadata).toMatchObject({ input_tokens: 7, output_tokens: 3 });
    });

    it("streams", async () => {
      world().provider.play(streamWords(["Hi", " there"]));
      const chunks = await collect(await chat.stream("Hello"));
      expect(chunks.map(({ text }) => text).join("")).toBe("Hi there");
    });

    it("calls tools", async () => {
      const call = { id: "a", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };
      world().provider.play(answerMessage({ content: "", tool_calls: [call] }, "tool_calls"));
      const reply = await chat.bindTools([weather]).invoke("Hello");
      expect(reply.tool_calls).toMatchObject([{ id: "a", name: "weather", args: { city: "Oslo" } }]);
    });

    it("puts streamed tool calls together", async () => {
      const deltas = ["a", "b"].flatMap((id, index) => [
        { tool_calls: [{ index, id, type: "function", function: { name: "weather", arguments: "" } }] },
        { tool_calls: [{ index, function: { arguments: `{"city":"${id}"}` } }] },
      ]);
      world().provider.play(streamDeltas([{ role: "assistant", content: null }, ...deltas], "tool_calls"));
      const chunks = await collect(await chat.bindTools([weather]).stream("Hello"));
      const whole = chunks.reduce((sum, chunk) => concat(sum, chunk));
      expect(whole.tool_calls).toMatchObject([
        { id: "a", args: { city: "a" } },
        { id: "b", args: { city: "b" } },
      ]);
    });

    it("gets structured output", async () => {
      world().provider.play(answer('{"city":"Oslo"}'));
      const structured = chat.withStructuredOutput(z.object({ city: z.string() }), { method: "jsonSchema" });
      expect(await structured.invoke("Hello")).toEqual({ city: "Oslo" });
    });

    it("embeds", async () => {
      const embedding = Buffer.from(new Float32Array([0.5, 0.25]).buffer).toString("base64");
      const data = [{ object: "embedding", index: 0, embedding }];
      const reply = { object: "list", data, model: "m", usage: { prompt_tokens: 1, total_tokens: 1 } };
      world().provider.play(answerWith(reply));
      const client = { model: chat.model, apiKey: world().token, configuration: configuration() };
      const embeddings = new OpenAIEmbeddings(client);
      expect(await embeddings.embedQuery("Hello")).toEqual([0.5, 0.25]);
    });

    it("gets an error for a stream that breaks, and for refusals", async () => {
      world().provider.play(streamThenCut(["Hi"]));
      await expect(chat.stream("Hello").then(collect)).rejects.toThrow(/Provider call failed/);
      await expect(chatWith("nobody").invoke("Hello")).rejects.toThrow(/Endpoint 'nobody' not found or inactive\./);
    });
  });
}
