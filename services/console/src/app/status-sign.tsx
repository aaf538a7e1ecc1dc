import { Link } from "@tanstack/react-router";
import { useSystem } from "../api/system.ts";
import { useMay } from "../api/use-control-plane.ts";
import { Status } from "../parts/status.tsx";

/** Status of all services, linked to the page with details. */
export function StatusSign() {
  const maySee = useMay("svc_get_system");
  const { data, isError } = useSystem("header", maySee);
  if (!maySee || (data === undefined && !isError)) return null;
  const failing = (data?.services ?? []).filter(({ state }) => state !== "ready");
  const text = isError ? "Unreachable" : textOf(failing.map(({ name }) => name));
  return (
    <Link to="/system" className="console-status-sign" aria-label={`Services: ${text}`} title={text}>
      <Status kind={isError || failing.length > 0 ? "bad" : "good"}>{text}</Status>
    </Link>
  );
}

function textOf(failing: readonly string[]): string {
  if (failing.length === 0) return "All ready";
  return failing.length === 1 ? `${failing[0]} not ready` : `${failing.length} services not ready`;
}
