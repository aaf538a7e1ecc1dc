import { expect, test } from "vitest";
import { nextTurn } from "./next-turn.ts";
import { Pace, runInSlices } from "./pace.ts";
import { countTurns } from "./testing.ts";

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("the event loop runs between the slices of long work", async () => {
  const counted = countTurns();
  const result = await runInSlices(
    (function* () {
      for (let step = 0; step < 20; step += 1) {
        spin(2);
        yield;
      }
      return "done";
    })(),
  );
  expect(result).toBe("done");
  counted.stop();
  expect(counted.turns).toBeGreaterThan(4);
});

test("short work is not interrupted", async () => {
  const counted = countTurns();
  const pace = new Pace();
  await pace.rest();
  expect(pace.isDue).toBe(false);
  counted.stop();
  expect(counted.turns).toBe(0);
});

test("an error in a step rejects", async () => {
  const steps = (function* (): Generator<void, void> {
    yield;
    throw new RangeError("no");
  })();
  await expect(runInSlices(steps)).rejects.toThrow(RangeError);
});

test("waiting work continues one piece per turn, in order", async () => {
  const counted = countTurns();
  const seen: [number, number][] = [];
  await Promise.all([0, 1, 2, 3, 4].map(async (at) => nextTurn().then(() => seen.push([at, counted.turns]))));
  expect(seen.map(([at]) => at)).toEqual([0, 1, 2, 3, 4]);
  expect(new Set(seen.map(([, turn]) => turn)).size).toBe(5);
  counted.stop();
  expect(counted.turns).toBeGreaterThan(3);
});

/** Keeps the loop busy with short steps; returns the number of steps between slices. */
async function stepsOfOthersBetweenSlices(stepMs: number): Promise<readonly number[]> {
  const between: number[] = [];
  let steps = 0;
  let isOver = false;
  const goOn = () => {
    spin(stepMs);
    steps += 1;
    if (!isOver) setImmediate(goOn);
  };
  if (stepMs > 0) setImmediate(goOn);
  for (let slice = 0; slice < 6; slice += 1) {
    steps = 0;
    await nextTurn();
    between.push(steps);
    spin(1);
  }
  isOver = true;
  return between;
}

test("other work gets several steps between slices, within a bound", async () => {
  const between = await stepsOfOthersBetweenSlices(0.3);
  expect(Math.min(...between.slice(1)), between.join()).toBeGreaterThan(4);
  expect(Math.max(...between), between.join()).toBeLessThan(60);
});

test("the time of the work is added up over rests", async () => {
  const pace = new Pace();
  spin(6);
  await pace.rest();
  spin(6);
  expect(pace.end()).toBeGreaterThanOrEqual(12);
  expect(pace.end()).toBeLessThan(1_000);
});
