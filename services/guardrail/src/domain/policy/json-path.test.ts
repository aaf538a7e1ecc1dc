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
])("%s selects its values", (path, texts) => {
  expect(selectTexts([order], parseJsonPath(path) ?? [])).toEqual(texts);
});

test.each(["", "$", "to.iban", "$to", "$.", "$..", "$[", "$['a", "$[-1]", "$[?(@.a)]", "$.a b", `$${".a".repeat(21)}`])(
  "%j is not a path",
  (path) => {
    expect(parseJsonPath(path)).toBeUndefined();
  },
);

test("a value after very many others is found", () => {
  const padded = { pad: Array.from({ length: 120_000 }, () => 0), to: { iban: "DE00" } };
  expect(selectTexts([padded], parseJsonPath("$..iban") ?? [])).toEqual(["DE00"]);
});

test("the search in a hostile text is bounded, with an unknown result", () => {
  let nested: unknown = "x";
  for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
  let named: unknown = "x";
  for (let depth = 0; depth < 20_000; depth += 1) named = { a: named };
  let shallow: unknown = "x".repeat(200_000);
  for (let depth = 0; depth < 1_000; depth += 1) shallow = { a: shallow };
  const wide = Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => ({ a: 1 })));
  const startedAt = performance.now();
  expect(selectTexts([nested], parseJsonPath("$..a..a..a") ?? [])).toEqual([]);
  expect(selectTexts([nested], parseJsonPath("$..*") ?? [])).toBeUndefined();
  expect(selectTexts([named], parseJsonPath("$..a") ?? [])).toBeUndefined();
  expect(selectTexts([shallow], parseJsonPath("$..a") ?? [])).toBeUndefined();
  expect(selectTexts([wide], parseJsonPath("$..*..*..*..*") ?? [])).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
