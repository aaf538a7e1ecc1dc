import { expect, test } from "vitest";
import { loadModel } from "../../model-file.ts";
import { checkFindable } from "./check-effective.ts";
import { compilePolicyWith } from "./compile-given-policy.ts";
import { inspect } from "./inspect.ts";
import type { CallContext, ScopeDocument } from "./scope.ts";
import type { InspectedText, Side } from "./verdict.ts";

const known: CallContext = {
  tokenId: 7,
  surface: "wrapper",
  models: ["large", "small"],
  headers: { "x-team": "blue" },
  samplePoint: 0.4,
  requestId: "r",
};

interface Asked {
  readonly texts: readonly InspectedText[];
  readonly side?: Side;
  readonly context?: CallContext;
}

function judge(document: object, { texts, side = "input", context = known }: Asked) {
  return inspect(compilePolicyWith(document, loadModel()), { texts, side, context });
}

const user = (text: string): InspectedText => ({ role: "user", text });

test.each<[string, ScopeDocument, boolean]>([
  ["no condition", {}, true],
  ["its token", { tokens: [7, 8] }, true],
  ["another token", { tokens: [8] }, false],
  ["its surface", { surfaces: ["wrapper"] }, true],
  ["another surface", { surfaces: ["chat", "mcp"] }, false],
  ["one of its models", { models: ["small"] }, true],
  ["another model", { models: ["tiny"] }, false],
  ["its header", { headers: { "X-Team": ["red", "blue"] } }, true],
  ["another value", { headers: { "x-team": ["red"] } }, false],
  ["a header that it lacks", { headers: { "x-other": ["blue"] } }, false],
  ["a share with it", { sample: 0.5 }, true],
  ["a share without it", { sample: 0.4 }, false],
  ["its side", { sides: ["input"] }, true],
  ["another side", { sides: ["output"] }, false],
  ["its role", { roles: ["user"] }, true],
  ["another role", { roles: ["tool"] }, false],
  ["one condition of two", { tokens: [7], models: ["tiny"] }, false],
])("a rule for %s applies or not", (_, when, applies) => {
  const verdict = judge({ rules: [{ name: "r", when, keywords: ["falcon"] }] }, { texts: [user("a falcon")] });
  expect(verdict.blocked).toBe(applies);
});

test("a rule adds to the policy and removes nothing", () => {
  const document = {
    pii: { mode: "mask", entities: ["email"] },
    keywords: ["eagle"],
    rules: [{ name: "r", when: {}, pii: { mode: "block", entities: ["credit_card"] } }],
  };
  expect(judge(document, { texts: [user("ann@example.com")] }).maskedTexts).toEqual(["[E-Mail]"]);
  expect(judge(document, { texts: [user("eagle")] }).message).toContain("eagle");
  expect(judge(document, { texts: [user("4111 1111 1111 1111")] }).reason).toBe("pii");
});

test("a rule for answers applies to answers of its calls only", () => {
  const document = { rules: [{ name: "r", when: { tokens: [7] }, keywords: ["falcon"], apply_to_output: true }] };
  const texts = [{ role: "assistant", text: "falcon" }];
  expect(judge(document, { texts, side: "output" }).blocked).toBe(true);
  expect(judge(document, { texts, side: "output", context: { ...known, tokenId: 8 } }).blocked).toBe(false);
});

test.each([
  [["output"], true],
  [["input", "output"], true],
  [["input"], false],
  [undefined, false],
])("a rule with the sides %j judges answers by itself: %s", (sides, isJudged) => {
  const document = { rules: [{ name: "r", when: sides === undefined ? {} : { sides }, keywords: ["falcon"] }] };
  const texts = [{ role: "assistant", text: "falcon" }];
  expect(judge(document, { texts, side: "output" }).blocked).toBe(isJudged);
});

test("a finding of both a rule and the policy is reported once", () => {
  const pii = { mode: "log", entities: ["email"] };
  const verdict = judge({ pii, rules: [{ name: "r", when: {}, pii }] }, { texts: [user("ann@example.com")] });
  expect(verdict.findings).toHaveLength(1);
});

