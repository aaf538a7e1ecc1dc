import { randomBytes } from "node:crypto";
import { type ServiceName, serviceNames } from "@gatehouse/trust";
import { createTestTrust } from "@gatehouse/trust/testing";
import { describe, expect, test } from "vitest";
import { loadPrograms } from "../src/programs.ts";

const trust = createTestTrust();

/** Services that answer requests of clients, and so write the gateway log. */
const writers: ReadonlySet<ServiceName> = new Set([
  "router",
  "chat",
  "mcp-bridge",
  "mcp-aggregator",
  "api-proxy",
  "control-plane",
]);

async function load(name: ServiceName, given: Readonly<Record<string, string>>) {
  const [program] = await loadPrograms(new Set([name]));
  return program?.load({
    ...trust.env(name),
    HOST: "127.0.0.1",
    DATABASE_URL: "postgres://user:password@127.0.0.1:5432/gatehouse",
    GATEHOUSE_KEYRING: `k1:${randomBytes(32).toString("base64")}`,
    AUDIT_CHECKPOINT_KEY: randomBytes(32).toString("base64url"),
    SPILL_FOLDER: "/var/spool/gatehouse",
    ...given,
  }).config;
}

describe.each(serviceNames)("GATEWAY_LOG of %s", (name) => {
  const folder = writers.has(name) ? "/var/spool/gatehouse" : undefined;

  test("is on by default, if the service writes the log", { timeout: 30_000 }, async () => {
    for (const given of [{}, { GATEWAY_LOG: "on" }]) expect((await load(name, given))?.gatewayLogFolder).toBe(folder);
  });

  test("is off: outcomes are not recorded", async () => {
    expect((await load(name, { GATEWAY_LOG: "off" }))?.gatewayLogFolder).toBeUndefined();
  });

  test.runIf(writers.has(name))("refuses other values by name", async () => {
    for (const value of ["false", "OFF", "0"])
      await expect(load(name, { GATEWAY_LOG: value })).rejects.toThrow("GATEWAY_LOG must be one of on, off");
  });
});
