import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiProxyService } from "@gatehouse/api-proxy";
import { createChatService } from "@gatehouse/chat";
import { createControlPlaneService } from "@gatehouse/control-plane";
import { createEgressGuard } from "@gatehouse/egress";
import { createInProcessTransport, type EventTransport } from "@gatehouse/events";
import { createGuardrailService } from "@gatehouse/guardrail";
import { createLogbookService } from "@gatehouse/logbook";
import { createMcpAggregatorService } from "@gatehouse/mcp-aggregator";
import { createMcpBridgeService } from "@gatehouse/mcp-bridge";
import { createTestDatabase, replaceDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { createWebhookDispatcherService } from "@gatehouse/webhook-dispatcher";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../src/config.ts";

let database: TestDatabase;
let folder: string;
let client: pg.Client;
const started: Service[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "gatehouse-readiness-"));
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  for (const service of started) await service.stop();
  await rm(folder, { recursive: true });
});

const away = "NATS is not connected: connection refused";

/** A transport whose broker is unreachable. */
function createBlockedTransport(): EventTransport {
  return {
    ...createInProcessTransport(),
    isConnected: () => false,
    problems: async () => await Promise.resolve([away]),
    publish: async () => await Promise.reject(new Error("blocked")),
  };
}

const peer = async () => await Promise.reject(new Error("no peer"));

/** Every service with a database, each in a separate schema. */
function createServices(): Readonly<Record<string, Service>> {
  const config = loadConfig({ GATEHOUSE_HOME: folder });
  const databaseUrl = new Secret(database.url);
  const keyring = { currentId: "a", keys: new Map([["a", Buffer.alloc(32, 1)]]) };
  const telemetry = createSilentTelemetry();
  // Each as if alone in its process.
  const host = () => ({ telemetry, events: createBlockedTransport(), owned: [] });
  const ledger = { lease: peer } as never;
  const guardrail = { inspect: peer } as never;
  const logbook = { ...config.logbook, databaseUrl, dataFolder: join(folder, "log"), checkpointKey: new Secret("k") };
  return {
    chat: createChatService(
      { ...config.chat, databaseUrl, keyring, spillFolder: join(folder, "spill") },
      { ...host(), guardrail },
    ),
    guardrail: createGuardrailService({ ...config.guardrail, databaseUrl, keyring }, host()),
    api_proxy: createApiProxyService(
      { ...config.apiProxy, databaseUrl, keyring, ownAddresses: [] },
      { ...host(), ledger, guardrail },
    ),
    mcp_aggregator: createMcpAggregatorService(
      { ...config.mcpAggregator, databaseUrl, keyring },
      {
        ...host(),
        ledger,
        guardrail,
        guard: createEgressGuard({ allow: config.guardrail.egress.allow, logger: telemetry.log }),
      },
    ),
    webhook_dispatcher: createWebhookDispatcherService({ ...config.webhookDispatcher, databaseUrl, keyring }, host()),
    control_plane: createControlPlaneService(
      { ...config.controlPlane, databaseUrl },
      { ...host(), owners: [], services: [], onAdminKeyCreated: () => {} },
    ),
    logbook: createLogbookService(logbook, host()),
    mcp_bridge: createMcpBridgeService(
      { ...config.mcpBridge, databaseUrl },
      { ...host(), chat: { listTools: peer, complete: peer }, ledger },
    ),
  };
}

const publishers = ["chat", "guardrail", "api_proxy", "mcp_aggregator", "control_plane"] as const;
const consumers = ["logbook", "webhook_dispatcher"] as const;

test("the readiness of every service covers its outbox relay, the broker and its consumers", async () => {
  const services = createServices();
  for (const service of Object.values(services)) {
    expect(await service.readiness()).toEqual({ ready: false, problems: ["not started"] });
    started.push(service);
    await service.start();
  }
  for (const schema of [...publishers, "webhook_dispatcher"]) {
    await client.query(
      `INSERT INTO ${schema}.audit_outbox (event_id, body, created_at) VALUES ($1, '{}', now() - interval '1 minute')`,
      [randomUUID()],
    );
  }
  const late = expect.stringMatching(/^\d+ audit events wait to be published, the oldest for \d+ s$/) as string;
  for (const name of publishers) {
    await expect
      .poll(async () => await services[name]?.readiness(), { timeout: 15_000, message: name })
      .toEqual({ ready: true, problems: expect.arrayContaining([late, away]) as string[] });
  }
  for (const name of consumers) {
    expect(await services[name]?.readiness(), name).toMatchObject({
      ready: false,
      problems: expect.arrayContaining([away]) as string[],
    });
  }
  await expect
    .poll(async () => await services["webhook_dispatcher"]?.readiness(), { timeout: 15_000 })
    .toMatchObject({ ready: false, problems: expect.arrayContaining([late]) as string[] });
  expect(await services["mcp_bridge"]?.readiness()).toEqual({ ready: true, problems: [away] });
});

test("every service with a database says that an empty one has taken its place, and is ready when it is back", async () => {
  await client.end();
  const bringBack = await replaceDatabase(database.url, "empty");
  const foreign = expect.stringContaining("The server at DATABASE_URL has no tables of this service") as string;
  const states = async () => await Promise.all(started.map(async (service) => await service.readiness()));
  const problems = expect.arrayContaining([foreign]) as string[];
  await expect
    .poll(states, { timeout: 10_000 })
    .toEqual(started.map(({ name }) => ({ ready: name === "mcp-bridge", problems })));
  await bringBack();
  await expect
    .poll(states, { timeout: 10_000 })
    .toEqual(
      started.map(() => expect.objectContaining({ problems: expect.not.arrayContaining([foreign]) as string[] })),
    );
});

test("every service with a database is unready without it", async () => {
  await database.drop();
  for (const service of started) {
    const works = service.name === "mcp-bridge";
    const problems = expect.arrayContaining(["the database is not available"]) as string[];
    await expect
      .poll(async () => await service.readiness(), { timeout: 10_000, message: service.name })
      .toMatchObject({ ready: works, problems });
  }
});
