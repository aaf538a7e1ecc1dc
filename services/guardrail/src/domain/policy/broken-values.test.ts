import { describe, expect, test } from "vitest";
import { loadModel } from "../../model-file.ts";
import { compilePolicyWith } from "./compile-given-policy.ts";
import { inspect } from "./inspect.ts";
import type { InspectedText, Verdict } from "./verdict.ts";

/** Joined here, so that no file holds what looks like a credential. */
const key = ["gh", "p_", "a1B2".repeat(9)].join("");
const masks = { secrets: { mode: "mask" }, pii: { mode: "mask" } };

function judge(document: object, texts: readonly (string | InspectedText)[]): Verdict {
  const entries = texts.map((text) => (typeof text === "string" ? { role: "user", text } : text));
  return inspect(compilePolicyWith(document, loadModel()), { side: "input", texts: entries });
}

test.each([
  ["a key", [`use ${key.slice(0, 9)}`, key.slice(9)], ["use [API key]", "[API key]"]],
  [
    "a key over three texts",
    [key.slice(0, 9), key.slice(9, 20), `${key.slice(20)} now`],
    ["[API key]", "[API key]", "[API key] now"],
  ],
  ["a password behind its name", ["password=", "Tr0ub4dor&3x"], ["password=", "[Password]"]],
  ["a card", ["card 4111 11", "11 1111 1111."], ["card [Credit card]", "[Credit card]."]],
  ["an IBAN", ["DE89 3704 0044", " 0532 0130 00"], ["[IBAN]", " [IBAN]"]],
  ["an address", ["to ana@exam", "ple.org"], ["to [E-Mail]", "[E-Mail]"]],
  ["a phone number", ["call +49 170", " 1234567"], ["call [Phone number]", " [Phone number]"]],
  [
    "beside values of their own",
    ["a@b.co, 4111 1111", " 1111 1111, c@d.co"],
    ["[E-Mail], [Credit card]", " [Credit card], [E-Mail]"],
  ],
  [
    "in long texts",
    [`${"so ".repeat(400)}4111 1111`, ` 1111 1111${" so".repeat(400)}`],
    [`${"so ".repeat(400)}[Credit card]`, ` [Credit card]${" so".repeat(400)}`],
  ],
])("a value that is broken over texts of one role is found: %s", (_, texts, masked) => {
  const verdict = judge(masks, texts);
  expect(verdict.maskedTexts).toEqual(masked);
  const places = (found: readonly { textIndex: number; end: number; label: string }[] = []) =>
    found.map(({ textIndex, end, label }) => `${textIndex} ${end} ${label}`).toSorted();
  expect(places(verdict.findings)).toEqual(expect.arrayContaining(places(verdict.maskedSpans)));
});

