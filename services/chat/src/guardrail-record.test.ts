import type { TokenPrincipal } from "@gatehouse/principal";
import { createSilentTelemetry, type Logger } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { openGuardrailRecord } from "./guardrail-record.ts";

const event = {
  requestId: "r",
  projectUuid: "p",
  endpointUuid: "e",
  slug: "s",
  side: "input",
  principal: {} as TokenPrincipal,
  ipAddress: "192.0.2.1",
  traceparent: "",
} as const;
const who = { request_id: "r", project: "p", endpoint: "e", side: "input" };

function setup() {
  const lines: unknown[][] = [];
  const log = {
    info: (fields: object) => lines.push(["info", fields]),
    warn: (fields: object) => lines.push(["warn", fields]),
  } as unknown as Logger;
  const { metrics } = createSilentTelemetry();
  const blocked: unknown[][] = [];
  const record = openGuardrailRecord(log, metrics, async (...recorded) => {
    blocked.push(recorded);
    return await Promise.resolve();
  });
  return { record, lines, blocked, metrics };
}

test("each action is one log line with the request and the detector, and is counted", async () => {
  const { record, lines, blocked, metrics } = setup();
  const cause = new Error("away");
  const block = { detector: "keyword", message: "Request blocked: keyword 'falcon'." };
  await record.blocked(event, block);
  record.masked(event, [
    { detector: "pii", score: undefined, isHit: true },
    { detector: "pii", score: undefined, isHit: true },
  ]);
  record.observed(event, [
    { detector: "prompt_injection", score: 0.2, isHit: false },
    { detector: "prompt_injection", score: 0.7, isHit: true },
  ]);
  record.observed(event, [{ detector: "prompt_injection", score: 0.1, isHit: false }]);
  record.unavailable(event, true, cause);
  record.unavailable(event, false, cause);
  expect(blocked).toEqual([[event, block]]);
  expect(lines).toEqual([
    ["info", { ...who, detector: "keyword" }],
    ["info", { ...who, detectors: ["pii"] }],
    ["info", { ...who, detectors: ["prompt_injection"], hit: true, score: 0.7 }],
    ["info", { ...who, detectors: ["prompt_injection"], hit: false, score: 0.1 }],
    ["warn", { ...who, err: cause }],
  ]);
  const text = await metrics.metrics();
  expect(text).toContain('actions_total{detector="keyword",side="input",action="blocked"} 1');
  expect(text).toContain('actions_total{detector="pii",side="input",action="masked"} 1');
  expect(text).toContain('actions_total{detector="prompt_injection",side="input",action="observed"} 1');
  expect(text).toContain('actions_total{detector="prompt_injection",side="input",action="scored"} 2');
  expect(text).toContain('unavailable_total{outcome="refused"} 1');
});
