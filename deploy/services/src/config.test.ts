import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Environment, EnvReader } from "@gatehouse/config";
import { createBrokerUser, readEventsConfig } from "@gatehouse/events";
import { createRunTrust, type ServiceName, serviceNames } from "@gatehouse/trust";
import { Secret } from "@gatehouse/vault";
import { afterAll, expect, test } from "vitest";
import { loadConfig } from "./config.ts";
import { environmentOf } from "./service-env.ts";
import { environmentOfSet, groupPlaces } from "./sets.ts";

const folder = mkdtempSync(join(tmpdir(), "gatehouse-services-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const brokerUrl = "nats://broker.example.com:4222";
const ownDatabaseUrl = "postgresql://gatehouse_chat@localhost/gatehouse";

function environmentOfChat(environment: Environment, natsSeeds?: ReadonlyMap<ServiceName, Secret>): EnvReader {
  return new EnvReader(environmentOfService("chat", environment, natsSeeds));
}

function environmentOfService(
  name: ServiceName,
  environment: Environment,
  natsSeeds?: ReadonlyMap<ServiceName, Secret>,
): Environment {
  const context = {
    config: loadConfig(environment),
    rootSecret: new Secret("root of a test"),
    trust: createRunTrust([name]),
    certificates: undefined,
    places: [],
    operationsPort: 0,
    databaseUrls: new Map<ServiceName, Secret>([["chat", new Secret(ownDatabaseUrl)]]),
    natsUrl: new Secret(brokerUrl),
    natsSeeds,
    adminKeyFile: "",
    routerPort: { port: 0, fd: 0, release: () => {} },
  };
  return environmentOf({ name, httpPort: 1, rpcPort: 2 }, context);
}

test.each<[string, Environment, readonly ServiceName[]]>([
  ["SIGN_IN_PROVIDERS", { SIGN_IN_PROVIDERS: "[]", PUBLIC_URL: "https://gateway.example.com" }, ["control-plane"]],
  [
    "GATEHOUSE_SECRET_KEY",
    { GATEHOUSE_SECRET_KEY: "x" },
    ["guardrail", "chat", "mcp-aggregator", "api-proxy", "control-plane"],
  ],
  [
    "OPEN_KEY",
    { SECRET_ENV_PREFIX: "OPEN_", OPEN_KEY: "x" },
    ["guardrail", "chat", "mcp-aggregator", "api-proxy", "control-plane"],
  ],
  ["WEBHOOK_HEADER_PREFIX", { WEBHOOK_HEADER_PREFIX: "X-Acme" }, serviceNames],
])("%s reaches the services that need it", (variable, environment, expected) => {
  const reached = serviceNames.filter((name) => environmentOfService(name, environment)[variable] !== undefined);
  expect(reached).toEqual(expected);
});

test.each([undefined, "", " "])("a setting that is empty (%j) leaves its default in force", (empty) => {
  const { router } = loadConfig({ HOST: empty, OPS_HOST: empty });
  expect([router.host, router.operations.host]).toEqual(["127.0.0.1", "127.0.0.1"]);
  const ofRouter = environmentOfService("router", {
    SECRET_ENV_PREFIX: empty,
    ALLOWED_ORIGINS: "https://chat.example.com",
  });
  expect(ofRouter["ALLOWED_ORIGINS"]).toBe("https://chat.example.com");
});

test("a secret read from a file is passed to a service once, as a value", () => {
  const env = environmentOfChat({
    DATABASE_URL_FILE: fileWith("database", "postgresql://operator@localhost/gatehouse"),
    NATS_URL_FILE: fileWith("nats", brokerUrl),
  });
  expect(env.requiredSecret("DATABASE_URL", "").reveal()).toBe(ownDatabaseUrl);
  expect(readEventsConfig(env).natsUrl?.reveal()).toBe(brokerUrl);
  env.finish();
});

test("the seed for the operator's broker is passed to the services, also from a file", () => {
  const seed = createBrokerUser().seed.reveal();
  const settings = [{ NATS_NKEY_SEED: seed }, { NATS_NKEY_SEED_FILE: fileWith("seed", seed) }];
  for (const setting of settings) {
    const env = environmentOfChat({ NATS_URL: brokerUrl, ...setting });
    expect(readEventsConfig(env).nkeySeed?.reveal()).toBe(seed);
    env.finish();
  }
});

test("a broker of this run has a separate seed for each service", () => {
  const seed = createBrokerUser().seed;
  const other = createBrokerUser().seed.reveal();
  const credentials = `---JWT---\neyJ0.e30.c2ln\n---END---\n\n---SEED---\n${other}\n---END---\n`;
  const seeds = new Map<ServiceName, Secret>([["chat", seed]]);
  const env = environmentOfChat({ NATS_CREDENTIALS_FILE: fileWith("creds", credentials) }, seeds);
  expect(readEventsConfig(env).nkeySeed?.reveal()).toBe(seed.reveal());
  env.finish();
});

test("services of one set in SERVICES_SETS share a process, each with its own settings, and an invalid set stops the start", () => {
  const { sets } = loadConfig({ SERVICES_SETS: "chat,guardrail;mcp-bridge, mcp-aggregator" });
  const placeOf = (name: ServiceName) => ({ name, httpPort: 1, rpcPort: 2 });
  const groups = groupPlaces(serviceNames.map(placeOf), sets).map((group) => group.map(({ name }) => name).toSorted());
  expect(groups).toHaveLength(serviceNames.length - 2);
  expect(groups).toContainEqual(["chat", "guardrail"]);
  expect(groups).toContainEqual(["mcp-aggregator", "mcp-bridge"]);
  const environment = environmentOfSet([
    ["chat", { PATH: "/bin", PORT: "1" }],
    ["mcp-bridge", { PATH: "/bin", PORT: "2" }],
  ]);
  expect(environment).toEqual({ PATH: "/bin", CHAT__PORT: "1", MCP_BRIDGE__PORT: "2" });
  expect(loadConfig({}).sets).toEqual([]);
  for (const [text, problem] of [
    ["chat,cat", "names 'cat', which is not a service"],
    ["chat,guardrail;chat,logbook", "names 'chat' twice"],
    ["router,chat", "names the router, which runs alone"],
  ] as const)
    expect(() => loadConfig({ SERVICES_SETS: text })).toThrow(problem);
});

test("WORKERS is refused once, by the host rather than each service, with advice for more processes", () => {
  for (const workers of ["2", "auto"])
    expect(() => loadConfig({ WORKERS: workers })).toThrow("WORKERS is for npm start alone: run several processes");
  expect(loadConfig({ WORKERS: "1" }).inherited).toMatchObject({ WORKERS: "1" });
});
