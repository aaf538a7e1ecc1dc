import { randomUUID } from "node:crypto";
import { type OpenDatabase, openDatabase } from "@gatehouse/database";
import type { McpTool } from "@gatehouse/mcp";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ToolCatalogueStore } from "../src/domain/bridge-tool.ts";
import { createToolCatalogueStore } from "../src/store/tool-catalogues.ts";
import { MemoryToolStore } from "./memory-tool-store.ts";

const tool = (name: string): McpTool => ({ name, description: "é", inputSchema: { type: "object", properties: {} } });
const [early, late] = [new Date("2026-01-01T00:00:00Z"), new Date("2026-01-02T00:00:00Z")];

let postgres: TestDatabase;
let database: OpenDatabase;
/** Database at an address without a server. */
let awayDatabase: OpenDatabase;
beforeAll(async () => {
  postgres = await createTestDatabase();
  const { log } = createSilentTelemetry();
  const open = (url: string) => openDatabase({ url: new Secret(url), schema: "mcp_bridge", connectionsMax: 2, log });
  database = open(postgres.url);
  awayDatabase = open("postgres://user@127.0.0.1:9/away");
  await database.migrate(new URL("../prisma/migrations", import.meta.url));
});
afterAll(async () => {
  await awayDatabase.close();
  await database.close();
  await postgres.drop();
});

interface StoreCase {
  readonly name: string;
  readonly open: () => ToolCatalogueStore;
  /** Opens a store without a reachable database. */
  readonly openAway: () => ToolCatalogueStore;
}

describe.each<StoreCase>([
  {
    name: "in memory",
    open: () => new MemoryToolStore(),
    openAway: () => Object.assign(new MemoryToolStore(), { failing: true }),
  },
  {
    name: "in Postgres",
    open: () => createToolCatalogueStore(database),
    openAway: () => createToolCatalogueStore(awayDatabase),
  },
])("the last known tools $name", ({ open, openAway }) => {
  test("are those saved last for the project, in order", async () => {
    const store = open();
    const [project, other] = [randomUUID(), randomUUID()];
    expect(await store.find(project)).toBeUndefined();
    await store.save(project, [tool("b"), tool("a")], early);
    await store.save(other, [], early);
    expect(await store.find(project)).toEqual([tool("b"), tool("a")]);
    await store.save(project, [tool("c")], late);
    expect([await store.find(project), await store.find(other)]).toEqual([[tool("c")], []]);
  });

  test("are not replaced by an older list that arrives late", async () => {
    const store = open();
    const project = randomUUID();
    expect(await store.save(project, [tool("new")], late)).toBe(true);
    expect(await store.save(project, [tool("old")], early)).toBe(false);
    expect(await store.find(project)).toEqual([tool("new")]);
    expect(await store.save(project, [tool("newest")], late)).toBe(true);
    expect(await store.find(project)).toEqual([tool("newest")]);
  });

  test("are deleted if they were listed before a given time", async () => {
    const store = open();
    const [project, other] = [randomUUID(), randomUUID()];
    await store.save(project, [tool("a")], early);
    await store.save(other, [tool("b")], late);
    await store.prune(late);
    expect([await store.find(project), await store.find(other)]).toEqual([undefined, [tool("b")]]);
  });

  test("cannot be read or stored while the store is away: unavailable", async () => {
    const store = openAway();
    const away = { code: "unavailable" };
    await expect(store.find(randomUUID())).rejects.toMatchObject(away);
    await expect(store.save(randomUUID(), [], late)).rejects.toMatchObject(away);
    await expect(store.prune(early)).rejects.toMatchObject(away);
  });
});
