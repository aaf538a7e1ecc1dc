import { expect, test } from "vitest";
import { nameSkeleton } from "./name-skeleton.ts";

test.each([
  ["Environment", "environment"],
  ["\u0435nvir\u043enment", "environment"],
  ["\uff45nvironment", "environment"],
  ["\u0391l\u0456ce", "alice"],
  ["Ren\u00c9", "ren\u00e9"],
])("%j may be taken for %j", (name, other) => {
  expect(nameSkeleton(name)).toBe(nameSkeleton(other));
});

test.each([
  ["rene", "ren\u00e9"],
  ["robot1", "robot2"],
  ["\u0431\u043e\u0431", "bob"],
])("%j is another name than %j", (name, other) => {
  expect(nameSkeleton(name)).not.toBe(nameSkeleton(other));
});
