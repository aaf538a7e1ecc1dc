import { describe, expect, it } from "vitest";
import { memoryBytesOf, parseStat, roleOfCommand, spentByName, spentNs } from "./process-usage.ts";

describe("parseStat", () => {
  it("parses a name with spaces and parentheses", () => {
    const line = "42 (node (worker) 1) S 7 42 42 0 -1 4194304 10 0 0 0 150 25 3 4 20 0 11 0 100 1000 200";
    expect(parseStat(line)).toEqual({ name: "node (worker) 1", parent: 7, ticks: 175 });
  });
});

describe("roleOfCommand", () => {
  it.each([
    ["/gatehouse/services/mcp-bridge/dist/main.js", "mcp-bridge"],
    ["/gatehouse/deploy/standalone/dist/bundle/main.js", "standalone"],
    ["/gatehouse/deploy/standalone/src/main.ts", "standalone"],
    ["/gatehouse/scripts/start.mjs", undefined],
  ])("recognises the program of %s", (file, role) => {
    expect(roleOfCommand(`node\0${file}\0--flag\0`)).toBe(role);
  });
});

describe("spentNs", () => {
  it("sums the time of each process, counts new ones completely and ignores ended ones", () => {
    const before = new Map([
      [1, 100],
      [2, 50],
    ]);
    const after = new Map([
      [1, 130],
      [3, 7],
    ]);
    expect(spentNs(before, after)).toBe(37);
  });
});

describe("spentByName", () => {
  it("adds up processes of one name, including those started between the readings", () => {
    const usage = (cpu: readonly (readonly [number, number])[]) => {
      const names = new Map([
        [1, "chat"],
        [2, "chat"],
        [3, "router"],
      ]);
      return {
        productCpuNs: new Map(cpu),
        databaseCpuNs: new Map<number, number>(),
        names,
        memoryBytes: new Map<number, number>(),
      };
    };
    const before = usage([
      [1, 100],
      [3, 10],
    ]);
    const after = usage([
      [1, 130],
      [2, 5],
      [3, 11],
    ]);
    expect(Object.fromEntries(spentByName(before, after))).toEqual({ chat: 35, router: 1 });
  });
});

describe("memoryBytesOf", () => {
  it("counts all processes, or those of one name", () => {
    const names = new Map([
      [1, "npm start"],
      [2, "standalone"],
      [3, "standalone"],
    ]);
    const memoryBytes = new Map([
      [1, 70],
      [2, 160],
      [3, 5],
    ]);
    const usage = {
      productCpuNs: new Map<number, number>(),
      databaseCpuNs: new Map<number, number>(),
      names,
      memoryBytes,
    };
    expect(memoryBytesOf(usage)).toBe(235);
    expect(memoryBytesOf(usage, "standalone")).toBe(165);
    expect(memoryBytesOf(usage, "router")).toBeUndefined();
  });
});
