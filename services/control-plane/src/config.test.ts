import { EnvReader } from "@gatehouse/config";
import { expect, test } from "vitest";
import { loadConfig, readControlPlaneConfig } from "./config.ts";

const required = { DATABASE_URL: "postgresql://x", GATEHOUSE_INTERNAL_KEY: "k" };

test("what is not set takes its default", () => {
  expect(loadConfig(required)).toMatchObject({
    serviceName: "Gatehouse",
    adminKey: undefined,
    bodySizeBytesMax: 4 * 1024 * 1024,
    peers: { chat: { address: "127.0.0.1:9082" }, logbook: { address: "127.0.0.1:9088" } },
    host: { httpPort: 8081, rpcPort: 9081 },
  });
});

test("any admin key of the operator's choice is accepted", () => {
  expect(loadConfig({ ...required, GATEHOUSE_ADMIN_KEY: "svc_admin_chosen-by_me" }).adminKey?.reveal()).toBe(
    "svc_admin_chosen-by_me",
  );
});

test.each(["svc_admin_", "admin_0123456789012345", "svc_admin_with a space in it", "svc_admin_ümlaut_0123456"])(
  "the admin key %s is refused without being shown",
  (key) => {
    const env = new EnvReader({ GATEHOUSE_ADMIN_KEY: key });
    readControlPlaneConfig(env);
    expect(() => env.finish()).toThrow("GATEHOUSE_ADMIN_KEY must be svc_admin_ with at least one more character");
    expect(() => env.finish()).not.toThrow(`"${key}"`);
  },
);
