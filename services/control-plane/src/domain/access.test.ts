import { expect, test } from "vitest";
import { highestAccess, parseAccess } from "./access.ts";

test("an owner's rights are parsed, and unknown ones count as the highest", () => {
  expect(parseAccess("write", "project")).toEqual({ right: "write", scope: "project" });
  for (const [right, scope] of [
    ["own", "project"],
    ["read", "planet"],
    ["", ""],
  ] as const) {
    expect(parseAccess(right, scope)).toEqual({ right: "administer", scope: "gateway" });
  }
});

test("an operation of several owners needs the highest of their rights", () => {
  const read = { right: "read", scope: "project" } as const;
  expect(highestAccess([read, read])).toEqual(read);
  expect(highestAccess([read, { right: "write", scope: "gateway" }])).toEqual({ right: "write", scope: "gateway" });
});
