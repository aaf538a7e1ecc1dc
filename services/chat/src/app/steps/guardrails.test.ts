import { LightAbort } from "@gatehouse/async";
import { knownPlaceholders } from "@gatehouse/content";
import { contentOf } from "@gatehouse/dialects";
import { GatewayError } from "@gatehouse/errors";
import { toCallError } from "@gatehouse/failover";
import {
  type GuardrailAnswer,
  type GuardrailQuestion,
  type Judgement,
  type PieceAnswer,
  type PieceQuestion,
  type Side,
} from "@gatehouse/guardrail-client";
import { PlaceholderValues } from "@gatehouse/placeholders";
import { type ChatMessage, ProviderError } from "@gatehouse/providers";
import { untraced } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import type { Answered } from "../call.ts";
import { createErrorJudge } from "../judge-error.ts";
import type { Step } from "../pipeline.ts";
import { createBesideGuardrailsStep } from "./beside-guardrails.ts";
import { createGuardrailsStep } from "./guardrails.ts";
import { createOutputGuardrailsStep } from "./output-guardrails.ts";
import { createRestoreStep } from "./restore.ts";

const judged: Judgement = {
  kind: "judged",
  failsOpen: false,
  block: undefined,
  findings: [],
  maskedTexts: undefined,
  maskedSpans: [],
  outputCheck: "none",
  placeholders: [],
};

const unreachable = { kind: "unavailable", mayPass: false, cause: new Error("away") } as const;

/** Texts of short requests, which are available synchronously. */
function given(texts: ReturnType<GuardrailQuestion["texts"]>) {
  if (texts instanceof Promise) throw new TypeError("The texts come late.");
  return texts;
}

function setup(answer: GuardrailAnswer | GatewayError, later = false) {
  const asked: [Side, readonly string[]][] = [];
  const recorded: unknown[][] = [];
  const questions: GuardrailQuestion[] = [];
  const options = {
    client: {
      inspect(question: GuardrailQuestion) {
        const { side, texts, abort } = question;
        questions.push(question);
        if (abort.aborted) throw new GatewayError("cancelled", "The call was cancelled.");
        asked.push([side, given(texts()).map(({ text }) => text)]);
        if (answer instanceof GatewayError) throw answer;
        return later ? Promise.resolve(answer) : answer;
      },
      async inspectPiece({ text }: PieceQuestion): Promise<PieceAnswer> {
        if (answer instanceof GatewayError) throw answer;
        if (answer.kind !== "judged") return await Promise.resolve({ ...unreachable });
        const { block, findings } = answer;
        return await Promise.resolve({
          kind: "judged",
          shown: text,
          state: undefined,
          block,
          findings,
          isMasked: false,
        });
      },
    },
    record: {
      blocked: async (_event: unknown, { detector }: { readonly detector: string }) => {
        recorded.push(["blocked", detector]);
        return await Promise.resolve();
      },
      masked: () => recorded.push(["masked"]),
      observed: () => recorded.push(["observed"]),
      unavailable: (_event: unknown, passed: boolean) => recorded.push(["unavailable", passed]),
    },
  };
  return {
    input: createGuardrailsStep(options),
    output: createOutputGuardrailsStep(options),
    judgeError: createErrorJudge(options),
    asked,
    questions,
    recorded,
  };
}

function createCall(settings: Partial<Answered> = {}): Answered {
  return {
    requestId: "r",
    span: untraced.start("call", { kind: "server" }),
    abort: new LightAbort(),
    request: { slug: "s", messages: [{ role: "user", content: "secret" }], stream: true, variables: {}, asSent: {} },
    compiled: { endpoint: { uuid: "e", projectUuid: "p" }, targets: [], mayStream: true },
    principal: { tokenId: 1 },
    surface: "chat.direct",
    history: [],
    outputCheck: "none",
    answeredBy: { target: { provider: "mock", model: "m" } },
    ...settings,
  } as unknown as Answered;
}

function completed(content: string) {
  return said({ role: "assistant", content });
}

function said(message: ChatMessage) {
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return { kind: "complete", completion: { id: "i", model: "m", created: 1, choices } } as const;
}

