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

test("only one's own changes are sent, regardless of concurrent changes", () => {
  const typed = withEdit(asOpened, "name", "Web shop");
  const changedByOthers = { ...typed, base: { name: "Shop", limit: 99 } };
  expect(argumentsToSend(changedByOthers, changedByOthers.base)).toEqual({ name: "Web shop" });
  expect(valueOf(changedByOthers, "limit")).toBe(99);
});

test("a value that is typed back to the original is unchanged", () => {
  const back = withEdit(withEdit(asOpened, "limit", 5), "limit", 10);
  expect(unsavedNames(back)).toEqual([]);
  expect(argumentsToSend(back, initial)).toEqual({});
});

test("a value that both people changed is contested, unless to the same value", () => {
  const typed = withEdit(asOpened, "limit", 5);
  expect(contestedNames(typed)).toEqual([]);
  expect(contestedNames({ ...typed, base: { ...initial, limit: 7 } })).toEqual(["limit"]);
  expect(contestedNames({ ...typed, base: { ...initial, limit: 5 } })).toEqual([]);
});

test("a saved value is shown until it is read back, and replaced by a later one", () => {
  const saved = withSaved(withEdit(asOpened, "limit", 5));
  expect(unsavedNames(saved)).toEqual([]);
  expect(valueOf(saved, "limit")).toBe(5);
  expect(valueOf(withRead(saved, { limit: 5 }), "limit")).toBe(5);
  expect(valueOf(withRead(saved, { limit: 7 }), "limit")).toBe(7);
});

test("a saved value does not return after the gateway's value changes back", () => {
  const readBack = withRead(withSaved(withEdit(asOpened, "limit", 5)), { limit: 5 });
  const setBack = withRead(readBack, { limit: 10 });
  expect(valueOf(setBack, "limit")).toBe(10);
  const again = withEdit(setBack, "limit", 5);
  expect(unsavedNames(again)).toEqual(["limit"]);
  expect(contestedNames(again)).toEqual([]);
  expect(argumentsToSend(again, again.base)).toEqual({ limit: 5 });
});

test("a second change does not send the first again", () => {
  const readBack = withRead(withSaved(withEdit(asOpened, "limit", 5)), { limit: 5 });
  const second = withEdit(readBack, "name", "Web shop");
  expect(argumentsToSend(second, second.base)).toEqual({ name: "Web shop" });
  expect(Object.keys(sent(second))).toEqual(["name"]);
});

test("a saved value that is never shown is not sent again, also after a refused change", () => {
  const saved = withSaved(withEdit(asOpened, "api_key", "secret"));
  const second = withEdit(saved, "limit", 5);
  expect(argumentsToSend(second, initial)).toEqual({ limit: 5 });
  const refused = { ...withSent(second), isBusy: false, isRefused: true };
  expect(argumentsToSend(refused, initial)).toEqual({ limit: 5 });
});

test("input during a save is not another person's change", () => {
  const typedOn = withEdit(withSent(withEdit(asOpened, "limit", 5)), "limit", 6);
  expect(contestedNames(typedOn)).toEqual([]);
  const saved = drawn({ ...typedOn, isBusy: false });
  expect([unsavedNames(saved), contestedNames(saved)]).toEqual([["limit"], []]);
  const readBack = withRead(saved, { limit: 5 });
  expect([valueOf(readBack, "limit"), unsavedNames(readBack), contestedNames(readBack)]).toEqual([6, ["limit"], []]);
  expect(contestedNames(withRead(saved, { limit: 7 }))).toEqual(["limit"]);
});

test("input before and during a refused save is unsaved", () => {
  const typedBack = withEdit(withEdit(withSent(withEdit(asOpened, "limit", 5)), "limit", 6), "limit", 5);
  expect(unsavedNames(typedBack)).toEqual([]);
  const refused = drawn({ ...typedBack, isBusy: false, isRefused: true });
  expect(argumentsToSend(refused, initial)).toEqual({ limit: 5 });
});

test("a value typed back during its save is a change after the save is read", () => {
  const typedBack = withEdit(withSent(withEdit(asOpened, "limit", 5)), "limit", 10);
  const readBack = withRead(drawn({ ...typedBack, isBusy: false }), { limit: 5 });
  expect(argumentsToSend(readBack, readBack.base)).toEqual({ limit: 10 });
});

test("a value typed back follows the gateway's value, unless that changed before", () => {
  const back = withEdit(withEdit(asOpened, "limit", 5), "limit", 10);
  expect(valueOf(withRead(back, { limit: 7 }), "limit")).toBe(7);
  const moved = withEdit(withRead(withEdit(asOpened, "limit", 5), { limit: 7 }), "limit", 10);
  expect([unsavedNames(moved), contestedNames(moved)]).toEqual([["limit"], ["limit"]]);
  expect(unsavedNames(withEdit(moved, "limit", 7))).toEqual([]);
});

test("a cleared value has an error if its schema has no null, and is sent as null if the form may clear it", () => {
  const cleared = withEdit(asOpened, "limit", undefined);
  const form = { schema: {}, names: ["name", "limit"], initial };
  expect(problemsOf(form, cleared)).toEqual({ limit: { error: "This cannot be empty." } });
  expect(problemsOf({ ...form, isClearable: true }, cleared)).toEqual({});
  expect(argumentsToSend(cleared, initial)).toEqual({ limit: null });
  expect(problemsOf(form, withEdit(asOpened, "limit", null))).toEqual({});
});

test("a secret that is typed and deleted is unchanged", () => {
  const deleted = withEdit(withEdit(asOpened, "api_key", "half"), "api_key", undefined);
  expect([unsavedNames(deleted), problemsOf({ schema: {}, names: ["api_key"], initial }, deleted)]).toEqual([[], {}]);
  expect(argumentsToSend(deleted, initial)).toEqual({});
});

test("a refused value is unsaved, and sent with the next try", () => {
  const typed = withEdit(asOpened, "limit", 5);
  const refused = { ...typed, edits: sent(typed), isRefused: true };
  expect(unsavedNames(refused)).toEqual(["limit"]);
  expect(argumentsToSend(refused, initial)).toEqual({ limit: 5 });
});

test("every value of a new object's form is sent, defaults too, and again with the next call", () => {
  const opened: Draft = { base: { scopes: ["chat"] }, edits: {}, isBusy: false, isRefused: false };
  const typed = withEdit(opened, "name", "Mine");
  expect(argumentsToSend(typed, undefined)).toEqual({ scopes: ["chat"], name: "Mine" });
  expect(argumentsToSend({ ...typed, edits: sent(typed) }, undefined)).toEqual({ scopes: ["chat"], name: "Mine" });
  expect(argumentsToSend(withEdit(typed, "name", undefined), undefined)).toEqual({ scopes: ["chat"] });
});

test("an invalid input is unsaved, with its error at its place", () => {
  const half = withEdit(asOpened, "schema", new Unreadable("{", "Not JSON"));
  expect(unsavedNames(half)).toEqual(["schema"]);
  const inside = withEdit(half, "targets", [{ model: "m" }, { price: new Unreadable("1,5", "No comma") }]);
  expect(unsavedNames(inside)).toEqual(["schema", "targets"]);
  expect(problemsOf({ schema: {}, names: ["name", "schema", "targets"], initial }, inside)).toEqual({
    schema: { error: "Not JSON", errorPath: [] },
    targets: { error: "No comma", errorPath: ["1", "price"] },
  });
});
