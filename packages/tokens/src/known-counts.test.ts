import { expect, test } from "vitest";
import { KnownCounts } from "./known-counts.ts";

const long = "Every text of this length has a digest. ".repeat(20);

test("a long text has a key by tenant, and a short one has none", () => {
  const known = new KnownCounts(10);
  const [key, none] = known.keysOf([long, "short"], "p");
  expect(none).toBeUndefined();
  known.remember(key, 7);
  expect(known.find(key)).toBe(7);
  expect(known.find(known.keysOf([long], "q")[0])).toBeUndefined();
});

test.each([
  { name: "very many texts", texts: Array.from({ length: 2_049 }, () => long) },
  { name: "very long texts", texts: [long, "a".repeat(1_048_576)] },
])("the last of $name has no key, so that digests do not delay other calls", ({ texts }) => {
  const keys = new KnownCounts(10).keysOf(texts, "p");
  expect(keys[0]).toBeDefined();
  expect(keys.at(-1)).toBeUndefined();
});
