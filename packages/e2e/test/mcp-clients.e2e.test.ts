import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProject } from "../src/control-plane-client.ts";
import { mcpDrivers, type McpTarget } from "../src/mcp-clients.ts";
import { startStandalone } from "../src/product.ts";
import { answer } from "../src/scripted-provider.ts";
import { createWorld, type World } from "./suite/world.ts";

/** Clients that nobody here wrote, as they are published, against every MCP surface. */

interface Surface extends McpTarget {
  readonly serverName: string;
  readonly tools: readonly string[];
  readonly text: string;
}

let world: World;
let surfaces: Readonly<Record<string, Surface>>;
beforeAll(async () => {
  world = await createWorld(async () => await startStandalone());
  world.primary.play(answer("Hello from the model."));
  surfaces = { "MCP Bridge": await makeBridge(world), "the Control Plane": await makeControlPlane(world) };
});
afterAll(async () => await world.stop());

async function makeBridge({ product, control, primaryName }: World): Promise<Surface> {
  const { project, token } = await createProject(control, { scopes: ["mcp"] });
  const targets = [{ provider: primaryName, model: "m" }];
  await control.call("svc_create_endpoint", { project, slug: "support", targets, expose_as_mcp_tool: true });
  return {
    url: `${product.url}/api/${project}/mcp`,
    token,
    tool: "support",
    arguments: { message: "Hello" },
    serverName: "Gatehouse",
    tools: ["support"],
    text: "Hello from the model.",
  };
}

async function makeControlPlane({ product, project, control }: World): Promise<Surface> {
  const { result } = await control.request("tools/list");
  const { tools } = result as { readonly tools: readonly { readonly name: string }[] };
  return {
    url: `${product.url}/control/mcp`,
    token: product.adminKey,
    tool: "svc_get_project",
    arguments: { project },
    serverName: "Gatehouse Control Plane",
    tools: tools.map(({ name }) => name),
    text: JSON.stringify(await control.call("svc_get_project", { project })),
  };
}

describe.each(["MCP Bridge", "the Control Plane"])("%s", (name) => {
  test.each(Object.entries(mcpDrivers))("%s finds the server, its tools and their answers", async (_client, drive) => {
    const surface = surfaces[name];
    if (surface === undefined) throw new Error("There is such a surface.");
    const { serverName, tools, text } = await drive(surface);
    expect(serverName ?? surface.serverName).toBe(surface.serverName);
    expect(tools).toEqual(surface.tools);
    expect(text).toBe(surface.text);
  });
});
