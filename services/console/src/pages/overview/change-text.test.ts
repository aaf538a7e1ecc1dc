import { expect, test } from "vitest";
import { formatCount } from "../../parts/format.ts";
import { changeText } from "./change-text.ts";

test.each([
  [12, 10, "+20 % from 10"],
  [5, 0, "0 before"],
  [0, 0, "unchanged"],
  [0, 4, "−100 % from 4"],
  [undefined, 40, "40 before"],
  [40, undefined, "no earlier data"],
  [undefined, undefined, "no earlier data"],
])("%s after %s is: %s", (now, before, text) => {
  expect(changeText(now, before, formatCount).replaceAll("\u202F", " ")).toBe(text);
});
