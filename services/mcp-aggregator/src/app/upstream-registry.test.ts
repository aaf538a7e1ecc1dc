import { CircuitBreaker } from "@gatehouse/upstream-http";
import { expect, test } from "vitest";
import { readSettings } from "../domain/upstream-settings.ts";
import type { ReachableUpstream } from "../domain/upstream.ts";
import { UpstreamRegistry } from "./upstream-registry.ts";
import { UpstreamRuntime } from "./upstream-runtime.ts";

const minuteMs = 60_000;

function upstreamOf(projectUuid: string, id: number): ReachableUpstream {
  const at = new Date(0);
  const common = {
    prefix: `p${id}`,
    url: "http://u.example/mcp",
    hasBearerToken: false,
    bearerTokenReference: null,
    bearerToken: undefined,
  };
  return {
    ...common,
    id,
    projectUuid,
    isActive: true,
    settings: readSettings({}),
    revision: 1,
    createdAt: at,
    updatedAt: at,
  };
}

test("projects without use for half an hour are closed and dropped, and read again at their next use", async () => {
  let nowMs = 0;
  const closed: number[] = [];
  const now = () => nowMs;
  const registry = new UpstreamRegistry({
    read: async (projectUuid) => await Promise.resolve([upstreamOf(projectUuid, Number(projectUuid))]),
    readKept: async () => await Promise.resolve(new Map()),
    create: (upstream, kept) => {
      const connection = {
        protocolMode: "bare" as const,
        sessionCount: 0,
        endSessions: () => {},
        request: async () => await Promise.reject(new Error("Nothing is sent.")),
        sweep: () => {},
        close: async () => void (await Promise.resolve(closed.push(upstream.id))),
      };
      const breaker = new CircuitBreaker({ failuresMax: 3, openMs: 5_000, now });
      return new UpstreamRuntime(upstream, kept, {
        connection,
        breaker,
        now,
        wallNow: now,
        keep: async () => await Promise.resolve(undefined),
      });
    },
    now,
    isUnavailable: () => false,
  });
  const use = async (projectUuid: string) => (await registry.find(projectUuid)).ordered[0]?.list("", 0);

  await use("1");
  await use("2");
  nowMs = 20 * minuteMs;
  await use("2");
  registry.sweep();
  expect(registry.size).toBe(2);
  nowMs = 31 * minuteMs;
  registry.sweep();
  expect([registry.size, closed]).toEqual([1, [1]]);
  expect((await registry.find("1")).ordered[0]?.upstream.id).toBe(1);
  expect(registry.size).toBe(2);
});
