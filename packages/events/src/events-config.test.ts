import { EnvReader } from "@gatehouse/config";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { openTransport, readEventsConfig } from "./events-config.ts";

function read(environment: Readonly<Record<string, string>>) {
  const env = new EnvReader(environment);
  const config = readEventsConfig(env);
  env.finish();
  return config;
}

test("one or several addresses, with a user, are kept as given", () => {
  expect(read({ NATS_URL: "nats://user:secret@one:4222, tls://two" }).natsUrl?.reveal()).toBe(
    "nats://user:secret@one:4222, tls://two",
  );
});

test("a value that is not an address of NATS is a problem that does not show it", () => {
  expect(() => read({ NATS_URL: "http://user:hunter2@host" })).toThrow(/NATS_URL must be (?!.*hunter2)/);
  expect(() => read({ NATS_URL: "nats://one,two" })).toThrow("NATS_URL");
  expect(() => read({ NATS_URL: "nats:one:4222" })).toThrow("NATS_URL must be a URL that starts with nats://");
  expect(() => read({ NATS_URL: "nats://user:hunter2%@one" })).toThrow(/NATS_URL has a % (?!.*hunter2)/);
});

test("publishing without an address is refused as unavailable", async () => {
  const transport = openTransport(read({}), "test", createSilentTelemetry());
  await transport.start();
  expect(transport.isConnected()).toBe(false);
  await expect(transport.publish("audit", [{ id: "1", body: "{}" }])).rejects.toMatchObject({ code: "unavailable" });
  await transport.stop();
});
