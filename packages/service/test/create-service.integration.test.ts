import type { NewAuditEvent } from "@gatehouse/audit";
import type { Consumer, EventTransport } from "@gatehouse/events";
import { createInProcessTransport } from "@gatehouse/events";
import { noGatewayLog } from "@gatehouse/gateway-log";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createService, type OutboxKernel, type Store, unchanged } from "../src/index.ts";
import {
  createServiceWorld,
  createThingClient,
  type ServiceWorld,
  type ThingClient,
  type ThingTransaction,
} from "./service-world.ts";

let world: ServiceWorld;
beforeAll(async () => void (world = await createServiceWorld()));
afterAll(async () => await world.stop());

type ThingStore = Store<ThingClient, ThingTransaction, string>;

const openStore = (kernel: OutboxKernel): ThingStore =>
  kernel.openStore(
    () => createThingClient(kernel.database.pool),
    (name) => name,
  );

const event: NewAuditEvent = {
  event: "project.created",
  actor: "system",
  project: null,
  target: "a",
  metadata: { project_type: "ai_gateway" },
  ipAddress: "",
};

interface Built {
  readonly kernel: OutboxKernel;
  readonly store: ThingStore;
  readonly heard: string[];
}

function build(kernel: OutboxKernel): Built {
  const heard: string[] = [];
  kernel.feed.subscribe({ onChange: (payload) => heard.push(payload), onGap: () => heard.push("(gap)") });
  return { kernel, store: openStore(kernel), heard };
}

async function startThings() {
  const built: Built[] = [];
  const service = world.create((kernel) => {
    built.push(build(kernel));
    return {};
  });
  await service.start();
  const [first] = built;
  if (first === undefined) throw new Error("The service was not built.");
  return { ...first, service };
}

async function outboxOf({ database }: OutboxKernel): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ body: string }>("SELECT body FROM audit_outbox ORDER BY seq");
  return rows.map(({ body }) => (JSON.parse(body) as { target: string }).target);
}

test("parts start in order before the ports, and stop in reverse between the consumers and the database", async () => {
  const said: string[] = [];
  const part = (name: string) => ({
    name,
    start: () => void said.push(`start ${name}`),
    stop: () => void said.push(`stop ${name}`),
  });
  const consumers: Consumer[] = [];
  const events: EventTransport = { ...createInProcessTransport(), consume: (given) => void consumers.push(given) };
  const service = world.create(
    (kernel) => {
      const store = async () => void said.push("stored");
      kernel.consume({ stream: "audit", name: "test", batchSizeMax: 1, store });
      const asks = {
        name: "asks",
        stop: async () => void said.push((await kernel.database.pool.query("SELECT 1")).rowCount === 1 ? "asked" : ""),
      };
      return { parts: [asks, part("a"), part("b")], ports: [part("port")] };
    },
    { events, owned: [part("host")] },
  );
  const hand = async () => await consumers[0]?.store([]);
  await expect(hand()).rejects.toThrow("starting or stopping");
  await service.start();
  await hand();
  await service.stop();
  await expect(hand()).rejects.toThrow("starting or stopping");
  expect(said).toEqual([
    "start a",
    "start b",
    "start host",
    "start port",
    "stored",
    "stop port",
    "stop b",
    "stop a",
    "asked",
    "stop host",
  ]);
});

test("notices of the gateway log are in the readiness of a service that stays ready", async () => {
  const gatewayLog = { ...noGatewayLog, notices: () => ["entries wait"] };
  const service = world.create(() => ({}), { gatewayLog });
  await service.start();
  expect(await service.readiness()).toMatchObject({ ready: true, problems: ["entries wait"] });
  await service.stop();
});

test("a stop continues after a part that fails to stop, and throws at the end", async () => {
  const said: string[] = [];
  const stuck = {
    name: "stuck",
    stop() {
      throw new Error("The door is stuck.");
    },
  };
  const service = createService(
    { name: "plain", host: { telemetry: createSilentTelemetry(), events: createInProcessTransport() } },
    () => ({ parts: [{ name: "first", stop: () => void said.push("stopped") }, stuck] }),
  );
  await service.start();
  await expect(service.stop()).rejects.toThrow("The door is stuck.");
  expect(said).toEqual(["stopped"]);
});

test("a write commits its rows, announcements and events, and this process is notified at once", async () => {
  const { kernel, store, heard } = await startThings();
  const result = await store.write(async ({ thing }) => {
    await thing.create("a");
    return { result: 7, changes: ["a"], events: [event] };
  });
  expect(result).toBe(7);
  expect(heard).toContain("a");
  expect(await store.read(async ({ thing }) => await thing.findMany())).toContain("a");
  expect(await outboxOf(kernel)).toContain("a");
});

