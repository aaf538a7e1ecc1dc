import { expect, test } from "vitest";
import { type ExternalDocument, externalsFor, longestOf } from "./external-document.ts";

const external = (name: string, when: ExternalDocument["when"], timeoutMs: number): ExternalDocument => ({
  name,
  kind: "http",
  url: "https://guard.example/",
  sides: ["input"],
  when,
  mode: "block",
  timeout_ms: timeoutMs,
  on_failure: "closed",
});

test("the time for joint guardrails is that of both groups in sequence", () => {
  const all = [external("a", "before", 100), external("b", "parallel", 200), external("c", "parallel", 300)];
  const asked = { side: "input", isJoint: false } as const;
  const [before, beside] = [false, true].map((isParallel) => longestOf(externalsFor(all, { ...asked, isParallel })));
  const joint = externalsFor(all, { side: "input", isParallel: false, isJoint: true });
  expect(longestOf(joint)).toBe((before ?? 0) + (beside ?? 0));
});
