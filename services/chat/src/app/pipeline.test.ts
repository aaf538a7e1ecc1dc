import { LightAbort } from "@gatehouse/async";
import { GatewayError } from "@gatehouse/errors";
import { countTurns } from "@gatehouse/pace/testing";
import type { TokenPrincipal } from "@gatehouse/principal";
import { untraced } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import type { CallInput, Outcome } from "./call.ts";
import { type JudgeError, type ListedStep, type Pipeline, runPipeline, type Step, StepList } from "./pipeline.ts";
import { createBodyStep } from "./steps/body.ts";
import { createEndpointStep } from "./steps/endpoint.ts";
import { createPromptStep } from "./steps/prompt.ts";

const principal: TokenPrincipal = {
  kind: "token",
  tokenId: 1,
  tokenName: "t",
  environment: "live",
  scopes: ["chat"],
  rateLimits: { perMinute: null, perHour: null },
  project: {
    id: 1,
    uuid: "00000000-0000-4000-8000-000000000000",
    name: "p",
    projectType: "ai_gateway",
    rateLimits: { perMinute: null, perHour: null },
  },
};

function input(): CallInput {
  return {
    surface: "chat.direct",
    requestId: "r",
    ipAddress: "192.0.2.1",
    principal,
    span: untraced.start("test", { kind: "server" }),
    abort: new LightAbort(),
    countTexts: async () => await Promise.reject(new Error("not counted")),
    read: async () => ({ slug: "s", messages: [], stream: false, sessionId: undefined, variables: {}, asSent: {} }),
  };
}

/** Steps that record when they are entered and left. */
function recorder() {
  const events: string[] = [];
  const step = (name: string, enter: Step["enter"] = () => undefined): Step => ({
    name,
    enter(call) {
      events.push(`enter ${name}`);
      return enter(call);
    },
    leave: (_call, outcome: Outcome) => void events.push(`leave ${name}: ${outcome.kind}`),
  });
  return { events, step };
}

function pipelineOf(...steps: readonly ListedStep[]): Pipeline {
  return { steps, judgeError: unchanged };
}

const unchanged: JudgeError = async (_call, error) => await Promise.resolve(error);

const refusal = new GatewayError("rate_limited", "Rate limit exceeded.");

test("a refusal stops later steps, and entered ones are left in reverse", async () => {
  const { events, step } = recorder();
  const result = await runPipeline(
    pipelineOf(
      step("one"),
      step("two", () => refusal),
      step("three"),
    ),
    input(),
  );
  expect(result).toMatchObject({ kind: "refused", error: refusal });
  expect(events).toEqual(["enter one", "enter two", "leave two: failed", "leave one: failed"]);
});

test("an error that a step throws refuses the call; an unrecognised one is opaque", async () => {
  const { step } = recorder();
  const thrown = await runPipeline(pipelineOf(step("one", async () => await Promise.reject(refusal))), input());
  expect(thrown).toMatchObject({ kind: "refused", error: refusal });
  const defect = await runPipeline(pipelineOf(step("one", () => { throw new TypeError("secret detail"); })), input()); // prettier-ignore
  expect(defect).toMatchObject({ kind: "refused", error: { code: "internal", message: "Unexpected error." } });
});

test("steps are left only when the reply has been sent", async () => {
  const { events, step } = recorder();
  const reply = { kind: "complete" as const, completion: { id: "i", model: "m", created: 1, choices: [] } };
  const replying = step("provider", (call) => {
    call.reply = reply;
    return undefined;
  });
  const result = await runPipeline(pipelineOf(step("one"), replying), input());
  expect(events).toEqual(["enter one", "enter provider"]);
  if (result.kind !== "replying") throw new Error("The call was refused.");
  await result.running.finish({ kind: "abandoned" });
  expect(events.slice(2)).toEqual(["leave provider: abandoned", "leave one: abandoned"]);
});

test("a call finishes synchronously up to its first asynchronous step", async () => {
  const { events, step } = recorder();
  const replying = step("provider", (call) => {
    call.reply = { kind: "complete", completion: { id: "i", model: "m", created: 1, choices: [] } };
    return undefined;
  });
  const quick = await runPipeline(pipelineOf(step("one"), replying), input());
  if (quick.kind !== "replying") throw new Error("The call was refused.");
  expect(quick.running.finish({ kind: "answered" })).toBeUndefined();
  expect(events.slice(-2)).toEqual(["leave provider: answered", "leave one: answered"]);

  const gate = Promise.withResolvers<void>();
  const slow: Step = { name: "slow", enter: () => undefined, leave: async () => await gate.promise };
  const waiting = await runPipeline(pipelineOf(step("one"), slow, replying), input());
  if (waiting.kind !== "replying") throw new Error("The call was refused.");
  events.length = 0;
  const finished = waiting.running.finish({ kind: "answered" });
  expect(events).toEqual(["leave provider: answered"]);
  gate.resolve();
  expect(await finished).toBeUndefined();
  expect(events).toEqual(["leave provider: answered", "leave one: answered"]);
});

test("a step that cannot finish makes an answered call fail, and the steps before it are notified", async () => {
  const { events, step } = recorder();
  const reply = { kind: "complete" as const, completion: { id: "i", model: "m", created: 1, choices: [] } };
  const unfinished: Step = {
    name: "session",
    enter(call) {
      call.reply = reply;
      return undefined;
    },
    leave: async () => await Promise.reject(new GatewayError("unavailable", "The database is not available.")),
  };
  const result = await runPipeline(pipelineOf(step("one"), unfinished), input());
  if (result.kind !== "replying") throw new Error("The call was refused.");
  expect(await result.running.finish({ kind: "answered" })).toMatchObject({ code: "unavailable" });
  expect(events).toEqual(["enter one", "leave one: failed"]);
});

test("other requests run between the steps of a call with a large body", async () => {
  const turnsOf = async (bodyBytes: number) => {
    const counted = countTurns();
    const body: Step = {
      name: "body",
      enter: (call) => {
        call.request = {
          slug: "s",
          messages: [],
          stream: false,
          sessionId: undefined,
          variables: {},
          asSent: {},
          bodyBytes,
        };
        call.reply = { kind: "complete", completion: { id: "i", model: "m", created: 1, choices: [] } };
        return undefined;
      },
    };
    const steps = [body, ...["a", "b", "c"].map((name): Step => ({ name, enter: () => undefined }))];
    await runPipeline(pipelineOf(...steps), input());
    counted.stop();
    return counted.turns;
  };
  expect(await turnsOf(1_000)).toBe(0);
  expect(await turnsOf(1_000_000)).toBeGreaterThanOrEqual(4);
});

test("a list of steps compiles only in an order in which each finds what it needs", () => {
  const read = StepList.empty.add(createBodyStep());
  const admitted = read.add(createEndpointStep(() => undefined));
  admitted.add(createPromptStep());
  // @ts-expect-error The endpoint is named by the body, which has not been read.
  StepList.empty.add(createEndpointStep(() => undefined));
  // @ts-expect-error The prompt is the endpoint's, which is not known.
  read.add(createPromptStep());
  // @ts-expect-error No step answers.
  expect(admitted.toPipeline(unchanged).steps.map(({ name }) => name)).toEqual(["body", "endpoint"]);
});

test("members that a step adds are available to later steps", async () => {
  const seen: unknown[] = [];
  const last: Step = { name: "last", enter: ({ request }) => void seen.push(request?.slug) };
  await runPipeline(pipelineOf(...StepList.empty.add(createBodyStep()).add(last).steps), input());
  expect(seen).toEqual(["s"]);
});
