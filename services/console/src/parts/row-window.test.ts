import { expect, test } from "vitest";
import { windowOf } from "./row-window.ts";

const rows = { rowHeight: 36, count: 10_000 };

test("the rows in view are drawn, with some on both sides", () => {
  expect(windowOf({ ...rows, top: 0, height: 720 })).toEqual({ first: 0, end: 48 });
  expect(windowOf({ ...rows, top: 36_000, height: 720 })).toEqual({ first: 980, end: 1_048 });
});

test("at the end of the list the window ends with it", () => {
  expect(windowOf({ ...rows, top: 359_280, height: 720 })).toEqual({ first: 9_956, end: 10_000 });
});

test("a list shorter than its scroll position has an empty window", () => {
  expect(windowOf({ ...rows, count: 10, top: 36_000, height: 720 })).toEqual({ first: 10, end: 10 });
});
