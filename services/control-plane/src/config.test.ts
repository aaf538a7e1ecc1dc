import { EnvReader } from "@gatehouse/config";
import { createTestTrust } from "@gatehouse/trust/testing";
import { expect, test } from "vitest";
import { loadConfig, readControlPlaneConfig } from "./config.ts";

const required = {
  DATABASE_URL: "postgresql://x",
  GATEHOUSE_PLAINTEXT: "allow",
  ...createTestTrust().env("control-plane"),
};

test("absent settings have defaults", () => {
  const config = loadConfig(required);
  expect(config).toMatchObject({
    serviceName: "Gatehouse",
    adminKey: undefined,
    bodySizeBytesMax: 4 * 1024 * 1024,
    host: { httpPort: 8081, rpcPort: 9081 },
  });
  expect(config.owners.map(({ name, address }) => `${name} ${address}`)).toEqual([
    "chat 127.0.0.1:9082",
    "api-proxy 127.0.0.1:9086",
    "mcp-aggregator 127.0.0.1:9085",
    "guardrail 127.0.0.1:9083",
    "webhook-dispatcher 127.0.0.1:9087",
    "logbook 127.0.0.1:9088",
  ]);
});

test("an owner's address and time-out are settings with its name", () => {
  const set = { MCP_AGGREGATOR_RPC_ADDRESS: "aggregator:1", MCP_AGGREGATOR_RPC_TIMEOUT_MS: "700" };
  const owner = loadConfig({ ...required, ...set }).owners.find(({ name }) => name === "mcp-aggregator");
  expect(owner).toEqual({ name: "mcp-aggregator", address: "aggregator:1", timeoutMs: 700 });
});

test("an admin key of the operator's choice is accepted where it has 32 characters after the prefix", () => {
  const chosen = "svc_admin_chosen-by_me-and-nobody-else-knows";
  expect(loadConfig({ ...required, GATEHOUSE_ADMIN_KEY: chosen }).adminKey?.reveal()).toBe(chosen);
});

test.each([
  "svc_admin_",
  `svc_admin_${"x".repeat(31)}`,
  `admin_${"x".repeat(40)}`,
  `svc_admin_with a space in it ${"x".repeat(32)}`,
  `svc_admin_ümlaut_${"x".repeat(32)}`,
])("the admin key %s is refused without being shown", (key) => {
  const env = new EnvReader({ GATEHOUSE_ADMIN_KEY: key });
  readControlPlaneConfig(env);
  expect(() => env.finish()).toThrow("GATEHOUSE_ADMIN_KEY must be svc_admin_ and at least 32 more characters");
  expect(() => env.finish()).not.toThrow(key.length > 10 ? key : `"${key}"`);
});

test("a session cannot be idle for longer than it lives", () => {
  const read = (given: Record<string, string>) => loadConfig({ ...required, ...given }).sessions;
  expect(read({ CONSOLE_SESSION_LIFE_MS: "3600000" })).toEqual({ lifeMs: 3_600_000, idleMs: 3_600_000 });
  expect(() => read({ CONSOLE_SESSION_IDLE_MS: "86400000" })).toThrow(
    "CONSOLE_SESSION_IDLE_MS must be at most CONSOLE_SESSION_LIFE_MS",
  );
});
