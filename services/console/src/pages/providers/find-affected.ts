import type { ControlPlane } from "../../api/control-plane.ts";
import type { Endpoint } from "../../api/types.ts";

/** An endpoint with targets at a provider. */
export interface Affected {
  readonly project: string;
  readonly slug: string;
  /** Targets at other enabled providers; without any, the endpoint stops. */
  readonly others: readonly string[];
}

/** Active endpoints with targets at a provider, in all projects that the person may see. */
export async function findAffected(controlPlane: ControlPlane, provider: string): Promise<readonly Affected[]> {
  const { projects } = await controlPlane.callAll("svc_list_projects", {});
  const { providers } = await controlPlane.callAll("svc_list_providers", {});
  const disabled = new Set(providers.filter(({ enabled }) => !enabled).map(({ name }) => name));
  const found: Affected[] = [];
  for (const { uuid, name } of projects.filter(
    ({ project_type: type }) => type === "ai_gateway" || type === "ai_wrapper",
  )) {
    const { endpoints } = await controlPlane.callAll("svc_list_endpoints", { project: uuid });
    for (const { slug, is_active, targets = [] } of endpoints as readonly Endpoint[]) {
      if (!is_active || !targets.some((target) => target.provider === provider)) continue;
      const left = targets.filter((target) => target.provider !== provider && !disabled.has(target.provider));
      found.push({ project: name, slug, others: left.map((target) => `${target.provider}/${target.model}`) });
    }
  }
  return found;
}
