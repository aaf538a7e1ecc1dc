import { hostname } from "node:os";
import process from "node:process";
import { gatehouseVersion } from "@gatehouse/config";
import type { GetStateResponse } from "@gatehouse/proto/service-state";
import type { Logger } from "@gatehouse/telemetry";
import { type Backlog, type Part, withinReportTime } from "./part.ts";
import { cacheReadiness, type Readiness } from "./service.ts";

/** Version, readiness and backlogs of a service, as shown by the Control Plane. */
export type ServiceState = GetStateResponse;

/** Constant facts of this process. */
export const processFacts = {
  version: gatehouseVersion,
  runtime: process.versions.node,
  host: hostname(),
  startedAtMs: Date.now() - process.uptime() * 1_000,
} as const;

/** Creates the reader of a service's state, which answers within a second, and counts at most once a second. */
export function createStateReader(
  readiness: () => Promise<Readiness>,
  parts: readonly Part[],
  log: Logger,
): () => Promise<ServiceState> {
  return cacheReadiness(async () => {
    const [{ ready, problems }, backlogs] = await Promise.all([readiness(), readBacklogs(parts, log)]);
    return {
      ...processFacts,
      ready,
      problems: [...problems],
      backlogs: backlogs.filter(({ count }) => count > 0),
    };
  });
}

/** Backlogs of the parts that could count them; readiness reports the failures of others. */
async function readBacklogs(parts: readonly Part[], log: Logger): Promise<Backlog[]> {
  const found = await Promise.all(
    parts.map(async ({ name, backlogs }): Promise<readonly Backlog[]> => {
      if (backlogs === undefined) return [];
      try {
        return await withinReportTime(async () => await backlogs(), []);
      } catch (err) {
        log.debug({ err, part: name }, "What waits to be done could not be counted.");
        return [];
      }
    }),
  );
  return found.flat();
}
