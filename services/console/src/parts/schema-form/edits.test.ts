import { expect, test } from "vitest";
import { argumentsToSend, problemsOf } from "./arguments.ts";
import { contestedNames, type Draft, edited, sent, settled, unsavedNames, valueOf } from "./edits.ts";
import { Unreadable } from "./unreadable.ts";

const asOpened: Draft = { base: { name: "Shop", limit: 10 }, edits: {}, isBusy: false, isRefused: false };
const { base: initial } = asOpened;

function withEdit(draft: Draft, name: string, value: unknown): Draft {
  return { ...draft, edits: edited(draft, name, value) };
}

/** As the form renders it. */
function drawn(draft: Draft): Draft {
  return { ...draft, edits: settled(draft) };
}

function withSent(draft: Draft): Draft {
  return { ...draft, edits: sent(draft), isBusy: true, isRefused: false };
}

function withSaved(draft: Draft): Draft {
  return drawn({ ...withSent(draft), isBusy: false });
}

function withRead(draft: Draft, read: Draft["base"]): Draft {
  return drawn({ ...draft, base: { ...draft.base, ...read } });
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
  const saved = withSaved(withEdit(asOpened, "limit", 5));
  expect(unsavedNames(saved)).toEqual([]);
  expect(valueOf(saved, "limit")).toBe(5);
  expect(valueOf(withRead(saved, { limit: 5 }), "limit")).toBe(5);
  expect(valueOf(withRead(saved, { limit: 7 }), "limit")).toBe(7);
});

test("a saved value does not come back when the gateway's is again what it was before", () => {
  const readBack = withRead(withSaved(withEdit(asOpened, "limit", 5)), { limit: 5 });
  const setBack = withRead(readBack, { limit: 10 });
  expect(valueOf(setBack, "limit")).toBe(10);
  const again = withEdit(setBack, "limit", 5);
  expect(unsavedNames(again)).toEqual(["limit"]);
  expect(contestedNames(again)).toEqual([]);
  expect(argumentsToSend(again, again.base)).toEqual({ limit: 5 });
});

test("a second change sends nothing of the first again", () => {
  const readBack = withRead(withSaved(withEdit(asOpened, "limit", 5)), { limit: 5 });
  const second = withEdit(readBack, "name", "Web shop");
  expect(argumentsToSend(second, second.base)).toEqual({ name: "Web shop" });
  expect(Object.keys(sent(second))).toEqual(["name"]);
});

test("a saved value that the gateway never shows is not sent again, whatever becomes of the next change", () => {
  const saved = withSaved(withEdit(asOpened, "api_key", "secret"));
  const second = withEdit(saved, "limit", 5);
  expect(argumentsToSend(second, initial)).toEqual({ limit: 5 });
  const refused = { ...withSent(second), isBusy: false, isRefused: true };
  expect(argumentsToSend(refused, initial)).toEqual({ limit: 5 });
});

test("typing while a change is being saved is no other person's change", () => {
  const typedOn = withEdit(withSent(withEdit(asOpened, "limit", 5)), "limit", 6);
  expect(contestedNames(typedOn)).toEqual([]);
  const saved = drawn({ ...typedOn, isBusy: false });
  expect([unsavedNames(saved), contestedNames(saved)]).toEqual([["limit"], []]);
  const readBack = withRead(saved, { limit: 5 });
  expect([valueOf(readBack, "limit"), unsavedNames(readBack), contestedNames(readBack)]).toEqual([6, ["limit"], []]);
  expect(contestedNames(withRead(saved, { limit: 7 }))).toEqual(["limit"]);
});

test("what was typed before and during a save that is refused is unsaved", () => {
  const typedBack = withEdit(withEdit(withSent(withEdit(asOpened, "limit", 5)), "limit", 6), "limit", 5);
  expect(unsavedNames(typedBack)).toEqual([]);
  const refused = drawn({ ...typedBack, isBusy: false, isRefused: true });
  expect(argumentsToSend(refused, initial)).toEqual({ limit: 5 });
});

test("a value that is typed back while its change is being saved is a change again once that is read", () => {
  const typedBack = withEdit(withSent(withEdit(asOpened, "limit", 5)), "limit", 10);
  const readBack = withRead(drawn({ ...typedBack, isBusy: false }), { limit: 5 });
  expect(argumentsToSend(readBack, readBack.base)).toEqual({ limit: 10 });
});

test("a value that is typed back follows the gateway's, unless that has moved before", () => {
  const back = withEdit(withEdit(asOpened, "limit", 5), "limit", 10);
  expect(valueOf(withRead(back, { limit: 7 }), "limit")).toBe(7);
  const moved = withEdit(withRead(withEdit(asOpened, "limit", 5), { limit: 7 }), "limit", 10);
  expect([unsavedNames(moved), contestedNames(moved)]).toEqual([["limit"], ["limit"]]);
  expect(unsavedNames(withEdit(moved, "limit", 7))).toEqual([]);
});

test("a removed value is named where its schema has no null, and null where the form may clear it", () => {
  const cleared = withEdit(asOpened, "limit", undefined);
  const form = { schema: {}, names: ["name", "limit"], initial };
  expect(problemsOf(form, cleared)).toEqual({ limit: { error: "This cannot be empty." } });
  expect(problemsOf({ ...form, isClearable: true }, cleared)).toEqual({});
  expect(argumentsToSend(cleared, initial)).toEqual({ limit: null });
  expect(problemsOf(form, withEdit(asOpened, "limit", null))).toEqual({});
});

test("a secret that is typed and deleted again is untouched", () => {
  const deleted = withEdit(withEdit(asOpened, "api_key", "half"), "api_key", undefined);
  expect([unsavedNames(deleted), problemsOf({ schema: {}, names: ["api_key"], initial }, deleted)]).toEqual([[], {}]);
  expect(argumentsToSend(deleted, initial)).toEqual({});
});

test("a refused value is unsaved again, and sent with the next try", () => {
  const typed = withEdit(asOpened, "limit", 5);
  const refused = { ...typed, edits: sent(typed), isRefused: true };
  expect(unsavedNames(refused)).toEqual(["limit"]);
  expect(argumentsToSend(refused, initial)).toEqual({ limit: 5 });
});

test("of something new all that stands in the form is sent, proposals too, and again with the next call", () => {
  const opened: Draft = { base: { scopes: ["chat"] }, edits: {}, isBusy: false, isRefused: false };
  const typed = withEdit(opened, "name", "Mine");
  expect(argumentsToSend(typed, undefined)).toEqual({ scopes: ["chat"], name: "Mine" });
  expect(argumentsToSend({ ...typed, edits: sent(typed) }, undefined)).toEqual({ scopes: ["chat"], name: "Mine" });
  expect(argumentsToSend(withEdit(typed, "name", undefined), undefined)).toEqual({ scopes: ["chat"] });
});

test("what cannot be read is unsaved, and a problem at its place", () => {
  const half = withEdit(asOpened, "schema", new Unreadable("{", "Not JSON"));
  expect(unsavedNames(half)).toEqual(["schema"]);
  const inside = withEdit(half, "targets", [{ model: "m" }, { price: new Unreadable("1,5", "No comma") }]);
  expect(unsavedNames(inside)).toEqual(["schema", "targets"]);
  expect(problemsOf({ schema: {}, names: ["name", "schema", "targets"], initial }, inside)).toEqual({
    schema: { error: "Not JSON", errorPath: [] },
    targets: { error: "No comma", errorPath: ["1", "price"] },
  });
});
