import { expect, test } from "vitest";
import { runningHour, tokenUse, toLimitUse } from "./limit-use.ts";
import type { MetricSums } from "./types.ts";

const sums = (requests: number, errors_by_kind: Record<string, number> = {}): MetricSums => ({
  requests,
  errors: 0,
  errors_by_kind,
  guardrail_blocks: 0,
  p50_ms: 0,
  p95_ms: 0,
  p99_ms: 0,
  prompt_tokens: 0,
  cached_tokens: 0,
  completion_tokens: 0,
  cost_usd: 0,
});

const nowMs = Date.parse("2026-11-22T10:17:30Z");

test("the running hour has the same range until it ends", () => {
  const hour = { since: "2026-11-22T10:00:00.000Z", until: "2026-11-22T11:00:00.000Z" };
  expect(runningHour(nowMs)).toMatchObject(hour);
  expect(runningHour(Date.parse("2026-11-22T10:59:59.999Z"))).toMatchObject(hour);
});

test("refused requests, and calls of administrators, do not count toward the limit", () => {
  const at = (minute: string, total: MetricSums) => ({ at: `2026-11-22T10:${minute}:00.000Z`, ...total });
  const use = toLimitUse(
    {
      since: "",
      until: "",
      bucket: "1m",
      series: [
        {
          group: { token: 7 },
          is_other: false,
          total: sums(12, { rate_limited: 2 }),
          points: [at("16", sums(9)), at("17", sums(3, { rate_limited: 2 }))],
        },
        { group: null, is_other: true, total: sums(5), points: [at("17", sums(4))] },
        { group: { token: null }, is_other: false, total: sums(99), points: [at("17", sums(99))] },
      ],
    },
    nowMs,
  );
  expect(use.project).toEqual({ minute: 5, hour: 15 });
  expect(tokenUse(use, 7)).toEqual({ minute: 1, hour: 10 });
  expect(tokenUse(use, 8)).toEqual({ minute: 0, hour: 0 });
});
