import { expect, test } from "vitest";
import { randomFrom } from "../../../test/random-key.ts";
import { longRowsOf, rowKind, runSearch } from "./long-rows.ts";
import { plainReading } from "./reading.ts";
import { nextRun, runKindOf } from "./runs.ts";

const letters = runKindOf("abcdefghijklmnopqrstuvwxyz", 16);

test.each([
  ["of the rows", rowKind],
  ["among those of the rows", letters],
])("runs of characters %s are those of the whole text, from any place on", (_, kind) => {
  const random = randomFrom(12);
  let found = 0;
  for (let round = 0; round < 1_000; round += 1) {
    const text = Array.from({ length: 12 }, () => "ab=: ".charAt(Math.floor(random() * 5)).repeat(random() * 30)).join(
      "",
    );
    const reading = plainReading(text);
    const search = runSearch(reading, kind, longRowsOf(reading));
    for (let from = 0; from <= text.length; from += 1 + Math.floor(random() * 20)) {
      const expected = nextRun(reading, from, kind);
      expect(search(from), `${text} from ${from}`).toBe(expected);
      found += expected < text.length ? 1 : 0;
    }
  }
  expect(found).toBeGreaterThan(1_000);
});
