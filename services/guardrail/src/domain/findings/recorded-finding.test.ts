import { expect, test } from "vitest";
import { loadModel } from "../../model-file.ts";
import { compilePolicyWith } from "../policy/compile-given-policy.ts";
import { inspect } from "../policy/inspect.ts";
import { recordedFindings } from "./recorded-finding.ts";

function excerptsOf(document: object, text: string) {
  const excerptsBy = compilePolicyWith(document, loadModel());
  const request = { side: "input", texts: [{ role: "user", text }] } as const;
  const verdict = inspect(excerptsBy, request);
  const place = { projectUuid: "p", endpointUuid: undefined, at: new Date(0), excerptsBy };
  return recordedFindings(request, verdict, place).map(({ excerpt }) => excerpt);
}

const [blocking, masking] = [
  { name: "A", pattern: "foo", mode: "block" },
  { name: "B", pattern: "CUST-\\d+", mode: "mask" },
];

test("an excerpt masks matches of later patterns than the blocking one", () => {
  expect(excerptsOf({ patterns: [blocking, masking] }, "foo of CUST-4711")).toEqual(["[A] of [B]"]);
});

test("an excerpt masks all masked values", () => {
  expect(excerptsOf({ patterns: [masking] }, "from CUST-4711 to CUST-4712")).toEqual([
    "from [B] to [B]",
    "from [B] to [B]",
  ]);
});

test("a blocked text has no excerpt if a pattern names a path", () => {
  const ofPath = { name: "C", pattern: "x", path: "$.a", mode: "block" };
  expect(excerptsOf({ patterns: [blocking, ofPath] }, "foo")).toEqual([undefined]);
});
