import { expect, test } from "vitest";
import { type CallCost, firstWall, toModel } from "./capacity-model.ts";

const cost: CallCost = {
  cpuUs: { router: 100, chat: 200, guardrail: 20, logbook: 10, "nats-server": 10 },
  databaseCpuUs: 50,
  rows: 0.1,
  tableBytes: 250,
  walBytes: 500,
  connections: 12,
};

test("cores and processes grow with the calls, and every service has at least two processes", () => {
  const { rows } = toModel(cost, [1_000, 10_000]);
  expect(rows.map(([rate, cores, processes, database]) => [rate, cores, processes, database])).toEqual([
    ["1,000", "0.68", "2 / 2 / 2", "0.10"],
    ["10,000", "6.80", "2 / 4 / 2", "1.00"],
  ]);
  expect(rows[0]?.slice(4, 8)).toEqual(["21", "8.64 M", "21.6", "0.50"]);
});

test("the first limit is the bound that is exceeded most", () => {
  expect(firstWall(cost, 1_000)).toBe("none (next: 1000 GB a day of rows, 2 %)");
  expect(firstWall(cost, 50_000)).toBe("1000 GB a day of rows (1.08 ×)");
  expect(firstWall({ ...cost, databaseCpuUs: 500 }, 50_000)).toBe("one Postgres of 16 cores (3.13 ×)");
});
