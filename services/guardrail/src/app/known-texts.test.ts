import { expect, test } from "vitest";
import { inspectTexts } from "../domain/policy/inspect.ts";
import type { CallContext } from "../domain/policy/scope.ts";
import type { InspectedText, InspectRequest, TextOutcome } from "../domain/policy/verdict.ts";
import { compilePolicy } from "../training.ts";
import { KnownTexts } from "./known-texts.ts";

const policy = compilePolicy({ keywords: ["falcon"], pii: { mode: "mask" }, secrets: { mode: "block" } });
const clean: TextOutcome = [];
const long = "Rain is expected over the hills tomorrow. ".repeat(20);

function ask(entry: Partial<InspectedText> = {}, of: Partial<InspectRequest> = {}): InspectRequest {
  return { side: "input", texts: [{ role: "user", text: long, ...entry }], ...of };
}

function learn(request = ask(), of = policy, outcome = clean): KnownTexts {
  const texts = new KnownTexts(100);
  texts.remember(texts.digestsOf(of, request, "a"), new Map([[0, outcome]]));
  return texts;
}

function isKnown(texts: KnownTexts, request: InspectRequest, { of = policy, project = "a" } = {}): boolean {
  return texts.ask(request, texts.digestsOf(of, request, project)).known?.has(0) === true;
}

test("a judged text is known, regardless of the request's other texts", () => {
  const texts = learn();
  expect(isKnown(texts, ask())).toBe(true);
  expect(isKnown(texts, { side: "input", texts: [...ask().texts, { role: "user", text: "and now?" }] })).toBe(true);
});

test("a known text's findings are returned at their places", () => {
  const text = `${long} Mail ana@example.org.`;
  const texts = new KnownTexts(100);
  const judge = (request: InspectRequest) => {
    const digests = texts.digestsOf(policy, request, "a");
    const asked = texts.ask(request, digests);
    const { verdict, outcomes } = inspectTexts(policy, asked);
    texts.remember(digests, outcomes);
    return { verdict, known: asked.known?.size };
  };
  const first = judge(ask({ text }));
  expect(first.verdict.maskedTexts).toEqual([`${long} Mail [E-Mail].`]);
  const again: InspectRequest = {
    side: "input",
    texts: [
      { role: "user", text: "Hello." },
      { role: "user", text },
    ],
  };
  const { verdict, known } = judge(again);
  expect(known).toBe(1);
  expect(verdict).toEqual(inspectTexts(policy, again).verdict);
  expect(verdict.findings).toMatchObject([{ entity: "email", textIndex: 1 }]);
});

test.each([
  { name: "that is blocked", texts: [`${long} falcon`] },
  { name: "after a blocked one, which ends the checks", texts: ["falcon", long] },
])("a text $name is judged again", ({ texts }) => {
  const wanted = new Set(texts.keys());
  const request = { side: "input" as const, texts: texts.map((text) => ({ role: "user", text })), wanted };
  const { verdict, outcomes } = inspectTexts(policy, request);
  expect(verdict.blocked).toBe(true);
  expect(outcomes.size).toBe(0);
});

const context: CallContext = {
  tokenId: 1,
  surface: "chat",
  models: [],
  headers: {},
  samplePoint: 0.9,
  requestId: "r",
};
const ruled = compilePolicy({
  keywords: ["falcon"],
  rules: [{ name: "sampled", when: { sample: 0.5 }, keywords: ["hills"] }],
});

test.each([
  { name: "another text", request: ask({ text: `${long}!` }) },
  { name: "another role", request: ask({ role: "tool" }) },
  { name: "another tool", request: ask({ tool: "search" }) },
  {
    name: "a text that becomes the same bytes in UTF-8",
    request: ask({ text: `${long}\u{d800}` }),
    learnt: ask({ text: `${long}\u{fffd}` }),
  },
  { name: "the other side", request: ask({}, { side: "output" }) },
  { name: "another project", request: ask(), project: "b" },
  { name: "another policy", request: ask(), of: compilePolicy({ keywords: ["hills"] }) },
])("$name is not known", ({ request, learnt, project, of }) => {
  const texts = learn(learnt);
  expect(isKnown(texts, learnt ?? ask())).toBe(true);
  expect(isKnown(texts, request, { ...(project && { project }), ...(of && { of }) })).toBe(false);
});