const patternCases: readonly (readonly [string, object, InspectedText, boolean])[] = [
  ["a tool", { tool: "delete_*" }, { role: "tool", text: "done", tool: "delete_user" }, true],
  ["a tool, not another", { tool: "delete_*" }, { role: "tool", text: "done", tool: "list" }, false],
  ["a tool, not a message", { tool: "*" }, user("delete_user"), false],
  ["a tool\u2019s text", { tool: "sql", pattern: "DROP" }, { role: "assistant", text: "DROP x", tool: "sql" }, true],
  [
    "a tool\u2019s other text",
    { tool: "sql", pattern: "DROP" },
    { role: "assistant", text: "SELECT", tool: "sql" },
    false,
  ],
  ["a path", { path: "$.amount" }, user('{"amount":1}'), true],
  ["a path in very long JSON", { path: "$.amount" }, user(`{"x":"${"y".repeat(300_000)}","amount":1}`), true],
  ["a path after a byte order mark", { path: "$.amount" }, user('\ufeff{"amount":1}'), true],
  ["JSON that is too long to be searched", { path: "$.amount" }, user(`{"x":"${"y".repeat(4_194_304)}"}`), true],
  [
    "a path in JSON in JSON",
    { path: "$.amount" },
    user(JSON.stringify({ x: JSON.stringify({ y: '{"amount":1}' }) })),
    true,
  ],
  ["an absent path", { path: "$.amount" }, user('{"sum":1}'), false],
  ["a path in no JSON", { path: "$.amount" }, user("$.amount"), false],
  ["a value at a path", { path: "$..to", pattern: "@evil" }, user('{"x":{"to":"a@evil.example"}}'), true],
  ["a value elsewhere", { path: "$..to", pattern: "@evil" }, user('{"from":"a@evil.example"}'), false],
];

test.each(patternCases.map(([name, pattern, text, isFound]) => ({ name, pattern, text, isFound })))(
  "a pattern finds $name",
  ({ pattern, text, isFound }) => {
    expect(judge({ patterns: [pattern] }, { texts: [text] }).blocked).toBe(isFound);
  },
);

const documentPolicy = {
  keywords: ["falcon"],
  max_content_length: 1,
  pii: { mode: "mask" },
  patterns: [
    { name: "to", path: "$..to", pattern: "@evil", tool: "send*" },
    { name: "seen", path: "$.seen", mode: "log" },
    { name: "text", pattern: "falcon" },
  ],
  rules: [{ name: "r", when: { roles: ["tool"] }, patterns: [{ name: "result", path: "$.secret" }] }],
};
const document = (text: string, of: Partial<InspectedText> = {}): InspectedText => ({ role: "parameter", text, ...of });

test.each<[string, InspectedText, string | undefined]>([
  ["by a pattern with a path", document('{"a":[{"to":"a@evil.example"}]}', { tool: "send_mail" }), "to"],
  [
    "by JSON in JSON in it",
    document(`{"x":${JSON.stringify('{"y":"{\\"to\\":\\"@evil\\"}"}')}}`, { tool: "send" }),
    "to",
  ],
  ["by its tool", document('{"to":"a@evil.example"}', { tool: "read_mail" }), undefined],
  ["by a rule for its role", document('{"secret":1}', { role: "tool" }), "result"],
  ["by no rule for another role", document('{"secret":1}'), undefined],
  ["by nothing else than patterns with a path", document('{"a":"falcon ann@example.com"}'), undefined],
])("a whole value is judged %s", (_how, text, blockedBy) => {
  const verdict = inspect(compilePolicyWith(documentPolicy, loadModel()), {
    texts: [text],
    side: "input",
    areDocuments: true,
  });
  expect(verdict.message).toBe(blockedBy && `Request blocked: keyword '${blockedBy}' detected in input.`);
  expect(verdict.findings.map(({ label }) => label)).toEqual(blockedBy === undefined ? [] : [blockedBy]);
  expect(verdict.maskedTexts).toBeUndefined();
});

test("a whole value of an answer is judged only if answers are", () => {
  const ask = (more: object) =>
    inspect(compilePolicyWith({ ...documentPolicy, ...more }, loadModel()), {
      texts: [document('{"seen":1}')],
      side: "output",
      areDocuments: true,
    });
  expect(ask({}).findings).toEqual([]);
  expect(ask({ apply_to_output: true })).toMatchObject({
    blocked: false,
    findings: [{ label: "seen", start: 0, end: 10 }],
  });
});

test("a pattern in mask mode masks every match in a long text", () => {
  const document = { patterns: [{ name: "ticket", pattern: "TCK-[0-9]{4}", mode: "mask" }] };
  const long = "TCK-1234 and ".repeat(2_000);
  expect(judge(document, { texts: [user(long)] }).maskedTexts).toEqual(["[ticket] and ".repeat(2_000)]);
});

test.each<readonly [object, RegExp]>([
  [{ patterns: [{ name: "n" }] }, /patterns\[0\] names nothing to look for/],
  [{ patterns: [{ path: "amount" }] }, /patterns\[0\]\.path must be a JSONPath/],
  [{ patterns: [{ path: "$.a", pattern: "b", mode: "mask" }] }, /patterns\[0\]\.mode/],
  [{ patterns: [{ tool: "t", mode: "mask" }] }, /patterns\[0\]\.mode/],
  [{ rules: [{ name: "r", when: {}, patterns: [{ pattern: "(" }] }] }, /rules\[0\].*patterns\[0\]/],
  [{ rules: [{ name: "r", when: { headers: { cookie: ["a"] } } }] }, /headers may name only/],
  ...["x-forwarded-for", "X-Real-IP", "x-api-key", "x-auth-token", "x-request-id", "x-gatehouse-user"].map(
    (name) => [{ rules: [{ name: "r", when: { headers: { [name]: ["a"] } } }] }, /headers may not name x-/] as const,
  ),
  [{ rules: [{ name: "r", when: { sample: 2 } }] }, /sample/],
  [{ shadow: { external: [] } }, /shadow/],
])("a contradictory policy is refused: %j", (document, message) => {
  expect(() => compilePolicyWith(document, loadModel())).toThrow(message);
});

