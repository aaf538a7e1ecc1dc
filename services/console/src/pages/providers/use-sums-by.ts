import { useMemo } from "react";
import { toWhole } from "../../api/metrics.ts";
import type { MetricSums } from "../../api/types.ts";
import { useMay, useRead, useSignedIn } from "../../api/use-control-plane.ts";
import { useNow } from "../../parts/use-now.ts";

export type SumsByName = ReadonlyMap<string, MetricSums>;

const refetchIntervalMs = 30_000;

/** Sums of the last day's calls by provider or model; empty until known, or where the role may not read them. */
export function useSumsBy(grouping: "provider" | "model"): SumsByName {
  const { session } = useSignedIn();
  const [project] = session.projects ?? [];
  const range = toWhole(24, useNow());
  const { data } = useRead(
    "svc_query_metrics",
    { ...range, group_by: grouping, ...(project !== undefined && { project }) },
    { enabled: useMay("svc_query_metrics"), refetchIntervalMs },
  );
  return useMemo(() => {
    const named = (data?.series ?? []).flatMap(({ group, total }) => {
      const name = group?.[grouping];
      return typeof name === "string" ? [[name, total] as const] : [];
    });
    return new Map(named);
  }, [data, grouping]);
}