test("a text is known only for the same rules", () => {
  const texts = learn(ask({}, { context }), ruled);
  expect(isKnown(texts, ask({}, { context }), { of: ruled })).toBe(true);
  expect(isKnown(texts, ask({}, { context: { ...context, samplePoint: 0.1 } }), { of: ruled })).toBe(false);
});

test("short texts are never known, and nothing is known when the bound is 0", () => {
  const short = ask({ text: "Rain is expected." });
  expect(isKnown(learn(short), short)).toBe(false);
  const none = new KnownTexts(0);
  none.remember(none.digestsOf(policy, ask(), "a"), new Map([[0, clean]]));
  expect(isKnown(none, ask())).toBe(false);
});

const finding = { detector: "pii", label: "E-Mail", start: 0, end: 4, textIndex: 0 } as const;

const mails = (count: number) => `${long} ${"a@example.org ".repeat(count)}`;
const asking = (texts: readonly string[]): InspectRequest => ({
  side: "input",
  texts: texts.map((text) => ({ role: "user", text })),
});

test("a text with very many findings is judged each time", () => {
  const request = { ...asking([mails(101), mails(100)]), wanted: new Set([0, 1]) };
  // A find and its mask are two.
  expect([...inspectTexts(policy, request).outcomes.keys()]).toEqual([1]);
});

test("findings of known texts are returned up to a bound, and texts beyond it are judged", () => {
  const texts = new KnownTexts(10_000);
  const request = asking(Array.from({ length: 15 }, (_, index) => `${index} ${mails(100)}`));
  const digests = texts.digestsOf(policy, request, "a");
  const knownOf = () => texts.ask(request, digests).known?.size;
  const judge = () => {
    const { verdict, outcomes } = inspectTexts(policy, texts.ask(request, digests));
    texts.remember(digests, outcomes);
    return { verdict, learnt: outcomes.size };
  };
  expect(judge().learnt).toBe(10);
  expect(knownOf()).toBe(10);
  const second = judge();
  expect(second).toEqual({ verdict: inspectTexts(policy, request).verdict, learnt: 5 });
  // All are known by now, each by itself.
  expect(knownOf()).toBe(10);
  for (const entry of request.texts) expect(isKnown(texts, { side: "input", texts: [entry] })).toBe(true);
});

test("the first of very many texts can be known, so that digests do not delay other calls", () => {
  const texts = new KnownTexts(10_000);
  const digests = texts.digestsOf(policy, asking(Array.from({ length: 2_100 }, (_, index) => `${index} ${long}`)), "a");
  expect(digests.size).toBe(2_048);
  expect(digests.has(0)).toBe(true);
});

test("the least recently used texts are forgotten, and those with findings take more room", () => {
  const requests = [1, 2, 3].map((number) => ask({ text: `${number} ${long}` }));
  const keep = (outcome: TextOutcome) => {
    const texts = new KnownTexts(3);
    for (const request of requests) texts.remember(texts.digestsOf(policy, request, "a"), new Map([[0, outcome]]));
    return requests.map((request) => isKnown(texts, request));
  };
  expect(keep(clean)).toEqual([true, true, true]);
  expect(keep([{ findings: [finding], masks: [] }])).toEqual([false, false, true]);
});

test("whole JSON values are judged each time, since only patterns with a path judge them", () => {
  const documents = ask({}, { areDocuments: true });
  expect(isKnown(learn(), documents)).toBe(false);
  expect(isKnown(learn(documents), ask())).toBe(false);
});