test("another replica is notified of a write", async () => {
  const [one, two] = [await startThings(), await startThings()];
  await one.store.write(async () => ({ result: undefined, changes: ["far"], events: [] }));
  await expect.poll(() => two.heard, { timeout: 10_000 }).toContain("far");
});

test.each(["work", "announcement", "event"])("a write whose %s fails leaves nothing", async (failing) => {
  const { kernel, store, heard } = await startThings();
  const name = `not by ${failing}`;
  const write = store.write(async ({ thing }) => {
    await thing.create(name);
    if (failing === "work") throw new Error("no");
    return {
      result: undefined,
      changes: [failing === "announcement" ? "x".repeat(10_000) : name],
      events: [{ ...event, target: name, ...(failing === "event" ? { metadata: {} } : {}) }],
    };
  });
  await expect(write).rejects.toThrow();
  expect(await store.read(async ({ thing }) => await thing.findMany())).not.toContain(name);
  expect(await outboxOf(kernel)).not.toContain(name);
  expect(heard).not.toContain(name);
});

test("hand-written statements are written in the same way", async () => {
  const { kernel, store, heard } = await startThings();
  await store.writeSql(async (client) => {
    await client.query("INSERT INTO things (name) VALUES ('sql')");
    return { result: undefined, changes: ["sql"], events: [{ ...event, target: "sql" }] };
  });
  await store.writeSql(async () => unchanged(undefined));
  expect(heard).toContain("sql");
  expect((await outboxOf(kernel)).filter((target) => target === "sql")).toHaveLength(1);
});

test("the reading client has no writing method in its type", async () => {
  const { store } = await startThings();
  await store.read(async (client) => {
    // @ts-expect-error Not there: a row is changed by `write` alone.
    const write: unknown = client.thing.create;
    // @ts-expect-error Nor is a transaction without announcements and events.
    const transaction: unknown = client.$transaction;
    return await Promise.resolve([write, transaction]);
  });
});

test("a store whose database is away throws `unavailable`", async () => {
  const built: Built[] = [];
  world.create(
    (kernel) => {
      built.push(build(kernel));
      return {};
    },
    { url: "postgresql://nobody@127.0.0.1:1/none" },
  );
  const store = built[0]?.store;
  const unavailable = { code: "unavailable" };
  await expect(store?.write(async () => unchanged(1))).rejects.toMatchObject(unavailable);
  await expect(store?.writeSql(async () => unchanged(1))).rejects.toMatchObject(unavailable);
  await expect(store?.read(async ({ thing }) => await thing.findMany())).rejects.toMatchObject(unavailable);
});

test.each([
  ["its host's text", { databaseProblem: "the Postgres in the cellar is away" }, "the Postgres in the cellar is away"],
  ["a general text", {}, "the database is not available"],
])("a service without its database says so with %s", async (_name, host, problem) => {
  const pools: OutboxKernel["database"]["pool"][] = [];
  const keepPool = (kernel: OutboxKernel) => {
    pools.push(kernel.database.pool);
    return {};
  };
  const service = world.create(keepPool, host);
  await service.start();
  for (const pool of pools) vi.spyOn(pool, "query").mockRejectedValue(new Error("Connection terminated unexpectedly"));
  const { ready, problems } = await service.readiness();
  expect({ ready, problem: problems[0] }).toEqual({ ready: false, problem });
  vi.restoreAllMocks();
  await service.stop();
});

test("an installation whose outbox came from a migration of the service starts", async () => {
  const { kernel, service } = await startThings();
  const rename = "UPDATE _prisma_migrations SET migration_name = $2 WHERE migration_name = $1";
  await kernel.database.pool.query(rename, ["20261121090000_audit_outbox", "20261121083100_audit_outbox"]);
  await service.stop();
  const again = await startThings();
  const { rows } = await again.kernel.database.pool.query<{ name: string }>(
    "SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1",
  );
  expect(rows.map(({ name }) => name)).toEqual([
    "20260101000000_things",
    "20261121083100_audit_outbox",
    "20261123060000_audit_outbox_numbers",
    "20261127110000_answered_calls",
  ]);
  await again.kernel.database.pool.query(rename, ["20261121083100_audit_outbox", "20261121090000_audit_outbox"]);
});

test("a pool's connections are a metric by service", async () => {
  const telemetry = createSilentTelemetry();
  const service = world.create(() => ({}), { telemetry });
  await service.start();
  expect(await telemetry.metrics.metrics()).toMatch(
    /gatehouse_database_connections\{service="things",state="(busy|idle)"\} [1-9]/,
  );
});
