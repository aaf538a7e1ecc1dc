import { expect, test } from "vitest";
import type { ExternalOutcome } from "../clients/external-guardrails.ts";
import { externalBounds } from "../domain/external/external-document.ts";
import { hasContent } from "../domain/external/external-verdict.ts";
import { recordedFindings } from "../domain/findings/recorded-finding.ts";
import { compilePolicyWith } from "../domain/policy/compile-given-policy.ts";
import { loadModel } from "../model-file.ts";
import { createConsult } from "./consult.ts";

const place = { projectUuid: "p", endpointUuid: "", signal: new AbortController().signal };

/** A policy's guardrails by their names, and what each says. */
async function consult(
  externals: readonly object[],
  says: Readonly<Record<string, ExternalOutcome>>,
  question: { readonly texts?: readonly string[]; readonly isParallel?: boolean } = {},
) {
  const { texts = ["one", "two"], isParallel = false } = question;
  const entries = externals.map((entry) => ({ kind: "http", url: "https://guard.example/", ...entry }));
  const policy = compilePolicyWith({ external: entries }, loadModel());
  const seen: string[] = [];
  const run = createConsult(
    async ({ name }, { texts: sent }) => {
      seen.push(
        `${name}: ${sent
          .map(({ text }) => text)
          .join(" ")
          .slice(0, 20)}`,
      );
      return await Promise.resolve(says[name] ?? { action: "allow" });
    },
    () => {},
  );
  const asked = {
    side: "input",
    isParallel,
    isJoint: false,
    texts: texts.map((text) => ({ role: "user", text })),
  } as const;
  return { ...(await run(policy, asked, place)), seen };
}

const replaceFirst: ExternalOutcome = { action: "replace", texts: new Map([[0, "uno"]]) };
const failed: ExternalOutcome = { action: "failed", cause: new Error("away") };

test("guardrails are asked in order, each with the texts of the one before, until one blocks", async () => {
  const { verdict, seen } = await consult([{ name: "a" }, { name: "b" }, { name: "c" }], {
    a: replaceFirst,
    b: { action: "block", message: "no\nnumbers\u0000" },
  });
  expect(seen).toEqual(["a: one two", "b: uno two"]);
  expect(verdict).toMatchObject({
    blocked: true,
    reason: "external",
    message: "Request blocked: guardrail 'b'. no numbers",
  });
});

test.each([
  ["no text", [], []],
  ["blanks alone", [" ", "\n"], []],
  ["something", ["", "a"], ["http", "presidio", "llama_guard", "llm_judge"]],
])("a guardrail is never asked about nothing: %s", async (_, texts, asked) => {
  const externals = [
    { kind: "http" },
    { kind: "presidio" },
    { kind: "llama_guard", model: "m" },
    { kind: "llm_judge", model: "m", instructions: "i" },
  ].map((entry) => ({ ...entry, name: entry.kind }));
  const says = Object.fromEntries(externals.map(({ name }) => [name, failed]));
  for (const isParallel of [false, true]) {
    const placed = externals.map((entry) => ({
      ...entry,
      on_failure: "open",
      when: isParallel ? "parallel" : "before",
    }));
    const { seen, isRefused } = await consult(placed, says, { texts, isParallel });
    expect(seen.map((line) => line.split(":")[0])).toEqual(asked);
    expect(isRefused).toBe(false);
  }
});

test("a call of a tool without arguments is asked about where the question names the tool", () => {
  const texts = [{ role: "assistant", text: "", tool: "wipe" }];
  expect([hasContent("http", texts), hasContent("presidio", texts)]).toEqual([true, false]);
});

test("a replaced text is one span", async () => {
  const { verdict } = await consult([{ name: "a" }], { a: { action: "replace", texts: new Map([[1, "to"]]) } });
  expect(verdict).toMatchObject({
    blocked: false,
    maskedTexts: ["one", "to"],
    maskedSpans: [{ textIndex: 1, start: 1, end: 2, label: "", isVerbatim: true }],
  });
  expect(verdict.findings).toMatchObject([{ label: "a", isReplaced: true }]);
  const place = { projectUuid: "p", endpointUuid: undefined, at: new Date(), excerptsBy: undefined };
  const request = { side: "input", texts: [] } as const;
  expect(recordedFindings(request, verdict, place)).toMatchObject([{ label: "a", action: "masked" }]);
});

test("a failed guardrail refuses the call, lets it pass, or only records", async () => {
  expect((await consult([{ name: "a" }], { a: failed })).isRefused).toBe(true);
  expect((await consult([{ name: "a", on_failure: "open" }], { a: failed })).isRefused).toBe(false);
  expect((await consult([{ name: "a", mode: "log" }], { a: failed })).isRefused).toBe(false);
});

test("a verdict in log mode is recorded and changes nothing, and a guardrail that is off is not asked", async () => {
  const { verdict, seen } = await consult(
    [
      { name: "a", mode: "log" },
      { name: "b", mode: "off" },
    ],
    { a: replaceFirst },
  );
  expect([verdict.blocked, verdict.maskedTexts, verdict.findings.map(({ label }) => label)]).toEqual([
    false,
    undefined,
    ["a"],
  ]);
  expect(seen).toEqual(["a: one two"]);
});

test("only parallel guardrails are asked in parallel with the model, and their replacements block", async () => {
  const both = [{ name: "a" }, { name: "b", when: "parallel" }];
  expect((await consult(both, {})).seen).toEqual(["a: one two"]);
  const { verdict, seen } = await consult(both, { b: replaceFirst }, { isParallel: true });
  expect([seen, verdict.message]).toEqual([["b: one two"], "Request blocked: guardrail 'b'."]);
});

test("texts that are too long are blocked without a question, also with on_failure open", async () => {
  const texts = ["x".repeat(externalBounds.unitsMax + 1)];
  const { verdict, seen } = await consult([{ name: "a", on_failure: "open" }], {}, { texts });
  expect([verdict.blocked, seen]).toEqual([true, []]);
  expect(verdict.message).toBe(
    "Request blocked: guardrail 'a'. It takes at most 4096 texts and 1048576 characters. Send less at once.",
  );
  const many = Array.from({ length: externalBounds.textsMax + 1 }, () => "x");
  expect((await consult([{ name: "a", on_failure: "open" }], {}, { texts: many })).verdict.blocked).toBe(true);
});
