import { expect, test } from "vitest";
import { parseJsonPath, selectTexts } from "./json-path.ts";

const order = {
  to: { iban: "DE00", "post code": 53_111 },
  items: [{ note: "a" }, { note: "b", sub: { note: "c" } }],
  isPaid: true,
};

test.each([
  ["$.to.iban", ["DE00"]],
  ["$['to']['post code']", ["53111"]],
  ["$.items[1].note", ["b"]],
  ["$.items[*].note", ["a", "b"]],
  ["$..note", ["a", "b", "c"]],
  ["$.to.*", ["DE00", "53111"]],
  ["$.items[9].note", []],
  ["$.to.toString", []],
  ["$.isPaid", ["true"]],
])("%s names its values", (path, texts) => {
  expect(selectTexts(order, parseJsonPath(path) ?? [])).toEqual(texts);
});

test.each(["", "$", "to.iban", "$to", "$.", "$..", "$[", "$['a", "$[-1]", "$[?(@.a)]", "$.a b", `$${".a".repeat(21)}`])(
  "%j is no path",
  (path) => {
    expect(parseJsonPath(path)).toBeUndefined();
  },
);

test("a hostile text costs a bounded search", () => {
  let nested: unknown = "x";
  for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
  const wide = Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => ({ a: 1 })));
  const startedAt = performance.now();
  selectTexts(nested, parseJsonPath("$..a..a..a") ?? []);
  selectTexts(wide, parseJsonPath("$..*..*..*..*") ?? []);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
