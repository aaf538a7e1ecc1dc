import { GuardrailServiceDefinition, OutputCheck, Side } from "@gatehouse/proto/guardrail";
import { bindRpc, connectLocally } from "@gatehouse/rpc";
import { afterAll, beforeAll, expect, it } from "vitest";
import { json } from "./providers/emulated-server.ts";
import { startWrapper, type WrapperHarness } from "./wrapper-harness.ts";

const secret = "ann@example.org";

/** A guardrail service that masks one address on both sides. */
const masking = connectLocally(
  bindRpc(GuardrailServiceDefinition, {
    async inspect({ texts, side }) {
      const masked = texts.map(({ text }) => text.replaceAll(secret, "[E-Mail]"));
      const found = texts.some(({ text }) => text.includes(secret));
      return await Promise.resolve({
        maskedTexts: found ? masked : [],
        outputCheck:
          side === Side.SIDE_INPUT ? OutputCheck.OUTPUT_CHECK_BEFORE_REPLY : OutputCheck.OUTPUT_CHECK_UNSPECIFIED,
      });
    },
  }),
);

let wrapper: WrapperHarness;
beforeAll(async () => {
  wrapper = await startWrapper({ guardrail: masking });
});
afterAll(async () => await wrapper.stop());

/** A whole reply, which would go on as bytes if nobody had changed it. */
const completion = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: `I am ${secret}` }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

it("what guardrails have masked goes neither to the provider nor to the caller, streamed or not", async () => {
  const model = await wrapper.alias();
  for (const stream of [false, true]) {
    for (const content of [`I am ${secret}`, [{ type: "text", text: `I am ${secret}` }]]) {
      wrapper.play(json(200, completion));
      const reply = await wrapper.post("chat/completions", { model, stream, messages: [{ role: "user", content }] });
      expect(reply.status).toBe(200);
      for (const text of [reply.text, wrapper.received[0]?.body]) {
        expect(text).toContain("[E-Mail]");
        expect(text).not.toContain(secret);
      }
    }
  }
});

it("what guardrails have masked is not embedded", async () => {
  const model = await wrapper.alias();
  const data = [{ object: "embedding", index: 0, embedding: [1] }];
  for (const input of [`I am ${secret}`, [`I am ${secret}`, "b"]]) {
    wrapper.play(json(200, { object: "list", data, model: "m", usage: { prompt_tokens: 1, total_tokens: 1 } }));
    const reply = await wrapper.post("embeddings", { model, input, x: 1 });
    expect(reply.status, reply.text).toBe(200);
    const texts = typeof input === "string" ? ["I am [E-Mail]"] : ["I am [E-Mail]", "b"];
    expect(JSON.parse(wrapper.received[0]?.body ?? "")).toEqual({ model: "m", input: texts, x: 1 });
  }
});
