import type { Upstream } from "../../api/types.ts";
import { Status } from "../../parts/status.tsx";

/** Whether an upstream answers, if known. */
export function UpstreamHealth({ upstream: { is_active, state } }: { readonly upstream: Upstream }) {
  if (!is_active) return <Status kind="off">Inactive</Status>;
  if (state.health === "reachable") return <Status kind="good">Reachable</Status>;
  if (state.health === "unknown") return <Status kind="off">Not checked yet</Status>;
  return <Status kind="bad">{state.health}</Status>;
}
