import type { RequestContext, ServiceHandler } from "@gatehouse/principal";
import { processFacts } from "@gatehouse/service";

/** Adds the router's process facts to calls of the Control Plane, which cannot ask the router: it has no RPC port. */
export function introduceRouter<Services extends Readonly<Record<"control-plane", ServiceHandler>>>(
  services: Services,
): Services {
  const handle = services["control-plane"];
  const introduced = async (...[req, res, context]: Parameters<ServiceHandler>) => {
    await handle(req, res, { ...context, router: processFacts } satisfies RequestContext);
  };
  return { ...services, "control-plane": introduced };
}
