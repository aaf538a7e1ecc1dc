import { expect, test } from "vitest";
import { checksInForce } from "./checks-in-force.ts";

test("a policy's active checks are listed with their action", () => {
  const policy = {
    pii: { mode: "mask", entities: ["email"] },
    secrets: { mode: "off" },
    prompt_injection: { mode: "block", threshold: "strict" },
    keywords: ["one", "two"],
    patterns: [],
    max_content_length: 5_000,
    external: [{ kind: "http" }],
  };
  expect(checksInForce(policy)).toEqual([
    "PII: mask",
    "Prompt injection: block",
    "Keywords: 2",
    "External: 1",
    "Length: 5\u202F000",
  ]);
});

test("a project without a policy has no checks", () => {
  expect(checksInForce({ pii: { mode: "off" }, keywords: [], max_content_length: null, external: [] })).toEqual([]);
});