const enter = async (step: Step<Answered>, call: Answered) => await step.enter(call);
const leave = async (step: Step<Answered>, call: Answered) => await step.leave?.(call, { kind: "answered" });

test.each([false, true])("a block refuses the call, and is recorded (answered later: %s)", async (later) => {
  const block = { detector: "pii", message: "Request blocked: E-Mail detected in input." };
  const { input, asked, recorded } = setup({ ...judged, block }, later);
  const error = await enter(input, createCall());
  expect([error?.code, error?.message]).toEqual(["guardrail_blocked", block.message]);
  expect(asked).toEqual([["input", ["secret"]]]);
  expect(recorded).toEqual([["blocked", "pii"]]);
});

test("tool arguments that are objects are judged as a whole as well", async () => {
  const content = [{ type: "tool_use", name: "send", input: { to: "a" } }];
  const { input, questions } = setup(judged);
  const call = createCall();
  call.request = { ...call.request, messages: [{ role: "assistant", content }] };
  await enter(input, call);
  const documents = await questions[0]?.documents?.();
  expect(documents).toEqual([{ role: "assistant", text: '{"to":"a"}', tool: "send" }]);
});

test("masked texts replace the request's", async () => {
  const { input, recorded } = setup({ ...judged, maskedTexts: ["[X]"] });
  const call = createCall();
  expect(await enter(input, call)).toBeUndefined();
  expect(call.request?.messages).toEqual([{ role: "user", content: "[X]" }]);
  expect(recorded).toEqual([["masked"]]);
});

test("an answer may be streamed, whether the policy blocks or only records", async () => {
  const held = createCall();
  await enter(setup({ ...judged, outputCheck: "before_reply" }).input, held);
  expect([held.compiled?.mayStream, held.outputCheck]).toEqual([true, "before_reply"]);
  const watched = createCall();
  await enter(setup({ ...judged, outputCheck: "after_reply" }).input, watched);
  expect([watched.compiled?.mayStream, watched.outputCheck]).toEqual([true, "after_reply"]);
});

test("with unreachable guardrails, calls get 503 or pass, as the cached policy says", async () => {
  const closed = setup({ kind: "unavailable", mayPass: false, cause: new Error("away") });
  const error = await enter(closed.input, createCall());
  expect([error?.code, error?.retryAfterSeconds]).toEqual(["unavailable", 1]);
  const open = setup({ kind: "unavailable", mayPass: true, cause: new Error("away") });
  expect(await enter(open.input, createCall())).toBeUndefined();
  expect([...closed.recorded, ...open.recorded]).toEqual([
    ["unavailable", false],
    ["unavailable", true],
  ]);
});

test("masks stay and the outage is recorded when calls pass without an external guardrail", async () => {
  const { input, recorded } = setup({ ...judged, maskedTexts: ["[X]"], unasked: new Error("away") });
  const call = createCall();
  expect(await enter(input, call)).toBeUndefined();
  expect(call.request?.messages).toEqual([{ role: "user", content: "[X]" }]);
  expect(recorded).toEqual([["unavailable", true], ["masked"]]);
});

test("without a policy nothing is recorded, and the answer is not judged", async () => {
  const { input, output, asked, recorded } = setup({ kind: "no_policy" });
  const call = createCall({ reply: completed("text") });
  await enter(input, call);
  await enter(output, call);
  await leave(output, call);
  expect([asked.length, recorded]).toEqual([1, []]);
});

test("an answer is blocked or masked before it is sent", async () => {
  const block = { detector: "keyword", message: "Request blocked: keyword 'x' detected in output." };
  const blocking = setup({ ...judged, block });
  const refused = await enter(blocking.output, createCall({ outputCheck: "before_reply", reply: completed("x") }));
  expect(refused?.message).toBe(block.message);
  expect(blocking.asked).toEqual([["output", ["x"]]]);
  const masked = createCall({ outputCheck: "before_reply", reply: completed("x") });
  await enter(setup({ ...judged, maskedTexts: ["[X]"] }).output, masked);
  expect(masked.reply).toEqual(completed("[X]"));
});

/** A stream of one batch. */
function streamOf(content: string) {
  const chunk = { id: "i", model: "m", created: 1, choices: [{ index: 0, delta: { content }, finish_reason: null }] };
  async function* batches() {
    yield await Promise.resolve([chunk]);
  }
  return { kind: "stream", stream: { batches: batches() } } as const;
}

