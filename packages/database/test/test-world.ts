import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { type OpenDatabase, type DatabaseOptions, openDatabase } from "../src/index.ts";

export const { log } = createSilentTelemetry();

export async function createWorld() {
  const database = await createTestDatabase();
  const { url } = database;
  const opened: OpenDatabase[] = [];
  const folders: string[] = [];
  return {
    url,
    open(options: Partial<DatabaseOptions> = {}): OpenDatabase {
      const made = openDatabase({ url: new Secret(url), schema: "service", connectionsMax: 4, log, ...options });
      opened.push(made);
      return made;
    },
    async migrations(texts: Readonly<Record<string, string>>): Promise<URL> {
      const folder = await mkdtemp(join(tmpdir(), "migrations-"));
      folders.push(folder);
      await writeFile(join(folder, "migration_lock.toml"), 'provider = "postgresql"\n');
      for (const [name, sql] of Object.entries(texts)) {
        await mkdir(join(folder, name));
        await writeFile(join(folder, name, "migration.sql"), sql);
      }
      return pathToFileURL(folder);
    },
    async close(): Promise<void> {
      await Promise.all(opened.map(async (each) => await each.close()));
      await database.drop();
      await Promise.all(folders.map(async (folder) => await rm(folder, { recursive: true })));
    },
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;
