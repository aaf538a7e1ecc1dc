import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergePolicies } from "./merge-policies.ts";
import { parsePolicy } from "./parse-policy.ts";
import { injectionModes, injectionThresholds, piiModes } from "./policy-document.ts";

const merge = (project: object, endpoint: object) => mergePolicies(parsePolicy(project), parsePolicy(endpoint));

describe("a project's policy with an endpoint's", () => {
  test("has the stricter mode of each check, and both lists", () => {
    expect(
      merge(
        {
          pii: { mode: "mask", entities: ["email"] },
          secrets: { mode: "log", except: ["github_token", "npm_token"] },
          prompt_injection: { mode: "log", threshold: "strict" },
          keywords: ["a", "b"],
          patterns: [{ name: "n", pattern: "x", mode: "log" }],
          max_content_length: 10,
        },
        {
          pii: { mode: "log", entities: ["iban"] },
          secrets: { mode: "mask", except: ["github_token"] },
          prompt_injection: { mode: "block", threshold: "quiet" },
          keywords: ["b", "c"],
          patterns: [{ name: "n", pattern: "x" }, { pattern: "y" }],
          max_content_length: 20,
          apply_to_output: true,
        },
      ),
    ).toEqual({
      pii: { mode: "mask", entities: ["email", "iban"] },
      surfaces: ["chat"],
      secrets: { mode: "mask", except: ["github_token"] },
      prompt_injection: { mode: "block", threshold: "strict" },
      keywords: ["a", "b", "c"],
      patterns: [
        { name: "n", pattern: "x", mode: "block" },
        { name: "y", pattern: "y", mode: "block" },
      ],
      external: [],
      rules: [],
      max_content_length: 10,
      apply_to_output: true,
      trust_caller_instructions: false,
      on_unavailable: "closed",
      replace: false,
    });
  });

  test("has the stricter action for each kind of personal data", () => {
    const project = {
      pii: { mode: "mask", entities: ["email", "iban", "phone"], actions: { email: "log", iban: "off" } },
    };
    const endpoint = { pii: { mode: "log", entities: ["email", "credit_card"], actions: { credit_card: "block" } } };
    expect(merge(project, endpoint).pii).toEqual({
      mode: "mask",
      entities: ["email", "phone_number", "credit_card"],
      actions: { email: "log", credit_card: "block" },
    });
    expect(merge(project, {}).pii.actions).toEqual({ email: "log" });
  });

  test("has entities and thresholds only of checks that are on", () => {
    const merged = merge(
      { prompt_injection: { mode: "off", threshold: "strict" } },
      { prompt_injection: { mode: "block" } },
    );
    expect(merged.prompt_injection).toEqual({ mode: "block", threshold: "default" });
    expect(merge({}, { pii: { mode: "block", entities: ["email"] } }).pii.entities).toEqual(["email"]);
  });

  const block = { prompt_injection: { mode: "block" } };
  test.each([
    ["does not say", block, "says yes", { trust_caller_instructions: true }, false],
    ["trusts", { ...block, trust_caller_instructions: true }, "does not say", {}, true],
    ["trusts", { ...block, trust_caller_instructions: true }, "says no", { trust_caller_instructions: false }, false],
    ["checks nothing", {}, "trusts in its own check", { ...block, trust_caller_instructions: true }, true],
  ])(
    "of a project that %s (%j) and an endpoint that %s (%j): instructions are trusted: %s",
    (...[, project, , endpoint, trusted]) => {
      expect(merge(project, endpoint).trust_caller_instructions).toBe(trusted);
    },
  );

  test.each([
    [undefined, undefined, "closed"],
    [undefined, "open", "closed"],
    ["open", undefined, "open"],
    ["open", "closed", "closed"],
    ["closed", "open", "closed"],
  ])("with on_unavailable %s and %s is %s", (project, endpoint, merged) => {
    expect(merge({ on_unavailable: project }, { on_unavailable: endpoint }).on_unavailable).toBe(merged);
  });

  test("is never milder than the project's policy alone", () => {
    const policy = fc.record(
      {
        pii: fc.record({ mode: fc.constantFrom(...piiModes) }),
        prompt_injection: fc.record({
          mode: fc.constantFrom(...injectionModes),
          threshold: fc.constantFrom(...injectionThresholds),
        }),
        keywords: fc.array(fc.constantFrom("a", "b", "c")),
        max_content_length: fc.nat(9).map((length) => length + 1),
        apply_to_output: fc.boolean(),
        trust_caller_instructions: fc.boolean(),
        on_unavailable: fc.constantFrom("open", "closed"),
      },
      { requiredKeys: [] },
    );
    const strictness = { off: 0, log: 1, mask: 2, block: 3 };
    fc.assert(
      fc.property(policy, policy, (given, added) => {
        const project = parsePolicy(given);
        const merged = merge(given, added);
        expect(strictness[merged.pii.mode]).toBeGreaterThanOrEqual(strictness[project.pii.mode]);
        expect(strictness[merged.prompt_injection.mode]).toBeGreaterThanOrEqual(
          strictness[project.prompt_injection.mode],
        );
        expect(merged.keywords).toEqual(expect.arrayContaining([...project.keywords]));
        expect(merged.max_content_length ?? Infinity).toBeLessThanOrEqual(project.max_content_length ?? Infinity);
        expect(merged.apply_to_output || !project.apply_to_output).toBe(true);
        if (project.on_unavailable !== "open") expect(merged.on_unavailable).toBe("closed");
        if (project.prompt_injection.mode !== "off" && project.trust_caller_instructions !== true) {
          expect(merged.trust_caller_instructions).toBe(false);
        }
      }),
    );
  });
});
