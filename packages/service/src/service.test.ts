import { expect, test } from "vitest";
import { combineReadiness, isReady, type Readiness, type Service } from "./service.ts";

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
