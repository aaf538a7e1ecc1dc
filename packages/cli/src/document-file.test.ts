import { expect, test } from "vitest";
import { parseDocumentText } from "./document-file.ts";

test("YAML and JSON give the same document", () => {
  const document = { version: 1, projects: [{ name: "a" }] };
  expect(parseDocumentText(JSON.stringify(document), {})).toEqual(document);
  expect(parseDocumentText("version: 1\nprojects:\n  - name: a\n", {})).toEqual(document);
});

test("a value that is only a reference is replaced from the environment, and no other text", () => {
  const text = "key: ${KEY}\nprompt: Hello ${KEY}, cost ${5}\n";
  expect(parseDocumentText(text, { KEY: "sk-1" })).toEqual({ key: "sk-1", prompt: "Hello ${KEY}, cost ${5}" });
});

test("a reference to a variable that is not set is kept for the plan to report", () => {
  expect(parseDocumentText("key: ${MISSING}", {})).toEqual({ key: "${MISSING}" });
});

test.each([
  ["a list", "- a", "must be a mapping"],
  ["invalid YAML", "a: [", "not valid YAML"],
  ["a tag that YAML does not know", "a: !!strange 1", "not valid YAML"],
  ["deep nesting", "[".repeat(100_000), "not valid YAML"],
  [
    "aliases that multiply",
    `a: &a [1]\nb: &b [${"*a,".repeat(99)}]\nc: &c [${"*b,".repeat(99)}]\nd: [${"*c,".repeat(99)}]`,
    "not valid YAML",
  ],
])("%s is refused", (_what, text, message) => {
  expect(() => parseDocumentText(text, {})).toThrow(message);
});

test("an error names its line", () => {
  expect(() => parseDocumentText("a: 1\nb: [\n", {})).toThrow(/at line 3, column 1$/);
});