/** Some providers get no texts of white space only, one instruction from both roles, or all of it before the conversation. */
describe("texts that some providers get side by side are neighbours", () => {
  const say = (role: string, text: string): InspectedText => ({ role, text });
  test.each([
    ["a blank part between", [say("user", "to ana@exam"), say("user", "\n"), say("user", "ple.org")]],
    ["a blank answer between", [say("user", "to ana@exam"), say("assistant", " \u2003"), say("user", "ple.org")]],
    ["system and developer", [say("system", "to ana@exam"), say("developer", "ple.org")]],
    ["system messages apart", [say("system", "to ana@exam"), say("user", "Hi"), say("developer", "ple.org")]],
    ["a system message between", [say("user", "to ana@exam"), say("system", "Hi"), say("user", "ple.org")]],
  ])("%s", (_, texts) => {
    const verdict = judge(masks, texts);
    expect(verdict.maskedTexts?.[0]).toBe("to [E-Mail]");
    expect(verdict.maskedTexts?.at(-1)).toBe("[E-Mail]");
    expect(verdict.findings).toHaveLength(2);
    const [first, last] = [texts[0], texts.at(-1)].map((entry) => entry?.role ?? "");
    const words = [say(first ?? "", "Project"), ...texts.slice(1, -1), say(last ?? "", "Falcon")];
    expect(judge({ keywords: ["Project Falcon"] }, words).message).toBe(
      "Request blocked: keyword 'Project Falcon' detected in input.",
    );
  });

  test("content goes on behind what is no content of its message", () => {
    const aside = { role: "user", text: "zz", isAside: true };
    const named = { role: "user", text: 'x: "zz"', addedLength: 4, isAside: true };
    const addresses = [say("user", "to ana@exam"), aside, named, say("user", "ple.org")];
    const { maskedTexts } = judge(masks, addresses);
    expect([maskedTexts?.[0], maskedTexts?.[2], maskedTexts?.[3]]).toEqual(["to [E-Mail]", 'x: "zz"', "[E-Mail]"]);
    const words = [say("user", "Project"), aside, named, say("user", "Falcon")];
    expect(judge({ keywords: ["Project Falcon"] }, words).blocked).toBe(true);
  });

  test("a value is found once, with and without the blank between its texts", () => {
    const verdict = judge(masks, ["card 4111 1111", " ", "1111 1111."]);
    expect(verdict.maskedTexts?.[0]).toBe("card [Credit card]");
    expect(verdict.maskedTexts?.[2]).toBe("[Credit card].");
    expect(verdict.findings.filter(({ textIndex }) => textIndex === 0)).toHaveLength(1);
  });

  test("an answer between is no blank", () => {
    const texts = [say("user", "to ana@exam"), say("assistant", "Yes?"), say("user", "ple.org")];
    expect(judge(masks, texts).maskedTexts).toBeUndefined();
    const rules = [{ name: "r", when: { roles: ["user"] }, pii: { mode: "mask" } }];
    expect(judge({ rules }, texts).maskedTexts).toBeUndefined();
  });
});

test("a broken value is blocked as a whole one is", () => {
  expect(judge({ secrets: { mode: "block" } }, [key.slice(0, 9), key.slice(9)]).message).toBe(
    "Request blocked: API key detected in input.",
  );
  expect(judge({ pii: { mode: "block" } }, ["4111 1111", " 1111 1111"]).message).toBe(
    "Request blocked: Credit card detected in input.",
  );
});

describe("what follows a whole value", () => {
  test.each([
    ["an address and a word", ["to ana@example.org", "And thanks"], ["to [E-Mail]", "And thanks"]],
    ["a key and a word", [key, "Explain"], ["[API key]", "Explain"]],
    ["a number and a number", ["4111 1111 1111 1111", "12"], ["[Credit card]", "12"]],
  ])("is no part of it: %s", (_, texts, masked) => {
    expect(judge(masks, texts).maskedTexts).toEqual(masked);
  });
});

test.each<[string, readonly (string | InspectedText)[]]>([
  ["of two roles", ["4111 1111", { role: "assistant", text: " 1111 1111" }]],
  [
    "of members",
    [
      { role: "parameter", text: "4111 1111" },
      { role: "parameter", text: " 1111 1111" },
    ],
  ],
  [
    "of joined texts",
    [
      { role: "tool", text: "n\n4111 1111", addedLength: 1 },
      { role: "tool", text: " 1111 1111" },
    ],
  ],
])("texts that do not go on are not read together: %s", (_, texts) => {
  expect(judge(masks, texts).findings).toEqual([]);
});

test("a rule reads the borders of texts with its roles alone", () => {
  const rules = [{ name: "tools", when: { roles: ["tool"] }, pii: { mode: "block" } }];
  const parts = ["4111 1111", " 1111 1111"];
  expect(judge({ rules }, parts).blocked).toBe(false);
  expect(
    judge(
      { rules },
      parts.map((text) => ({ role: "tool", text })),
    ).blocked,
  ).toBe(true);
});

test("values that a session restores get a number in each text", () => {
  const { maskedTexts, placeholders } = judge({ reversible_masks: true, pii: { mode: "mask" } }, [
    "to ana@exam",
    "ple.org",
  ]);
  expect(maskedTexts).toEqual(["to [E-Mail 1]", "[E-Mail 2]"]);
  expect(placeholders).toEqual([
    { label: "E-Mail 1", value: "ana@exam" },
    { label: "E-Mail 2", value: "ple.org" },
  ]);
});
