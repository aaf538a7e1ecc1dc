import type { Upstream } from "../../api/types.ts";
import { Status } from "../../parts/status.tsx";
import { useIsChecking } from "./use-first-check.ts";

/** Whether an upstream answers, if known. */
export function UpstreamHealth({ upstream: { id, is_active, state } }: { readonly upstream: Upstream }) {
  const isChecking = useIsChecking(id);
  if (!is_active) return <Status kind="off">Inactive</Status>;
  if (state.health === "reachable") return <Status kind="good">Reachable</Status>;
  if (state.health === "unknown") return <Status kind="off">{isChecking ? "Checking …" : "Not checked yet"}</Status>;
  return <Status kind="bad">{state.health}</Status>;
}
