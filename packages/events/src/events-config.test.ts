import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EnvReader } from "@gatehouse/config";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { createBrokerUser } from "./broker-user.ts";
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

test("credentials and an authority in files are checked when they are read, by name and without their content", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-events-"));
  try {
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const seed = createBrokerUser().seed.reveal();
    const good = `-----BEGIN NATS USER JWT-----\neyJ0.e30.c2ln\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`;
    const creds = file("good.creds", good);
    expect(read({ NATS_CREDENTIALS_FILE: creds }).credentialsFile).toBe(creds);
    const refusals = [
      ["NATS_CREDENTIALS_FILE", join(folder, "gone"), "names a file that cannot be read (ENOENT)"],
      ["NATS_CREDENTIALS_FILE", folder, "names a file that cannot be read (EISDIR)"],
      ["NATS_CREDENTIALS_FILE", file("no-seed", "hunter2"), "must name a NATS credentials file"],
      ["NATS_CREDENTIALS_FILE", file("bad-seed", good.replace(seed, "SUhunter2")), "must name a NATS credentials file"],
      ["NATS_CA_FILE", join(folder, "gone"), "names a file that cannot be read (ENOENT)"],
      ["NATS_CA_FILE", file("empty", ""), "names a file that is empty"],
      ["NATS_CA_FILE", file("ca", "hunter2"), "must name a file of PEM certificates"],
    ] as const;
    for (const [name, value, problem] of refusals) {
      expect(() => read({ [name]: value })).toThrow(`${name} ${problem}`);
      expect(() => read({ [name]: value })).not.toThrow("hunter2");
    }
    expect(() => read({ NATS_CREDENTIALS_FILE: creds, NATS_NKEY_SEED: seed })).toThrow(
      "NATS_NKEY_SEED and NATS_CREDENTIALS_FILE are both set; remove one",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("publishing without an address is refused as unavailable", async () => {
  const transport = openTransport(read({}), "test", createSilentTelemetry());
  await transport.start();
  expect(transport.isConnected()).toBe(false);
  await expect(transport.publish("audit", [{ id: "1", body: "{}" }])).rejects.toMatchObject({ code: "unavailable" });
  await transport.stop();
});
