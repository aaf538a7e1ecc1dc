import { openAiBody, postRequest } from "../call.ts";
import { textOf } from "../control-plane.ts";
import type { Subject } from "../subject.ts";
import type { Gatehouse } from "./gatehouse.ts";

/** An endpoint of an `api_gateway` project of the product. */
export interface ProxyEndpoint {
  /** Where requests go; the upstream's path is appended. */
  readonly path: string;
  readonly authorization: string;
}

/** Makes a separate project with an endpoint to an upstream; no limit, no auth. */
export async function createProxyEndpoint({ controlPlane }: Gatehouse, upstreamUrl: string): Promise<ProxyEndpoint> {
  const created = await controlPlane.call("svc_create_project", {
    name: "Bench: API Gateway",
    project_type: "api_gateway",
    rate_limit_per_minute: null,
    rate_limit_per_hour: null,
  });
  const project = textOf(created, "uuid");
  const minted = await controlPlane.call("svc_create_token", { project, name: "bench", scopes: ["proxy"] });
  const allowed_methods = ["GET", "POST"];
  await controlPlane.call("svc_create_endpoint", { project, slug: "u", upstream_url: upstreamUrl, allowed_methods });
  return { path: `/api/${project}/u`, authorization: `Bearer ${textOf(minted, "token")}` };
}

/** The provider's own call, sent through the product as through any reverse proxy. */
export async function createProxySubject(gatehouse: Gatehouse, providerOrigin: string, name: string): Promise<Subject> {
  const { path, authorization } = await createProxyEndpoint(gatehouse, `${providerOrigin}/v1`);
  const { port, group } = gatehouse.subject;
  return {
    name,
    port,
    group,
    prepare: async (call) => postRequest(`${path}/chat/completions`, openAiBody(call), { authorization }),
  };
}
