import { type ControlPlaneClient, createProject } from "./control-plane-client.ts";
import type { Product } from "./product.ts";

/** URL and credential for an MCP client. */
export interface McpAccess {
  readonly url: string;
  readonly token: string;
}

/** Opens loopback addresses, which are blocked by default, for upstreams. */
export const loopbackUpstreams = { EGRESS_ALLOW: "127.0.0.0/8,localhost" } as const;

/** MCP Bridge with one endpoint, `support`, as a tool. */
export async function createBridge(
  { url }: Product,
  control: ControlPlaneClient,
  provider: string,
): Promise<McpAccess> {
  const { project, token } = await createProject(control, { scopes: ["mcp"] });
  const targets = [{ provider, model: "m" }];
  await control.call("svc_create_endpoint", { project, slug: "support", targets, expose_as_mcp_tool: true });
  return { url: `${url}/api/${project}/mcp`, token };
}

/** MCP Gateway with one upstream, whose tools are listed below the prefix `up`. */
export async function createGateway(
  { url }: Product,
  control: ControlPlaneClient,
  upstreamUrl: string,
): Promise<McpAccess & { readonly upstream: unknown }> {
  const { project, token } = await createProject(control, { type: "mcp_gateway", scopes: ["mcp"] });
  const upstream = await control.call("svc_create_upstream", { project, prefix: "up", url: upstreamUrl });
  return { url: `${url}/api/${project}/mcp`, token, upstream };
}
