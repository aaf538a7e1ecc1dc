import { expect, test } from "vitest";
import { cacheReadiness, combineReadiness, isReady, type Readiness, type Service } from "./service.ts";

const serviceWith = (name: string, readiness: Readiness): Service => ({
  name,
  rpc: [],
  start: async () => {},
  stop: async () => {},
  readiness: async () => readiness,
});

test("services are ready together if all are, also when there are none", async () => {
  expect(await combineReadiness([serviceWith("a", isReady), serviceWith("b", isReady)])).toEqual(isReady);
  expect(await combineReadiness([])).toEqual(isReady);
});

test("one service that is not ready makes all unready, and is named with its problems", async () => {
  const parts = [
    serviceWith("a", isReady),
    serviceWith("b", { ready: false, problems: ["the database is away", "no model"] }),
    serviceWith("c", { ready: false, problems: [] }),
  ];
  expect(await combineReadiness(parts)).toEqual({ ready: false, problems: ["b: the database is away", "b: no model"] });
});

test("readiness is read at most once a second, and not concurrently", async () => {
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

test("a failed read of readiness is repeated", async () => {
  let asked = 0;
  const readiness = cacheReadiness(
    async () => ((asked += 1) === 1 ? await Promise.reject(new Error("down")) : isReady),
    () => 0,
  );
  await expect(readiness()).rejects.toThrow("down");
  expect(await readiness()).toEqual(isReady);
});
