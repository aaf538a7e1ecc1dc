import { isGatewayError } from "@gatehouse/errors";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import type { GuardrailAnswer, Judgement } from "./guardrail-client.ts";
import { createGuardrailRecord, recordAnswer } from "./guardrail-record.ts";

const judged: Judgement = {
  kind: "judged",
  block: undefined,
  findings: [],
  maskedTexts: undefined,
  maskedSpans: [],
  outputCheck: "none",
  failsOpen: false,
  placeholders: [],
};
const pii = { detector: "pii", score: undefined, isHit: true };

function setup() {
  const acts: unknown[] = [];
  const record = createGuardrailRecord<string>({
    log: createSilentTelemetry().log,
    judged: "a call",
    fieldsOf: (id) => ({ id }),
    onBlocked: async (id, block) => await Promise.resolve(void acts.push(["audit", id, block.detector])),
    counters: {
      act: (id, action, detectors) => void (detectors.length > 0 && acts.push([action, id, ...detectors])),
      outage: (passed) => void acts.push(["outage", passed]),
    },
  });
  return { acts, record };
}

test("an answer that may pass is returned and recorded once", async () => {
  const { acts, record } = setup();
  const observed = { ...judged, findings: [pii] };
  const masked = { ...observed, maskedTexts: ["***"], unasked: new Error("away") };
  expect(recordAnswer({ kind: "no_policy" }, "r", record, "endpoint")).toBeUndefined();
  expect(recordAnswer(judged, "r", record, "endpoint")).toBe(judged);
  expect(recordAnswer(observed, "r", record, "endpoint")).toBe(observed);
  expect(recordAnswer(masked, "r", record, "endpoint")).toBe(masked);
  expect(acts).toEqual([
    ["observed", "r", "pii"],
    ["outage", true],
    ["masked", "r", "pii"],
  ]);
});

test("a block is returned as an error and audited", async () => {
  const { acts, record } = setup();
  const blocked: GuardrailAnswer = { ...judged, block: { detector: "keyword", message: "Blocked." }, findings: [pii] };
  const refusal = await recordAnswer(blocked, "r", record, "endpoint");
  expect(isGatewayError(refusal) && [refusal.code, refusal.message]).toEqual(["guardrail_blocked", "Blocked."]);
  expect(acts).toEqual([
    ["blocked", "r", "keyword"],
    ["audit", "r", "keyword"],
  ]);
});

test.each([
  [
    "external",
    "Request blocked: guardrail 'own-1'. You said: 'ann@example.com'.",
    "Request blocked: guardrail 'own-1'.",
  ],
  ["external", "Request blocked: guardrail 'own-1'.", "Request blocked: guardrail 'own-1'."],
  ["external", "You said: ann@example.com", "Request blocked by an external guardrail."],
  ["keyword", "Request blocked: keyword 'x'. y", "Request blocked: keyword 'x'. y"],
])(
  "a block by %s is audited and logged without an external guardrail's words: %s",
  async (detector, message, recorded) => {
    const audited: string[] = [];
    const record = createGuardrailRecord<string>({
      log: createSilentTelemetry().log,
      judged: "a call",
      fieldsOf: () => ({}),
      onBlocked: async (_id, block) => await Promise.resolve(void audited.push(block.message)),
    });
    const refusal = await recordAnswer({ ...judged, block: { detector, message } }, "r", record, "endpoint");
    expect(audited).toEqual([recorded]);
    expect(isGatewayError(refusal) && [refusal.message, refusal.loggedMessage]).toEqual([message, recorded]);
  },
);

test.each([
  ["endpoint", false, "The guardrails of this endpoint cannot be reached. Try again shortly."],
  ["project", false, "The guardrails of this project cannot be reached. Try again shortly."],
  ["project", true, undefined],
] as const)(
  "an outage of the guardrails of the %s refuses the call unless the policy lets it pass (%s)",
  async (covered, mayPass, message) => {
    const { acts, record } = setup();
    const refusal = await recordAnswer(
      { kind: "unavailable", mayPass, cause: new Error("away") },
      "r",
      record,
      covered,
    );
    expect(isGatewayError(refusal) ? refusal.message : refusal).toBe(message);
    expect(acts).toEqual([["outage", mayPass]]);
  },
);
