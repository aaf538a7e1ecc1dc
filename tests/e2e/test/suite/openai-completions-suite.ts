import OpenAI, { BadRequestError, NotFoundError } from "openai";
import { beforeEach, describe, expect, it } from "vitest";
import { collect } from "../../src/collect.ts";
import { answer, scriptedUsage, streamThenCut, streamWords } from "../../src/scripted-provider.ts";
import type { WrapperWorld } from "./wrapper-world.ts";

/** OpenAI's legacy completions, and single models, with its official client. */
export function describeOpenAiCompletions(world: () => WrapperWorld): void {
  describe("the official openai package", () => {
    let client: OpenAI;
    let alias: string;
    beforeEach(async () => {
      client = new OpenAI({ baseURL: world().baseUrl(), apiKey: world().token, maxRetries: 0 });
      alias = await world().alias();
    });

    it("gets a text completion of a chat model", async () => {
      world().provider.play(answer("Hi there"));
      const reply = await client.completions.create({ model: alias, prompt: "Say hi", max_tokens: 7 });
      expect(reply).toMatchObject({ object: "text_completion", model: "m", usage: scriptedUsage });
      expect(reply.choices).toEqual([{ text: "Hi there", index: 0, logprobs: null, finish_reason: "stop" }]);
      const messages = [{ role: "user", content: "Say hi" }];
      expect(world().provider.received[0]).toMatchObject({
        path: "/v1/chat/completions",
        body: { model: "m", messages, max_tokens: 7 },
      });
    });

    it("streams a text completion, with the token counts when it asks for them", async () => {
      world().provider.play(streamWords(["Hi", " there"]));
      const stream_options = { include_usage: true };
      const stream = await client.completions.create({ model: alias, prompt: "x", stream: true, stream_options });
      const chunks = await collect(stream);
      expect(chunks.map(({ choices }) => choices[0]?.text ?? "").join("")).toBe("Hi there");
      expect(chunks.map(({ object }) => object)).toEqual(chunks.map(() => "text_completion"));
      expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: scriptedUsage });
    });

    it("gets a text completion as a short stream where the answer must be complete, and an error for one that breaks", async () => {
      const held = await world().alias({ streaming_enabled: false });
      world().provider.play(answer("Hi there"));
      const chunks = await collect(await client.completions.create({ model: held, prompt: "x", stream: true }));
      expect(chunks.map(({ choices }) => choices[0]?.text ?? "").join("")).toBe("Hi there");
      world().provider.play(streamThenCut(["Hi", " there"]));
      const broken = await client.completions.create({ model: alias, prompt: "x", stream: true });
      await expect(collect(broken)).rejects.toMatchObject({ code: "provider_failed" });
    });

    it("raises BadRequestError for parameters of older models", async () => {
      const request = { model: alias, prompt: "x", echo: true };
      await expect(client.completions.create(request)).rejects.toThrow(BadRequestError);
    });

    it("retrieves a model by its alias, and raises NotFoundError for one that is not there", async () => {
      expect(await client.models.retrieve(alias)).toEqual({
        id: alias,
        object: "model",
        created: expect.any(Number),
        owned_by: "gatehouse",
      });
      for (const name of ["nobody", "Not/A Slug"]) {
        await expect(client.models.retrieve(name)).rejects.toThrow(NotFoundError);
      }
    });
  });
}
