import { GuardrailServiceDefinition, OutputCheck, Side } from "@gatehouse/proto/guardrail";
import { eventStream, json } from "@gatehouse/providers/testing";
import { bindRpc, connectLocally } from "@gatehouse/rpc";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWrapper, type WrapperHarness } from "./wrapper-harness.ts";

const secret = "ann@example.org";

/** A guardrail service that masks one address on both sides, and blocks whole texts with one word. */
const masking = connectLocally(
  bindRpc(GuardrailServiceDefinition, {
    consult: async () => await Promise.resolve({}),
    async inspectPiece({ state, text, isLast }) {
      const held = `${state?.held ?? ""}${text}`;
      const cut = isLast ? held.length : held.lastIndexOf(" ") + 1;
      const shown = held.slice(0, cut);
      const next = { context: "", held: held.slice(cut), isInsideKey: false };
      return await Promise.resolve({
        shown: shown.replaceAll(secret, "[E-Mail]"),
        state: next,
        masked: shown.includes(secret),
      });
    },
    async inspect({ texts, side }) {
      if (texts.some(({ text }) => text.includes("forbidden"))) {
        return { blocked: true, message: "Request blocked: forbidden.", reason: "keyword" };
      }
      const masked = texts.map(({ text }) => text.replaceAll(secret, "[E-Mail]"));
      const findings = texts.flatMap(({ text }, textIndex) =>
        [...text.matchAll(/ann@example\.org/g)].map(({ index: start }) => {
          return { detector: "pii", label: "E-Mail", textIndex, start, end: start + secret.length };
        }),
      );
      const maskedSpans = findings.map(({ textIndex, start, end }) => ({ textIndex, start, end, label: "E-Mail" }));
      const found = texts.some(({ text }) => text.includes(secret));
      return await Promise.resolve({
        maskedTexts: found ? masked : [],
        maskedSpans,
        findings,
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

/** A complete reply, which is passed on as bytes if unchanged. */
const completion = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: `I am ${secret}` }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** Reply in pieces that split the address. */
const streamed = ["I am an", "n@exam", "ple.org"]
  .map((content) => ({ delta: { content }, finish_reason: null as string | null }))
  .concat([{ delta: { content: "" }, finish_reason: "stop" }])
  .map((choice) => JSON.stringify({ id: "c", created: 1, model: "m", choices: [{ index: 0, ...choice }] }))
  .concat(["[DONE]"])
  .map((data) => `data: ${data}\n\n`);

it("masked text reaches neither the provider nor the caller, streamed or not", async () => {
  const model = await wrapper.alias();
  for (const stream of [false, true]) {
    for (const content of [`I am ${secret}`, [{ type: "text", text: `I am ${secret}` }]]) {
      wrapper.play(stream ? eventStream(streamed) : json(200, completion));
      const reply = await wrapper.post("chat/completions", { model, stream, messages: [{ role: "user", content }] });
      expect(reply.status).toBe(200);
      for (const text of [reply.text, wrapper.received[0]?.body]) {
        expect(text).toContain("[E-Mail]");
        expect(text).not.toContain(secret);
      }
    }
  }
});

it("members of an answer that are not judged show nothing of it, streamed or not", async () => {
  const model = await wrapper.alias();
  const tokens = { content: ["ann", "@example", ".org"].map((token) => ({ token, logprob: 0 })) };
  const message = {
    role: "assistant",
    content: `I am ${secret}`,
    audio: { id: "a", data: "AAAA", transcript: secret },
    annotations: [{ type: "url_citation", url_citation: { title: secret } }],
    reasoning_details: [{ type: "reasoning.text", text: secret }],
    tool_calls: [{ id: "1", index: 0, type: "function", function: { name: secret, arguments: "{}" } }],
  };
  const choice = { index: 0, finish_reason: "tool_calls", logprobs: tokens };
  for (const stream of [false, true]) {
    const chunk = { id: "c", created: 1, model: "m", choices: [{ ...choice, delta: message }], citations: [secret] };
    wrapper.play(
      stream
        ? eventStream([`data: ${JSON.stringify(chunk)}\n\n`, "data: [DONE]\n\n"])
        : json(200, { ...completion, citations: [secret], choices: [{ ...choice, message }] }),
    );
    const body = { model, stream, logprobs: true, messages: [{ role: "user", content: "a" }] };
    const reply = await wrapper.post("chat/completions", body);
    expect(reply.status).toBe(200);
    expect(reply.text).toMatch(/I am.*\[E-Mail\]/s);
    expect(reply.text).not.toMatch(/ann|@example|AAAA|details|citation/);
  }
});

it("a held stream is judged whole before any of it is sent", async () => {
  const model = await wrapper.alias({ mid_stream: "hold" });
  const held = ["I am ", secret, " and forbidden"].map((content) => ({ delta: { content } }));
  const events = held
    .map((choice) => ({ ...choice, index: 0, finish_reason: null }))
    .concat([{ delta: { content: "" }, index: 0, finish_reason: "stop" as never }])
    .map((choice) => `data: ${JSON.stringify({ id: "c", created: 1, model: "m", choices: [choice] })}\n\n`);
  wrapper.play(eventStream([...events, "data: [DONE]\n\n"]));
  const body = { model, stream: true, messages: [{ role: "user", content: "a" }] };
  const reply = await wrapper.post("chat/completions", body);
  expect(reply.status).toBe(422);
  expect(JSON.parse(reply.text)).toMatchObject({ error: "Request blocked: forbidden." });
  wrapper.play(eventStream(streamed));
  expect((await wrapper.post("chat/completions", body)).text).toMatch(/I am \[E-Mail\][^]*\[DONE\]/);
});

it("a provider's error is masked, before an answer and in a stream, and left out where it is blocked", async () => {
  const model = await wrapper.alias();
  const [first = ""] = streamed;
  const failed = (message: string) => ({ error: { message, type: "invalid_request_error" } });
  for (const [message, shown] of [
    [`No ${secret}`, ": No [E-Mail]"],
    [`forbidden ${secret}`, ""],
  ] as const) {
    const replies = [json(400, failed(message)), eventStream([first, `data: ${JSON.stringify(failed(message))}\n\n`])];
    for (const [index, reply] of replies.entries()) {
      wrapper.play(reply);
      const body = { model, stream: index === 1, messages: [{ role: "user", content: "a" }] };
      const { text } = await wrapper.post("chat/completions", body);
      expect(text).toMatch(/Provider call failed: /);
      if (shown !== "") expect(text).toContain(shown);
      expect(text).toContain('"provider_status":400');
      expect(text).not.toMatch(/ann@|forbidden/);
    }
  }
});

it("masked text is not embedded", async () => {
  const model = await wrapper.alias();
  for (const input of [`I am ${secret}`, [`I am ${secret}`, "b"]]) {
    const data = [input].flat().map((_, index) => ({ object: "embedding", index, embedding: [1] }));
    wrapper.play(json(200, { object: "list", data, model: "m", usage: { prompt_tokens: 1, total_tokens: 1 } }));
    const reply = await wrapper.post("embeddings", { model, input, x: 1 });
    expect(reply.status, reply.text).toBe(200);
    const masked = typeof input === "string" ? "I am [E-Mail]" : ["I am [E-Mail]", "b"];
    expect(JSON.parse(wrapper.received[0]?.body ?? "")).toEqual({ model: "m", input: masked, x: 1 });
  }
});

it("text is masked at every place of a request", async () => {
  const model = await wrapper.alias();
  wrapper.play(json(200, completion));
  const call = { id: secret, type: "function", function: { name: "f", arguments: JSON.stringify({ to: secret }) } };
  const body = {
    messages: [
      { role: "user", name: secret, content: [{ type: "document", data: secret }] },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: secret, content: secret },
    ],
    tools: [
      {
        type: "function",
        function: { name: "f", description: secret, parameters: { default: { [secret]: [secret] } } },
      },
    ],
    prediction: { type: "content", content: secret },
    metadata: { [secret]: secret, a: "b" },
    stop: [secret, "x"],
    user: secret,
  };
  expect((await wrapper.post("chat/completions", { model, ...body })).status).toBe(200);
  const expected = JSON.parse(JSON.stringify(body).replaceAll(secret, "[E-Mail]")) as object;
  expect(JSON.parse(wrapper.received[0]?.body ?? "")).toEqual({ model: "m", ...expected });
});

const tokens = { prompt_tokens: 1_000, completion_tokens: 2_000, total_tokens: 3_000 };
const said = { index: 0, finish_reason: "stop" };
/** An answer that the policy blocks, in pieces and whole. */
const forbidden = {
  true: eventStream([
    `data: ${JSON.stringify({ choices: [{ ...said, delta: { content: "a forbidden word" } }] })}\n\n`,
    `data: ${JSON.stringify({ choices: [], usage: tokens })}\n\n`,
    "data: [DONE]\n\n",
  ]),
  false: json(200, {
    choices: [{ ...said, message: { role: "assistant", content: "a forbidden word" } }],
    usage: tokens,
  }),
};

it.each([true, false])("a blocked answer is billed as the provider counts it (streamed: %s)", async (stream) => {
  const model = await wrapper.alias({
    mid_stream: "hold",
    targets: [
      {
        provider: await wrapper.provider("openai-compatible", `${wrapper.upstreamUrl}/v1`),
        model: "m",
        input_price_per_million: 1,
        output_price_per_million: 10,
      },
    ],
  });
  wrapper.play(forbidden[`${stream}`]);
  const reply = await wrapper.post("chat/completions", { model, stream, messages: [{ role: "user", content: "a" }] });
  expect(reply.status).toBe(422);
  const usage = async () => {
    const { endpoints } = await wrapper.admin.call<{ endpoints: readonly { slug: string }[] }>("svc_get_usage", {
      project: wrapper.projectUuid,
    });
    return endpoints.find(({ slug }) => slug === model);
  };
  await expect.poll(usage).toMatchObject({ prompt_tokens: 1_000, completion_tokens: 2_000, cost_usd: 0.021 });
});
