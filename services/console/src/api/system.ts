import { useRead } from "./use-control-plane.ts";

const renewEveryMs = { page: 5_000, header: 30_000 } as const;

/** The services, renewed often where a page shows them and rarely where a sign does. */
export function useSystem(place: keyof typeof renewEveryMs, enabled = true) {
  return useRead("svc_get_system", {}, { enabled, refetchIntervalMs: renewEveryMs[place] });
}
