import { expect, test } from "vitest";
import { cacheReadiness, combineReadiness, isReady, type Readiness, type Service } from "./service.ts";

const serviceWith = (name: string, readiness: Readiness): Service => ({
  name,
  rpc: [],
  start: async () => {},
  stop: async () => {},
  readiness: async () => readiness,
});

test("the whole is ready when every part is, and when there is none", async () => {
  expect(await combineReadiness([serviceWith("a", isReady), serviceWith("b", isReady)])).toEqual(isReady);
  expect(await combineReadiness([])).toEqual(isReady);
});

test("one part that is not ready makes the whole unready, and is named with all its problems", async () => {
  const parts = [
    serviceWith("a", isReady),
    serviceWith("b", { ready: false, problems: ["the database is away", "no model"] }),
    serviceWith("c", { ready: false, problems: [] }),
  ];
  expect(await combineReadiness(parts)).toEqual({ ready: false, problems: ["b: the database is away", "b: no model"] });
});

test("readiness is asked for once in a second, and once at a time", async () => {
  let [nowMs, asked] = [0, 0];
  let state: Readiness = isReady;
  const readiness = cacheReadiness(
    async () => {
      asked += 1;
      return await Promise.resolve(state);
    },
    () => nowMs,
  );
  await Promise.all(Array.from({ length: 100 }, async () => await readiness()));
  state = { ready: false, problems: ["gone"] };
  nowMs += 999;
  expect(await readiness()).toEqual(isReady);
  expect(asked).toBe(1);
  nowMs += 1;
  expect(await readiness()).toEqual(state);
  expect(asked).toBe(2);
});

test("a question about readiness that fails is asked again", async () => {
  let asked = 0;
  const readiness = cacheReadiness(
    async () => ((asked += 1) === 1 ? await Promise.reject(new Error("down")) : isReady),
    () => 0,
  );
  await expect(readiness()).rejects.toThrow("down");
  expect(await readiness()).toEqual(isReady);
});