async function readAll(call: Answered): Promise<string> {
  let text = "";
  if (call.reply?.kind !== "stream") return text;
  for await (const batch of call.reply.stream.batches) {
    for (const { choices } of batch) text += choices.map(({ delta }) => delta.content ?? "").join("");
  }
  return text;
}

test("a stream that may be blocked is judged as it passes", async () => {
  const findings = [{ detector: "pii", score: undefined, isHit: true }];
  const passing = setup({ ...judged, findings });
  const call = createCall({ outputCheck: "before_reply", reply: streamOf("all is well") });
  expect(await enter(passing.output, call)).toBeUndefined();
  expect(await readAll(call)).toBe("all is well");
  expect(passing.recorded).toEqual([["observed"]]);
});

test("a block before anything was sent refuses the call with the guardrails' error, and is recorded", async () => {
  const blocking = setup({ ...judged, block: { detector: "keyword", message: "Request blocked." } });
  const call = createCall({ outputCheck: "before_reply", reply: streamOf("the falcon flies") });
  expect(await enter(blocking.output, call)).toMatchObject({ code: "guardrail_blocked", message: "Request blocked." });
  expect(blocking.recorded).toEqual([["blocked", "keyword"]]);
});

test("a stream does not start once its guardrails are unreachable", async () => {
  const away = setup(unreachable);
  const call = createCall({ outputCheck: "before_reply", reply: streamOf("the falcon flies") });
  expect(await enter(away.output, call)).toMatchObject({ code: "unavailable" });
  expect(away.recorded).toEqual([["unavailable", false]]);
});

test("under a policy that only records, the answer is judged after the reply, and a failure to judge does not fail the call", async () => {
  const findings = [{ detector: "pii", score: undefined, isHit: true }];
  const stream = { kind: "stream", stream: {} } as unknown as NonNullable<Answered["reply"]>;
  const watching = setup({ ...judged, findings });
  const call = createCall({ outputCheck: "after_reply", reply: stream, answer: "what was said" });
  expect(await enter(watching.output, call)).toBeUndefined();
  expect(watching.asked).toEqual([]);
  call.abort.abort();
  await leave(watching.output, call);
  expect([watching.asked, watching.recorded]).toEqual([[["output", ["what was said"]]], [["observed"]]]);
  const failing = setup(new GatewayError("internal", "Unexpected error."));
  await leave(failing.output, createCall({ outputCheck: "after_reply", reply: completed("x") }));
  expect(failing.recorded).toEqual([["unavailable", true]]);
});

const refusedBeside = { detector: "external", message: "Request blocked: guardrail 'own'." };

test("a block by a guardrail in parallel with the model aborts the provider's work and refuses the call", async () => {
  const asked = Promise.withResolvers<GuardrailAnswer>();
  const { input, recorded } = setup({ ...judged, askBeside: async () => await asked.promise });
  const call = createCall();
  expect(await enter(input, call)).toBeUndefined();
  expect(call.abort.signal.aborted).toBe(false);
  asked.resolve({ ...judged, block: refusedBeside });
  const refusal = await enter(createBesideGuardrailsStep(), call);
  expect([refusal?.code, refusal?.message]).toEqual(["guardrail_blocked", refusedBeside.message]);
  expect([call.abort.signal.reason, recorded]).toEqual([refusal, [["blocked", "external"]]]);
});

test("an answer waits for the guardrails in parallel with the model, which may admit or fail it", async () => {
  const passes = createCall();
  await enter(setup({ ...judged, askBeside: async () => await Promise.resolve(judged) }).input, passes);
  expect(await enter(createBesideGuardrailsStep(), passes)).toBeUndefined();
  expect(passes.abort.signal.aborted).toBe(false);
  const fails = createCall();
  await enter(setup({ ...judged, askBeside: async () => await Promise.resolve(unreachable) }).input, fails);
  expect(await enter(createBesideGuardrailsStep(), fails)).toMatchObject({ code: "unavailable" });
  const breaks = createCall();
  await enter(setup({ ...judged, askBeside: async () => await Promise.reject(new Error("x")) }).input, breaks);
  expect(await enter(createBesideGuardrailsStep(), breaks)).toMatchObject({ code: "internal" });
});

