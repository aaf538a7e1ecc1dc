import { expect, test } from "vitest";
import { argumentsToSend } from "./arguments.ts";
import { contestedNames, type Draft, edited, sent, unsavedNames, valueOf } from "./edits.ts";

const asOpened: Draft = { base: { name: "Shop", limit: 10 }, edits: {}, isRefused: false };
const { base: initial } = asOpened;

function withEdit(draft: Draft, name: string, value: unknown): Draft {
  return { ...draft, edits: edited(draft, name, value) };
}

test("only what the person has changed is sent, whatever others change meanwhile", () => {
  const typed = withEdit(asOpened, "name", "Web shop");
  const changedByOthers = { ...typed, base: { name: "Shop", limit: 99 } };
  expect(argumentsToSend(changedByOthers, changedByOthers.base)).toEqual({ name: "Web shop" });
  expect(valueOf(changedByOthers, "limit")).toBe(99);
});

test("a value that is typed back to what it was is untouched", () => {
  const back = withEdit(withEdit(asOpened, "limit", 5), "limit", 10);
  expect(unsavedNames(back)).toEqual([]);
  expect(argumentsToSend(back, initial)).toEqual({});
});

test("a value that both have changed is named, unless both chose the same", () => {
  const typed = withEdit(asOpened, "limit", 5);
  expect(contestedNames(typed)).toEqual([]);
  expect(contestedNames({ ...typed, base: { ...initial, limit: 7 } })).toEqual(["limit"]);
  expect(contestedNames({ ...typed, base: { ...initial, limit: 5 } })).toEqual([]);
});

test("a saved value stays in sight until it is read back, and gives way to one that comes later", () => {
  const typed = withEdit(asOpened, "limit", 5);
  const saved = { ...typed, edits: sent(typed) };
  expect(unsavedNames(saved)).toEqual([]);
  expect(valueOf(saved, "limit")).toBe(5);
  expect(valueOf({ ...saved, base: { ...initial, limit: 5 } }, "limit")).toBe(5);
  expect(valueOf({ ...saved, base: { ...initial, limit: 7 } }, "limit")).toBe(7);
});

test("a second change sends nothing of the first again", () => {
  const first = withEdit(asOpened, "limit", 5);
  const readBack = { ...first, edits: sent(first), base: { ...initial, limit: 5 } };
  const second = withEdit(readBack, "name", "Web shop");
  expect(argumentsToSend(second, second.base)).toEqual({ name: "Web shop" });
  expect(Object.keys(sent(second))).toEqual(["name"]);
});

test("a refused value is unsaved again, and sent with the next try", () => {
  const typed = withEdit(asOpened, "limit", 5);
  const refused = { ...typed, edits: sent(typed), isRefused: true };
  expect(unsavedNames(refused)).toEqual(["limit"]);
  expect(argumentsToSend(refused, initial)).toEqual({ limit: 5 });
});

test("of something new all that stands in the form is sent, proposals too, and again with the next call", () => {
  const opened: Draft = { base: { scopes: ["chat"] }, edits: {}, isRefused: false };
  const typed = withEdit(opened, "name", "Mine");
  expect(argumentsToSend(typed, {})).toEqual({ scopes: ["chat"], name: "Mine" });
  expect(argumentsToSend({ ...typed, edits: sent(typed) }, {})).toEqual({ scopes: ["chat"], name: "Mine" });
  expect(argumentsToSend(withEdit(typed, "name", undefined), {})).toEqual({ scopes: ["chat"] });
});

test("JSON that does not parse yet is unsaved", () => {
  expect(unsavedNames(withEdit(asOpened, "schema", Symbol("unparsed")))).toEqual(["schema"]);
});
