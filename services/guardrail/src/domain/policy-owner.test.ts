import { expect, test } from "vitest";
import { loadModel } from "../model-file.ts";
import { outputCheckOf } from "./policy-owner.ts";
import { compilePolicyWith } from "./policy/compile-given-policy.ts";

test.each([
  [{ patterns: [{ pattern: "falcon" }] }, "before_reply"],
  [{ patterns: [{ pattern: "falcon", tool: "mail" }] }, "whole"],
  [{ patterns: [{ path: "$.to" }] }, "whole"],
  [{ patterns: [{ path: "$.to", mode: "log" }] }, "after_reply"],
  [{ patterns: [{ tool: "mail", mode: "off" }] }, "none"],
])("checks %j can judge answers in pieces or not", (checks, expected) => {
  const { document } = compilePolicyWith({ ...checks, apply_to_output: true }, loadModel());
  expect(outputCheckOf(document, [document], "chat")).toBe(expected);
});

test.each([
  ["chat", "block", "none"],
  ["api", "block", "none"],
  ["mcp", "block", "before_reply"],
  ["mcp", "log", "after_reply"],
  ["mcp", "off", "none"],
] as const)("on %s, injection %s means for answers: %s", (surface, mode, expected) => {
  const { document } = compilePolicyWith({ prompt_injection: { mode }, apply_to_output: true }, loadModel());
  expect(outputCheckOf(document, [document], surface)).toBe(expected);
});
