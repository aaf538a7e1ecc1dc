import { useMemo } from "react";
import type { Metrics } from "./types.ts";
import { useMay, useRead } from "./use-control-plane.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const refetchIntervalMs = 5_000;

/** Requests in the present minute and hour (UTC) of the rate limits. */
interface WindowUse {
  readonly minute: number;
  readonly hour: number;
}

export interface LimitUse {
  readonly project: WindowUse;
  readonly byToken: ReadonlyMap<number, WindowUse>;
}

/** The present hour, as arguments of `svc_query_metrics`. */
export function runningHour(nowMs: number) {
  const sinceMs = Math.floor(nowMs / hourMs) * hourMs;
  const range = { since: new Date(sinceMs).toISOString(), until: new Date(sinceMs + hourMs).toISOString() };
  return { ...range, bucket: "1m", group_by: "token" } as const;
}

/** Sums admitted requests; administrators' calls have no token and no limit. */
export function toLimitUse({ series }: Metrics, nowMs: number): LimitUse {
  const minute = Math.floor(nowMs / minuteMs) * minuteMs;
  const uses = series.flatMap(({ group, is_other: isOther, total, points }) => {
    const token = group?.["token"];
    if (!isOther && typeof token !== "number") return [];
    const now = points.filter(({ at }) => Date.parse(at) === minute);
    const use = { minute: now.reduce((sum, point) => sum + admitted(point), 0), hour: admitted(total) };
    return [{ token, use }];
  });
  const sum = (window: keyof WindowUse) => uses.reduce((all, { use }) => all + use[window], 0);
  const named = uses.flatMap(({ token, use }) => (typeof token === "number" ? [[token, use] as const] : []));
  return { project: { minute: sum("minute"), hour: sum("hour") }, byToken: new Map(named) };
}

type Counted = Pick<Metrics["series"][number]["total"], "requests" | "errors_by_kind">;

function admitted({ requests, errors_by_kind: errors }: Counted): number {
  return requests - (errors["rate_limited"] ?? 0) - (errors["unauthorized"] ?? 0);
}

const nothing: WindowUse = { minute: 0, hour: 0 };

/** Live use of the limits of a project and its tokens; undefined until known, or where the role may not read it. */
export function useLimitUse(project: string, nowMs: number, enabled: boolean): LimitUse | undefined {
  const { data } = useRead(
    "svc_query_metrics",
    { project, ...runningHour(nowMs) },
    { enabled: useMay("svc_query_metrics") && enabled, refetchIntervalMs },
  );
  return useMemo(() => data && toLimitUse(data, nowMs), [data, nowMs]);
}

/** A token's part of the use. */
export function tokenUse(use: LimitUse, tokenId: number): WindowUse {
  return use.byToken.get(tokenId) ?? nothing;
}
