import { expect, test } from "vitest";
import { looksLikeOne, nameSkeleton } from "./name-skeleton.ts";

test.each([
  ["Environment", "environment"],
  ["\u0435nvir\u043enment", "environment"],
  ["\uff45nvironment", "environment"],
  ["\u0391l\u0456ce", "alice"],
  ["Ren\u00c9", "ren\u00e9"],
  ["R\u0435n\u0435\u0301", "Ren\u00e9"],
  ["AIice", "Alice"],
  ["A1ice", "Alice"],
  ["A|ice", "alice"],
  ["Al\u0131ce", "alice"],
  ["Al\u0130ce", "alice"],
  ["Alice\u0489", "alice"],
  ["x\u0301ena", "xena"],
  ["r0b0t", "robot"],
  ["Bums", "Burns"],
  ["vvendy", "Wendy"],
  ["on-call", "on\u2010call"],
  ["on\u2013call", "on\u2212call"],
  ["O'Brien", "O\u2019Brien"],
])("%j may be taken for %j", (name, other) => {
  expect(nameSkeleton(name)).toBe(nameSkeleton(other));
});

test.each([
  ["rene", "ren\u00e9"],
  ["robot1", "robot2"],
  ["\u0431\u043e\u0431", "bob"],
  ["on-call", "oncall"],
  ["on-call", "on call"],
  ["\u0930\u093e\u092e", "\u0930\u092e"],
  ["\u304b", "\u304c"],
])("%j is another name than %j", (name, other) => {
  expect(nameSkeleton(name)).not.toBe(nameSkeleton(other));
});

test.each([
  "lnitial",
  "\u0131nitial",
  "\u0130nitial",
  "1nitial",
  "|nitial",
  "\u00edniti\u00e1l",
  "Environrnent",
  "envir0nment",
  "environme\u0303nt",
])("%j may be taken for a name of the gateway's own", (name) => {
  expect(looksLikeOne(name, ["environment", "initial"])).toBe(true);
});

test.each(["environment 2", "initials", "initia"])("%j is not taken for a name of the gateway's own", (name) => {
  expect(looksLikeOne(name, ["environment", "initial"])).toBe(false);
});
