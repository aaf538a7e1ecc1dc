import { useRead } from "./use-control-plane.ts";

/** A service as `svc_get_system` shows it. */
export interface ServiceState {
  readonly name: string;
  readonly state: "ready" | "not_ready" | "not_reached";
  /** Notices too, where it is ready. */
  readonly problems: readonly string[];
  readonly backlogs: readonly { readonly name: string; readonly count: number; readonly oldest_seconds: number }[];
  /** These and what follows are absent where it is not reached. */
  readonly version?: string;
  readonly runtime?: string;
  readonly host?: string;
  readonly started_at?: string;
}

export interface System {
  readonly services: readonly ServiceState[];
}

const renewEveryMs = { page: 5_000, header: 30_000 } as const;

/** The services, renewed often where a page shows them and rarely where a sign does. */
export function useSystem(place: keyof typeof renewEveryMs, enabled = true) {
  return useRead<System>("svc_get_system", {}, { enabled, refetchIntervalMs: renewEveryMs[place] });
}
