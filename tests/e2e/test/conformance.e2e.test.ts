import { readFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFixtureUpstream } from "../src/conformance/fixture-upstream.ts";
import { type Baseline, readBaseline, runSuite } from "../src/conformance/run-suite.ts";
import { type McpServed } from "../src/conformance/serve-mcp-path.ts";
import { startTokenProxy } from "../src/conformance/token-proxy.ts";
import { createBridge, createGateway, loopbackUpstreams } from "../src/mcp-surfaces.ts";
import { startStandalone } from "../src/product.ts";
import { createWorld, type World } from "./suite/world.ts";

/**
 * The published conformance suite of the Model Context Protocol. Passes where exactly the baseline's scenarios fail, so that
 * regressions show and a baseline can only shrink. docs/conformance.md explains each entry.
 */

type McpRoute = "MCP Gateway" | "MCP Bridge" | "the Control Plane";
const baselines: Readonly<Record<McpRoute, Baseline>> = {
  "MCP Gateway": "mcp-gateway.yml",
  "MCP Bridge": "own-tools.yml",
  "the Control Plane": "own-tools.yml",
};

let world: World;
let upstream: McpServed;
let proxies: Readonly<Record<McpRoute, McpServed>>;
beforeAll(async () => {
  world = await createWorld(async () => await startStandalone({ env: loopbackUpstreams }));
  upstream = await startFixtureUpstream();
  const { product, control, primaryName } = world;
  const gateway = await createGateway(product, control, upstream.url);
  const bridge = await createBridge(product, control, primaryName);
  const controlPlane = { url: `${product.url}/control/mcp`, token: product.adminKey };
  proxies = {
    "MCP Gateway": await startTokenProxy({ ...gateway, prefix: "up__" }),
    "MCP Bridge": await startTokenProxy({ ...bridge, prefix: "" }),
    "the Control Plane": await startTokenProxy({ ...controlPlane, prefix: "" }),
  };
});
afterAll(async () => {
  await Promise.all(Object.values(proxies).map(async (proxy) => await proxy.stop()));
  await upstream.stop();
  await world.stop();
});

describe("as a server", () => {
  test.each(Object.keys(baselines) as McpRoute[])(
    "%s keeps what revision 2025-11-25 requires of tools",
    async (face) => {
      const args = ["server", "--url", proxies[face].url, "--requirements", "2025-11-25"];
      const run = await runSuite({ version: "next", baseline: baselines[face], args });
      expect(run.exitCode, run.output).toBe(0);
    },
  );

  test("MCP Gateway passes the published suite with its baseline", async () => {
    const args = ["server", "--url", proxies["MCP Gateway"].url];
    const run = await runSuite({ version: "published", baseline: "mcp-gateway.yml", args });
    expect(run.exitCode, run.output).toBe(0);
    expect(run.output).toContain("Total: 11 passed, 19 failed");
  });
});

describe("as a client", () => {
  test.concurrent.each([
    ["2025-11-25", "initialize"],
    ["2025-11-25", "tools_call"],
    ["2025-11-25", "sse-retry"],
    ["2025-11-25", "json-schema-2020-12-preservation"],
    ["2026-07-28", "tools_call"],
    ["2026-07-28", "request-metadata"],
    ["2026-07-28", "http-standard-headers"],
    ["2026-07-28", "http-custom-headers"],
    ["2026-07-28", "http-invalid-tool-headers"],
    ["2026-07-28", "json-schema-ref-no-deref"],
    ["2026-07-28", "json-schema-2020-12-preservation"],
    ["2026-07-28", "sep-2322-client-request-state"],
  ])("MCP Gateway speaks %s to its upstreams: %s", async (revision, scenario) => {
    const script = fileURLToPath(new URL("../src/conformance/gateway-as-client.ts", import.meta.url));
    const command = ["--command", `${process.execPath} ${script}`];
    const run = await runSuite({
      version: "next",
      baseline: "mcp-gateway.yml",
      args: ["client", ...command, "--scenario", scenario, "--spec-version", revision, "--timeout", "50000"],
      env: { GATEHOUSE_URL: world.product.url, GATEHOUSE_ADMIN_KEY: world.product.adminKey },
    });
    expect(run.exitCode, run.output).toBe(0);
  });
});

test("every scenario in a baseline is explained in docs/conformance.md", async () => {
  const page = await readFile(new URL("../../../docs/conformance.md", import.meta.url), "utf8");
  const known = [...(await readBaseline("mcp-gateway.yml")), ...(await readBaseline("own-tools.yml"))];
  expect(known.length).toBeGreaterThan(0);
  expect(known.filter((scenario) => !page.includes(`\`${scenario}\``))).toEqual([]);
});
