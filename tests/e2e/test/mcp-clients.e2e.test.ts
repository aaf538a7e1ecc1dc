import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EverythingServer, startEverythingServer } from "../src/everything-server.ts";
import { mcpDrivers, type McpTarget } from "../src/mcp-clients.ts";
import { createBridge, createGateway, loopbackUpstreams } from "../src/mcp-surfaces.ts";
import { startStandalone } from "../src/product.ts";
import { answer } from "../src/scripted-provider.ts";
import { createWorld, type World } from "./suite/world.ts";

/** Published third-party clients on every MCP surface. */

const surfaceNames = ["MCP Bridge", "MCP Gateway", "the Control Plane"] as const;
type SurfaceName = (typeof surfaceNames)[number];

interface Surface extends McpTarget {
  readonly serverName: string;
  readonly tools: readonly string[];
  readonly text: string;
}

let world: World;
let everything: EverythingServer;
let surfaces: Readonly<Record<SurfaceName, Surface>>;
beforeAll(async () => {
  everything = await startEverythingServer();
  world = await createWorld(async () => await startStandalone({ env: loopbackUpstreams }));
  world.primary.play(answer("Hello from the model."));
  surfaces = {
    "MCP Bridge": await makeBridge(world),
    "MCP Gateway": await makeGateway(world),
    "the Control Plane": await makeControlPlane(world),
  };
});
afterAll(async () => {
  await world.stop();
  await everything.stop();
});

async function makeBridge({ product, control, primaryName }: World): Promise<Surface> {
  return {
    ...(await createBridge(product, control, primaryName)),
    tool: "support",
    arguments: { message: "Hello" },
    serverName: "Gatehouse",
    tools: ["support"],
    text: "Hello from the model.",
  };
}

/** Its upstream is a third-party server with sessions and event streams. */
async function makeGateway({ product, control }: World): Promise<Surface> {
  return {
    ...(await createGateway(product, control, everything.url)),
    tool: "up__echo",
    arguments: { message: "Hello" },
    serverName: "Gatehouse MCP Gateway",
    tools: everything.tools.map((name) => `up__${name}`),
    text: "Echo: Hello",
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

describe.each(surfaceNames)("%s", (name) => {
  test.each(Object.entries(mcpDrivers))("%s finds the server, its tools and their answers", async (_client, drive) => {
    const surface = surfaces[name];
    const { serverName, tools, text } = await drive(surface);
    expect(serverName ?? surface.serverName).toBe(surface.serverName);
    expect(tools).toEqual(surface.tools);
    expect(text).toBe(surface.text);
  });
});