function wholeStreamOf(...contents: readonly string[]) {
  return wholeStreamOfDeltas(...contents.map((content) => ({ content })));
}

function wholeStreamOfDeltas(...deltas: readonly object[]) {
  const chunk = (delta: object, reason: string | null = null) => [
    { id: "i", model: "m", created: 1, choices: [{ index: 0, delta, finish_reason: reason }] },
  ];
  const state = { isLeft: false };
  async function* batches() {
    try {
      for (const delta of deltas) yield await Promise.resolve(chunk(delta));
      yield chunk({}, "stop");
    } finally {
      state.isLeft = true;
    }
  }
  return { reply: { kind: "stream", stream: { batches: batches() } } as unknown as Answered["reply"], state };
}

async function contentsOf(call: Answered): Promise<readonly unknown[]> {
  const shown: unknown[] = [];
  if (call.reply.kind !== "stream") return shown;
  for await (const batch of call.reply.stream.batches) {
    for (const { choices } of batch) for (const { delta } of choices) shown.push(delta.content);
  }
  return shown;
}

test("a held stream is judged as one text, and its masked text is sent with the first chunk", async () => {
  const { output, asked } = setup({ ...judged, maskedTexts: ["[X] there"] });
  const call = createCall({ outputCheck: "whole", reply: wholeStreamOf("sec", "ret", " there").reply });
  expect(await enter(output, call)).toBeUndefined();
  expect(asked).toEqual([["output", ["secret there"]]]);
  expect(await contentsOf(call)).toEqual(["[X] there", "", "", undefined]);
});

test("a block of a held stream is an ordinary refusal, since none of it was sent", async () => {
  const { output } = setup({ ...judged, block: refusedBeside });
  const { reply, state } = wholeStreamOf("sec", "ret");
  const refusal = await enter(output, createCall({ outputCheck: "whole", reply }));
  expect([refusal?.code, state.isLeft]).toEqual(["guardrail_blocked", true]);
});

/** A provider's failure whose message quotes the prompt. */
function providerFailed(): GatewayError {
  const said = new ProviderError("status", "p answered 400: secret", { status: 400, loggedMessage: "p answered 400" });
  return toCallError(said, 2);
}

const withheld = "Provider call failed: p answered 400";

test.each([
  ["masked", { ...judged, maskedTexts: ["Provider call failed: [X]"] }, "Provider call failed: [X]", "masked"],
  ["left out where they are blocked", { ...judged, block: refusedBeside }, withheld, "blocked"],
  ["left out where they cannot be judged", unreachable, withheld, "unavailable"],
  ["left out where judging fails", new GatewayError("internal", "x"), withheld, "unavailable"],
  ["kept where nothing is found", judged, `${withheld}: secret`, undefined],
])("a provider's words in an error are %s", async (_how, answer, message, action) => {
  for (const outputCheck of ["before_reply", "whole"] as const) {
    const { judgeError, asked, recorded } = setup(answer);
    const abort = new LightAbort();
    abort.abort();
    const error = await judgeError(createCall({ outputCheck, abort }), providerFailed());
    expect(error).toMatchObject({ code: "provider_failed", message, loggedMessage: withheld, retryAfterSeconds: 2 });
    expect(error.details).toEqual({ provider_status: 400 });
    expect(asked).toEqual([["output", [`${withheld}: secret`]]]);
    expect(recorded.map(([name]) => name)).toEqual(action === undefined ? [] : [action]);
  }
});

test("errors without a provider's words, and those under a policy that only records, are not judged", async () => {
  const { judgeError, asked } = setup({ ...judged, maskedTexts: ["[X]"] });
  const quoting = providerFailed();
  expect(await judgeError(createCall({ outputCheck: "after_reply" }), quoting)).toBe(quoting);
  const refusal = new GatewayError("rate_limited", "Rate limit exceeded.");
  expect(await judgeError(createCall({ outputCheck: "before_reply" }), refusal)).toBe(refusal);
  expect(asked).toEqual([]);
});

const placeholders = [{ label: "E-Mail 1", value: 'a"b@example.com' }];

