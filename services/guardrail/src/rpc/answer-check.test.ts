import { expect, test } from "vitest";
import { compilePolicyWith } from "../domain/policy/compile-given-policy.ts";
import { loadModel } from "../model-file.ts";
import { answerCheckOf } from "./answer-check.ts";

const context = { tokenId: 1, surface: "chat", models: ["m"], headers: {}, samplePoint: 0, requestId: "r" };

test("the check of an answer is that of the surface, in any order of questions", () => {
  const policy = compilePolicyWith({ prompt_injection: { mode: "block" }, apply_to_output: true }, loadModel());
  const checkOn = (surface: "chat" | "mcp") => answerCheckOf(policy, { surface, context }).outputCheck;
  expect([checkOn("chat"), checkOn("mcp"), checkOn("chat"), checkOn("mcp")]).toEqual([
    "none",
    "before_reply",
    "none",
    "before_reply",
  ]);
});

test("under rules, the check of an answer is that of the call", () => {
  const rule = { name: "large", when: { models: ["large"] }, keywords: ["falcon"], apply_to_output: true };
  const policy = compilePolicyWith({ rules: [rule] }, loadModel());
  const checkFor = (model: string) =>
    answerCheckOf(policy, { surface: "chat", context: { ...context, models: [model] } }).outputCheck;
  expect([checkFor("large"), checkFor("small"), checkFor("large")]).toEqual(["before_reply", "none", "before_reply"]);
});
