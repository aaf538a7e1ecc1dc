import { expect, test } from "vitest";
import { randomFrom } from "../../../test/random-key.ts";
import { plainReading } from "./reading.ts";
import { nextRun, runKindOf, runsOf } from "./runs.ts";

const kind = runKindOf("ab", 4);

function startsOf(text: string): number[] {
  const reading = plainReading(text);
  const starts: number[] = [];
  for (let at = nextRun(reading, 0, kind); at < text.length; at = nextRun(reading, at, kind)) {
    starts.push(at);
    while ("ab".includes(text.charAt(at)) && at < text.length) at += 1;
  }
  return starts;
}

test("a run is found from its first unit, at any place", () => {
  const random = randomFrom(5);
  for (let round = 0; round < 2_000; round += 1) {
    const text = Array.from({ length: 40 }, () => "aab -"[Math.floor(random() * 5)]).join("");
    expect(startsOf(text), text).toEqual(Array.from(text.matchAll(/[ab]{4,}/gu), ({ index }) => index));
  }
});

test("runs that are too short are skipped, up to the end", () => {
  expect(nextRun(plainReading("aba ab aab"), 0, kind)).toBe(10);
  expect(nextRun(plainReading(""), 0, kind)).toBe(0);
});

test("all runs are found with their ends", () => {
  const reading = plainReading("aaaab aba bbbbbb-abab");
  expect(Array.from(runsOf(reading, kind))).toEqual([
    { start: 0, end: 5 },
    { start: 10, end: 16 },
    { start: 17, end: 21 },
  ]);
  expect(Array.from(runsOf(plainReading("aba"), kind))).toEqual([]);
});