test("values of placeholders are restored in the answer, and not in the session", async () => {
  const call = createCall({ reply: completed("Ask [e-mail 1] or [E-Mail 2].") });
  await enter(setup({ ...judged, placeholders }).input, call);
  await enter(createRestoreStep(), call);
  expect(call.reply).toEqual(completed('Ask a"b@example.com or [E-Mail 2].'));
  expect(call.maskedAnswer).toBe("Ask [e-mail 1] or [E-Mail 2].");
  expect(call.placeholders?.hide('Ask a"b@example.com.')).toBe("Ask [E-Mail 1].");
});

test("values are restored for any cut of a stream, and escaped in JSON", async () => {
  const text = "to [E-Mail 1], [draft] x[0] [E-Mail 1";
  for (let cut = 1; cut < text.length; cut += 1) {
    const call = createCall({ ...wholeStreamOf(text.slice(0, cut), text.slice(cut)) });
    await enter(setup({ ...judged, placeholders }).input, call);
    await enter(createRestoreStep(), call);
    const shown = (await contentsOf(call)).filter((content) => typeof content === "string").join("");
    expect(shown).toBe('to a"b@example.com, [draft] x[0] [E-Mail 1');
    expect(call.maskedAnswer).toBe(text);
  }
});

test.each(["none", "before_reply", "whole"] as const)(
  "a refusal is judged and restored as the end of the content, whole and streamed (output check: %s)",
  async (outputCheck) => {
    const message = { role: "assistant", content: "Ask [E-Mail 1", refusal: "] and be sure" };
    const deltas = [
      { content: "Ask [E-Mail" },
      { content: " 1", refusal: "] and" },
      { content: null, refusal: " be sure" },
    ];
    for (const reply of [said(message), wholeStreamOfDeltas(...deltas).reply]) {
      const { input, output, asked } = setup({ ...judged, placeholders, outputCheck });
      const call = createCall({ reply });
      await enter(input, call);
      await enter(output, call);
      await enter(createRestoreStep(), call);
      const { reply: shown } = call;
      const text = shown.kind === "complete" ? contentOf(shown.completion) : (await contentsOf(call)).join("");
      expect([text, call.maskedAnswer]).toEqual(['Ask a"b@example.com and be sure', "Ask [E-Mail 1] and be sure"]);
      const texts = asked.filter(([side]) => side === "output").flatMap(([, of]) => of);
      expect(texts).toEqual(
        outputCheck === "none" || (shown.kind === "stream" && outputCheck !== "whole") ? [] : [call.maskedAnswer],
      );
    }
  },
);

test("a refusal stays a text of its own where the surface has a member for it", async () => {
  const { output, asked } = setup(judged);
  const reply = said({ role: "assistant", content: "No.", refusal: "Never." });
  await enter(output, createCall({ reply, outputCheck: "before_reply", surface: "wrapper.chat" }));
  expect(asked).toEqual([["output", ["No.", "Never."]]]);
});

test("a JSON answer stays JSON, complete or as a stream with any cut", async () => {
  const text = ' {"to":"[E-Mail 1]", "or":[[E-Mail 1]]}';
  const whole = createCall({ reply: completed(text) });
  await enter(setup({ ...judged, placeholders }).input, whole);
  await enter(createRestoreStep(), whole);
  expect(whole.reply).toEqual(completed(' {"to":"a\\"b@example.com", "or":["a\\"b@example.com"]}'));
  for (let cut = 1; cut < text.length; cut += 1) {
    const call = createCall({ ...wholeStreamOf(text.slice(0, cut), text.slice(cut)) });
    await enter(setup({ ...judged, placeholders }).input, call);
    await enter(createRestoreStep(), call);
    const shown = (await contentsOf(call)).filter((content) => typeof content === "string").join("");
    expect(JSON.parse(shown)).toEqual({ to: 'a"b@example.com', or: ['a"b@example.com'] });
  }
});

test("numbers of a session's placeholders are reserved", () => {
  const history = [{ role: "user", content: "I am [E-Mail 3] and [E-Mail 3], not [x]." }];
  const known = knownPlaceholders({ history, placeholders: [] });
  expect(known).toEqual([{ label: "E-Mail 3", value: "" }]);
  expect(new PlaceholderValues(known).isEmpty).toBe(true);
});
