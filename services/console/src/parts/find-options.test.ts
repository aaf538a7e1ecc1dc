import { expect, test } from "vitest";
import { findOptions, optionsShownMax } from "./find-options.ts";

const options = Array.from({ length: 10_000 }, (_, at) => ({ value: `id-${at}`, label: `Number ${at}` }));

function found(search: string, among: readonly { readonly value: string; readonly label: string }[] = options) {
  return findOptions({ options: among, search }).map((option) => ("label" in option ? option.label : ""));
}

test("some of 10,000 options are shown, and a last line with the number of the others", () => {
  const shown = found("");
  expect(shown).toHaveLength(optionsShownMax + 1);
  expect(shown[0]).toBe("Number 0");
  expect(shown.at(-1)).toBe("Type to narrow 9\u202F970 more");
  expect(findOptions({ options, search: "" }).at(-1)).toMatchObject({ disabled: true });
});

test("an exact match comes first, then options that start with the search", () => {
  expect(found("number 9").slice(0, 3)).toEqual(["Number 9", "Number 90", "Number 91"]);
  expect(found("number 9").at(-1)).toBe("Type to narrow 3\u202F409 more");
  const others = options.map((option) => ({ ...option, label: `${option.label}x` }));
  const late = [...others, { value: "late", label: "Number" }];
  expect(found("number", late)[0]).toBe("Number");
});

test("an option is found by its words in any order, by its hint and by its value", () => {
  expect(found("9876 numb")).toEqual(["Number 9876"]);
  expect(found("id-9876")).toEqual(["Number 9876"]);
  const hinted = [{ value: "a", label: "Shop", hint: "5c1f…" }];
  expect(found("shop 5c1f", hinted)).toEqual(["Shop"]);
  expect(found("nothing such", hinted)).toEqual([]);
});

test("a few options are all shown, without a last line", () => {
  expect(found("", options.slice(0, optionsShownMax))).toHaveLength(optionsShownMax);
});
