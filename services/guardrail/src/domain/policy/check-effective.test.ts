import { expect, test } from "vitest";
import { loadModel } from "../../model-file.ts";
import type { PolicyOwner } from "../policy-owner.ts";
import { checkEffective, ineffectiveParts } from "./check-effective.ts";
import { compilePolicyWith } from "./compile-given-policy.ts";
import { parsePolicy } from "./parse-policy.ts";

const project: PolicyOwner = { projectUuid: "p", endpointUuid: undefined };
const endpoint: PolicyOwner = { projectUuid: "p", endpointUuid: "e" };

function check(document: object, { owner = project, projectType = "" } = {}) {
  checkEffective(compilePolicyWith(document, loadModel()), { owner, projectType });
}

const rule = (when: object, more: object = {}) => ({ rules: [{ name: "r", when, keywords: ["falcon"], ...more }] });

test.each<[string, object, string]>([
  ["no entities", { pii: { mode: "block", entities: [] } }, "pii.entities is empty"],
  ["no entities of a rule", rule({}, { pii: { mode: "log", entities: [] } }), "rules[0].pii.entities is empty"],
  ["a user's role in answers", rule({ sides: ["output"], roles: ["user"] }), "rules[0].when names none of the roles"],
  ["answers alone, unchecked", rule({ sides: ["output"] }, { apply_to_output: false }), "is for output alone"],
  ["headers of the Bridge", rule({ surfaces: ["bridge"], headers: { "x-team": ["a"] } }), "names headers"],
  ["headers on mcp", { surfaces: ["mcp"], ...rule({ headers: { "x-team": ["a"] } }) }, "names headers"],
  ["tools' results, unchecked", { surfaces: ["mcp"], ...rule({ roles: ["tool"] }) }, "need apply_to_output"],
  ["models on mcp", { surfaces: ["mcp"], ...rule({ models: ["m"] }) }, "names models"],
  ["none of the calls", rule({ sample: 0 }), "takes a share of 0 of the calls"],
  ["a rule without checks", { rules: [{ name: "r", when: {}, apply_to_output: true }] }, "rules[0] has no check"],
  [
    "a surface of no call",
    rule({ surfaces: ["api"] }),
    "names no surface of these calls, which have: chat, wrapper, bridge",
  ],
  ["a rule on trial", { shadow: rule({ surfaces: ["mcp"] }) }, "shadow.rules[0].when names no surface"],
  ["an empty name", { patterns: [{ name: "", pattern: "a+" }] }, "patterns[0].name must not be empty"],
  ["brackets in a name", { patterns: [{ name: "a[b]", pattern: "a+" }] }, "patterns[0].name must not"],
  ["a line break in a name", { patterns: [{ name: "a\nb", pattern: "a+" }] }, "patterns[0].name must not"],
  [
    "a numbered label with brackets",
    { reversible_masks: true, patterns: [{ pattern: "T[0-9]", mode: "mask" }] },
    "patterns[0].name must have 1 to 50 characters",
  ],
])("a policy that cannot work is refused: %s", (_, document, problem) => {
  expect(() => check(document)).toThrow(problem);
});

test.each<[string, object]>([
  ["entities of actions alone", { pii: { mode: "block", entities: [], actions: { email: "mask" } } }],
  ["no entities and no check", { pii: { mode: "off", entities: [] } }],
  ["a user's role in replies of an API", { surfaces: ["api"], ...rule({ sides: ["output"], roles: ["user"] }) }],
  ["tools' results", { surfaces: ["mcp"], ...rule({ roles: ["tool"] }, { apply_to_output: true }) }],
  ["models of endpoints", rule({ models: ["m"] })],
  ["a pattern without a name", { patterns: [{ pattern: "T[0-9]", mode: "mask" }] }],
  ["one condition for another project's calls", { surfaces: ["chat", "mcp"], ...rule({ surfaces: ["mcp"] }) }],
])("a policy that can work is taken: %s", (_, document) => {
  expect(() => check(document)).not.toThrow();
});

const block = { pii: { mode: "block" } };

test("a project's policy must cover the traffic of its type; an endpoint's may leave that to its project's", () => {
  const mcp = "surfaces must name mcp: projects of type mcp_gateway have no other traffic";
  expect(() => check(block, { projectType: "mcp_gateway" })).toThrow(mcp);
  expect(() => check({ ...block, surfaces: ["mcp", "api"] }, { projectType: "ai_wrapper" })).toThrow("must name chat");
  check({ ...block, surfaces: ["chat", "api"] }, { projectType: "api_gateway" });
  check({}, { projectType: "api_gateway" });
  check({ ...block, ...rule({ surfaces: ["api"] }) }, { owner: endpoint, projectType: "api_gateway" });
});

test("what a policy in force leaves without effect is named, for a later change to mend", () => {
  const parts = (document: object, projectType: string) => ineffectiveParts(parsePolicy(document), projectType);
  expect(parts(block, "api_gateway")).toEqual(["It checks nothing here, since its surfaces do not name api; add it."]);
  expect(parts(block, "ai_gateway")).toEqual([]);
  expect(parts({}, "api_gateway")).toEqual([]);
  expect(parts(rule({ surfaces: ["chat"] }), "ai_wrapper")).toEqual([
    "rules[0].when names no surface of these calls, which have: wrapper.",
  ]);
});
