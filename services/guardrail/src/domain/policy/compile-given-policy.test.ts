import { GatewayError } from "@gatehouse/errors";
import { expect, test } from "vitest";
import { loadModel } from "../../model-file.ts";
import { compilePolicyWith } from "./compile-given-policy.ts";

function refusal(document: unknown): string {
  try {
    compilePolicyWith(document, loadModel());
  } catch (err) {
    if (err instanceof GatewayError && err.code === "invalid_argument") return err.message;
    throw err;
  }
  return "accepted";
}

test.each([
  ["a list instead of a policy", [], /policy.*must be an object/],
  ["a field that does not exist", { keyword: ["a"] }, /Unknown argument: keyword\. Did you mean 'keywords'/],
  ["an unknown mode", { pii: { mode: "hide" } }, /pii\.mode.*must be one of: off, block, mask, log/],
  ["an unknown entity", { pii: { mode: "mask", entities: ["email", "mail"] } }, /pii\.entities\[1\]/],
  ["an unknown country", { pii: { mode: "mask", entities: ["national_id.zz"] } }, /pii\.entities\[0\]/],
  ["an unknown threshold", { prompt_injection: { mode: "log", threshold: "0.5" } }, /prompt_injection\.threshold/],
  ["a mask of injections", { prompt_injection: { mode: "mask" } }, /prompt_injection\.mode/],
  ["a keyword that is not a text", { keywords: ["a", 1] }, /keywords\[1\].*must be a string/],
  ["a keyword that is too long", { keywords: ["a".repeat(201)] }, /keywords\[0\].*longer than 200/],
  ["too many keywords", { keywords: Array.from({ length: 10_001 }, () => "a") }, /keywords.*10001.*10000/],
  ["an invalid pattern", { patterns: [{ pattern: "ok" }, { pattern: "a(b" }] }, /patterns\[1\]\.pattern.*RE2/],
  ["a look-behind", { patterns: [{ pattern: "(?<=a)b" }] }, /patterns\[0\]\.pattern.*at position 0/],
  ["a back-reference", { patterns: [{ pattern: "(a)\\1" }] }, /patterns\[0\]\.pattern.*at position 3/],
  ["a pattern that matches nothing at all", { patterns: [{ pattern: "a*" }] }, /patterns\[0\]\.pattern.*empty text/],
  ["an empty pattern", { patterns: [{ pattern: "" }] }, /patterns\[0\]\.pattern.*must not be empty/],
  ["a length of zero", { max_content_length: 0 }, /max_content_length/],
  ["half a character", { max_content_length: 1.5 }, /max_content_length/],
  ["a flag that is not a boolean", { apply_to_output: "yes" }, /apply_to_output.*must be boolean/],
  ["an unknown wish for outages", { on_unavailable: "maybe" }, /on_unavailable.*closed, open/],
])("refuses %s with the field and its position", (_, document, message) => {
  expect(refusal(document)).toMatch(message);
});

test("fills in every default: all checks off, no identity numbers, closed when unavailable", () => {
  expect(compilePolicyWith({}, loadModel()).document).toEqual({
    pii: { mode: "off", entities: ["api_key", "credit_card", "iban", "email", "phone_number", "ip_address"] },
    secrets: { mode: "off", except: [] },
    surfaces: ["chat"],
    prompt_injection: { mode: "off", threshold: "default" },
    keywords: [],
    patterns: [],
    external: [],
    rules: [],
    reversible_masks: undefined,
    findings: undefined,
    shadow: undefined,
    max_content_length: undefined,
    apply_to_output: false,
    trust_caller_instructions: undefined,
    on_unavailable: undefined,
    replace: false,
  });
});

test("a completed policy can be saved and compiled again", () => {
  const { document } = compilePolicyWith({ keywords: ["a"], patterns: [{ pattern: "b+" }] }, loadModel());
  expect(compilePolicyWith(JSON.parse(JSON.stringify(document)), loadModel()).document).toEqual(document);
});