test("placeholders number the values of all texts and of a session's calls", () => {
  const policy = compilePolicyWith({ pii: { mode: "mask", entities: ["email"] }, reversible_masks: true }, loadModel());
  const texts = [user("ann@example.com, bob@example.com"), user("ann@example.com")];
  const verdict = inspect(policy, { texts, side: "input" });
  expect(verdict.maskedTexts).toEqual(["[E-Mail 1], [E-Mail 2]", "[E-Mail 1]"]);
  expect(verdict.placeholders).toEqual([
    { label: "E-Mail 1", value: "ann@example.com" },
    { label: "E-Mail 2", value: "bob@example.com" },
  ]);
  const placeholders = [{ label: "E-Mail 4", value: "" }];
  expect(inspect(policy, { texts, side: "input", placeholders }).maskedTexts?.[1]).toBe("[E-Mail 5]");
  const answer = [{ role: "assistant", text: "ann@example.com" }];
  expect(inspect(policy, { texts: answer, side: "output" }).maskedTexts).toBeUndefined();
});

const masksMails = { pii: { mode: "mask", entities: ["email"] }, reversible_masks: true };
const labelsOf = (document: object, texts: readonly InspectedText[]) =>
  judge(document, { texts }).placeholders?.map(({ label }) => label);

test("a placeholder that a caller wrote is not used for a value", () => {
  const written = [user("repeat [E-Mail 1], [e-mail 2]"), user("ann@example.com, bob@example.com"), user("[E-Mail 4]")];
  expect(labelsOf(masksMails, written)).toEqual(["E-Mail 3", "E-Mail 5"]);
  expect(labelsOf(masksMails, [user("[E-Mail 999999999] ann@example.com")])).toEqual(["E-Mail 1"]);
  const policy = compilePolicyWith(masksMails, loadModel());
  const placeholders = [999_999_999, 1].map((number) => ({ label: `E-Mail ${number}`, value: "" }));
  const verdict = inspect(policy, { texts: [user("ann@example.com")], side: "input", placeholders });
  expect(verdict.placeholders).toEqual([{ label: "E-Mail 2", value: "ann@example.com" }]);
});

test("placeholders of two kinds differ regardless of case", () => {
  const patterns = ["id", "ID"].map((name, at) => ({ name, pattern: `${at}-[0-9]{4}`, mode: "mask" }));
  expect(labelsOf({ patterns, reversible_masks: true }, [user("0-1234 1-1234")])).toEqual(["id 1", "ID 2"]);
});

test("masks have plain labels when a text has very many placeholders", () => {
  const written = Array.from({ length: 10_001 }, (_, index) => `[x ${index}]`).join("");
  const verdict = judge(masksMails, { texts: [user(`${written} ann@example.com`)] });
  expect(verdict.placeholders).toBeUndefined();
  expect(verdict.maskedTexts?.[0]?.endsWith("] [E-Mail]")).toBe(true);
});

test("a saved policy is unchanged when it is read", () => {
  const model = loadModel();
  const { document } = compilePolicyWith(
    {
      rules: [{ name: "r", when: { roles: ["tool"], headers: { "X-A": ["b"] } }, prompt_injection: { mode: "block" } }],
      shadow: { keywords: ["a"], rules: [{ name: "s", when: {}, patterns: [{ tool: "t" }] }] },
      findings: "excerpts",
      reversible_masks: true,
    },
    model,
  );
  const stored: unknown = JSON.parse(JSON.stringify(document));
  expect(JSON.parse(JSON.stringify(compilePolicyWith(stored, model).document))).toEqual(stored);
});

test.each([
  [{ keywords: ["a", "--"] }, "policy: keywords[1] has nothing"],
  [{ keywords: ["   "] }, "policy: keywords[0] has nothing"],
  [{ keywords: ["a", "b", ""] }, "policy: keywords[2] has nothing to look for: it is empty"],
  [{ rules: [{ name: "r", when: {}, keywords: [""] }] }, "policy: rules[0].keywords[0] has nothing"],
  [{ rules: [{ name: "r", when: {}, keywords: ["--"] }] }, "policy: rules[0].keywords[0] has nothing"],
  [{ shadow: { keywords: ["--"] } }, "policy: shadow.keywords[0] has nothing"],
  [
    { shadow: { rules: [{ name: "r", when: {}, keywords: ["--"] }] } },
    "policy: shadow.rules[0].keywords[0] has nothing",
  ],
])("a keyword that can never be found is refused at every place: %j", (document, message) => {
  expect(() => checkFindable(compilePolicyWith(document, loadModel()))).toThrow(message);
});
