import { expect, test } from "vitest";
import { CallIds } from "./call-ids.ts";

test("ids are different random UUIDs, over any number of ids made at once", () => {
  const ids = new CallIds();
  const made = Array.from({ length: 1_000 }, () => ids.next());
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(made).size).toBe(made.length);
  expect(made).not.toContain(new CallIds().next());
  // Each digit that is not of the version or variant takes each value.
  for (const at of [0, 7, 9, 12, 15, 17, 20, 22, 24, 35]) {
    expect(new Set(made.map((id) => id[at])).size).toBe(16);
  }
});
