import { useRead } from "./use-control-plane.ts";

const renewEveryMs = { page: 5_000, header: 30_000 } as const;

/** Services, refreshed often on a page that shows them and rarely for the status sign. */
export function useSystem(place: keyof typeof renewEveryMs, enabled = true) {
  return useRead("svc_get_system", {}, { enabled, refetchIntervalMs: renewEveryMs[place] });
}
