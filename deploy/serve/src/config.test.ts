import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { environmentOf, parseServices } from "./config.ts";

const folder = mkdtempSync(join(tmpdir(), "gatehouse-serve-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("services are named after commas or as words", () => {
  expect([...parseServices(["chat,guardrail", "router"])]).toEqual(["chat", "guardrail", "router"]);
});

test.each<[string, readonly string[], string]>([
  ["nothing", [], "No service is named."],
  ["a name of none", ["chat,chart"], "There is no service 'chart'."],
  ["one twice", ["chat", "chat"], "The service 'chat' is named twice."],
])("%s is refused with the list of services", (_, args, problem) => {
  expect(() => parseServices(args)).toThrow(problem);
  expect(() => parseServices(args)).toThrow("mcp-aggregator");
});

test("a setting with a service's prefix is for that service alone", () => {
  const environment = {
    PORT: "1",
    CHAT__PORT: "2",
    MCP_BRIDGE__PORT: "3",
    DATABASE_URL: "all",
    CHAT__DATABASE_URL_FILE: "f",
  };
  expect(environmentOf("chat", environment)).toMatchObject({ PORT: "2", DATABASE_URL_FILE: "f" });
  expect(environmentOf("chat", environment)).not.toHaveProperty("DATABASE_URL");
  expect(environmentOf("mcp-bridge", environment)).toMatchObject({ PORT: "3", DATABASE_URL: "all" });
  expect(environmentOf("guardrail", environment)).toMatchObject({ PORT: "1" });
});

test("a folder of keys provides the settings that are not set", () => {
  mkdirSync(join(folder, "chat"));
  mkdirSync(join(folder, "public"));
  for (const file of ["chat/keyring", "chat/database-url", "public/trust.json"]) writeFileSync(join(folder, file), "x");
  const settings = environmentOf("chat", { GATEHOUSE_KEYS: folder, DATABASE_URL: "set" });
  expect(settings).toMatchObject({
    GATEHOUSE_KEYRING_FILE: join(folder, "chat/keyring"),
    GATEHOUSE_TRUST_FILE: join(folder, "public/trust.json"),
  });
  for (const name of ["DATABASE_URL_FILE", "NATS_NKEY_SEED_FILE"]) expect(settings).not.toHaveProperty(name);
});

test("a credentials file of the broker takes the place of the seed in a folder of keys", () => {
  mkdirSync(join(folder, "guardrail"));
  writeFileSync(join(folder, "guardrail/nats-seed"), "x");
  const seed = { NATS_NKEY_SEED_FILE: join(folder, "guardrail/nats-seed") };
  expect(environmentOf("guardrail", { GATEHOUSE_KEYS: folder })).toMatchObject(seed);
  const settings = environmentOf("guardrail", { GATEHOUSE_KEYS: folder, NATS_CREDENTIALS_FILE: "creds" });
  expect(settings).not.toHaveProperty("NATS_NKEY_SEED_FILE");
});

test("an empty setting counts as absent", () => {
  mkdirSync(join(folder, "logbook"));
  writeFileSync(join(folder, "logbook/database-url"), "x");
  expect(environmentOf("logbook", { GATEHOUSE_KEYS: folder, DATABASE_URL: "" })).toMatchObject({
    DATABASE_URL_FILE: join(folder, "logbook/database-url"),
  });
  expect(environmentOf("chat", { DATABASE_URL: "all", CHAT__DATABASE_URL: "", CHAT__DATABASE_URL_FILE: " " })).toEqual({
    DATABASE_URL: "all",
  });
});

test("a folder of keys that does not exist is named", () => {
  expect(() => environmentOf("chat", { GATEHOUSE_KEYS: join(folder, "kesy") })).toThrow(
    "GATEHOUSE_KEYS names a folder that does not exist.",
  );
});
