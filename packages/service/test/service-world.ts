import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createInProcessTransport } from "@gatehouse/events";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import type pg from "pg";
import { createService, type OutboxKernel, type Service, type ServiceHost, type ServiceParts } from "../src/index.ts";
import type { DatabaseOptions } from "../src/kernel.ts";
import type { StoreClient } from "../src/store.ts";

export const schema = "things";

const migration = "CREATE TABLE things (id serial PRIMARY KEY, name text NOT NULL)";

/** The part of a Prisma transaction that these tests need. */
export interface ThingTransaction {
  $executeRawUnsafe(sql: string, ...values: unknown[]): Promise<number>;
  readonly thing: { findMany(): Promise<readonly string[]>; create(name: string): Promise<void> };
}

export interface ThingClient extends StoreClient<ThingTransaction> {
  readonly thing: ThingTransaction["thing"];
}

export interface WorldOptions extends Partial<ServiceHost> {
  readonly url?: string;
  readonly database?: Partial<DatabaseOptions>;
}

/** A database, and services with one table on it. */
export async function createServiceWorld() {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-service-"));
  const migrations = pathToFileURL(join(folder, "migrations"));
  await mkdir(join(folder, "migrations", "20260101000000_things"), { recursive: true });
  await writeFile(join(folder, "migrations", "20260101000000_things", "migration.sql"), migration);
  const opened: Service[] = [];
  return {
    url: database.url,
    folder,
    create(
      build: (kernel: OutboxKernel) => ServiceParts,
      { url, database: more, ...host }: WorldOptions = {},
    ): Service {
      const config = { databaseUrl: new Secret(url ?? database.url), databaseConnectionsMax: 4 };
      const service = createService(
        {
          name: "things",
          host: { telemetry: createSilentTelemetry(), events: createInProcessTransport(), ...host },
          database: { config, schema, migrations, ...more },
          outbox: true,
          feed: true,
        },
        build,
      );
      opened.push(service);
      return service;
    },
    async stop(): Promise<void> {
      for (const service of opened) await service.stop();
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}

export type ServiceWorld = Awaited<ReturnType<typeof createServiceWorld>>;

/** Replaces a generated Prisma client on the kernel's pool. */
export function createThingClient(pool: pg.Pool): ThingClient {
  const thingOf = (runner: Pick<pg.Pool, "query">): ThingTransaction["thing"] => ({
    async findMany() {
      const { rows } = await runner.query<{ name: string }>("SELECT name FROM things ORDER BY id");
      return rows.map(({ name }) => name);
    },
    async create(name) {
      await runner.query("INSERT INTO things (name) VALUES ($1)", [name]);
    },
  });
  return {
    thing: thingOf(pool),
    async $transaction(work) {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        const result = await work({
          thing: thingOf(client),
          $executeRawUnsafe: async (sql, ...values) => (await client.query(sql, values)).rowCount ?? 0,
        });
        await client.query("COMMIT");
        return result;
      } catch (err) {
        await client.query("ROLLBACK");
        throw err;
      } finally {
        client.release();
      }
    },
    $disconnect: async () => await Promise.resolve(),
  };
}
