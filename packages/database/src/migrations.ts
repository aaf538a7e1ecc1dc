import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { Logger } from "@gatehouse/telemetry";
import type pg from "pg";

/** Longest wait for the lock of a table, milliseconds. */
const lockTimeoutMs = 120_000;

/** Advisory lock of Prisma Migrate, so that its command line and this runner never run at once. */
const migrationLockId = 72_707_369;

/** Prisma Migrate's table, as in Prisma 7. */
const bookkeepingTable = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id varchar(36) PRIMARY KEY,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`;

/** A migration of a package's table in the schemas of all services that use it. */
export interface SharedMigration {
  /** Name in Prisma's form, a timestamp and a word: `20261121090000_audit_outbox`. Decides its place among a service's own. */
  readonly name: string;
  readonly sql: string;
}

interface Migration extends SharedMigration {
  readonly checksum: string;
  readonly isShared: boolean;
}

/** Migrations of one schema, in the order of their names. */
interface MigrationRun {
  readonly schema: string;
  readonly log: Logger;
  readonly lockTimeoutMs?: number;
}

/**
 * Applies missing migrations, each in one transaction with its bookkeeping row, so that a failure leaves nothing half-applied.
 * Several processes may start at once: one applies, the others wait. Uses up the connection: the lock and the migrations' session
 * settings end with it. A shared migration is matched by its text under any name, since services once had copies of it.
 * @param folder the service's Prisma migrations
 * @throws Error when a migration fails, or when an applied one was edited since.
 */
export async function applyMigrations(
  client: pg.Client,
  folder: URL,
  shared: readonly SharedMigration[],
  run: MigrationRun,
): Promise<void> {
  const { schema, lockTimeoutMs: tableLockTimeoutMs = lockTimeoutMs } = run;
  const migrations = await readMigrations(folder, shared);
  // Checked first without DDL, since a running service's role may not change tables.
  if (await areAllApplied(client, schema, migrations)) return;
  await waitForTurn(client, run);
  await client.query(`SET lock_timeout = ${tableLockTimeoutMs}`);
  await ensureSchema(client, schema);
  await client.query(bookkeepingTable);
  const applied = await readApplied(client);
  const appliedTexts = new Set(applied.values());
  for (const migration of migrations) {
    if (migration.isShared && appliedTexts.has(migration.checksum)) continue;
    await applyOnce(client, migration, applied.get(migration.name));
  }
}

/**
 * Waits without a bound: a migration, even of another service in the database, may take minutes. The lock is released when its
 * process or connection ends.
 */
async function waitForTurn(client: pg.Client, { schema, log }: MigrationRun): Promise<void> {
  const { rows } = await client.query<{ is_ours: boolean }>("SELECT pg_try_advisory_lock($1) AS is_ours", [
    migrationLockId,
  ]);
  if (rows[0]?.is_ours === true) return;
  log.info({ schema }, "Migrations wait for those of another process or service in this database to end.");
  // A role, or the database, may have a default bound.
  await client.query("SET lock_timeout = 0");
  await client.query("SELECT pg_advisory_lock($1)", [migrationLockId]);
  log.info({ schema }, "Migrations wait no longer.");
}

/** Creates the schema if absent. `IF NOT EXISTS` would need the right to create schemas in any case, which a service's role lacks. */
async function ensureSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ is_there: boolean }>("SELECT to_regnamespace($1) IS NOT NULL AS is_there", [
    schema,
  ]);
  if (rows[0]?.is_there !== true) await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
}

async function readMigrations(folder: URL, shared: readonly SharedMigration[]): Promise<readonly Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const own = await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(`${name}/migration.sql`, withSlash(folder)), "utf8");
      return toMigration({ name, sql }, false);
    }),
  );
  return [...own, ...shared.map((migration) => toMigration(migration, true))].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

function toMigration({ name, sql }: SharedMigration, isShared: boolean): Migration {
  return { name, sql, isShared, checksum: createHash("sha256").update(sql).digest("hex") };
}

function withSlash(folder: URL): URL {
  return folder.href.endsWith("/") ? folder : new URL(`${folder.href}/`);
}

async function areAllApplied(client: pg.Client, schema: string, migrations: readonly Migration[]): Promise<boolean> {
  const { rows } = await client.query<{ is_there: boolean }>("SELECT to_regclass($1) IS NOT NULL AS is_there", [
    `"${schema}"._prisma_migrations`,
  ]);
  if (rows[0]?.is_there !== true) return false;
  const applied = await readApplied(client);
  const texts = new Set(applied.values());
  return migrations.every(
    ({ name, checksum, isShared }) => applied.get(name) === checksum || (isShared && texts.has(checksum)),
  );
}

async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ migration_name: string; checksum: string }>(
    "SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL",
  );
  return new Map(rows.map((row) => [row.migration_name, row.checksum]));
}

async function applyOnce(client: pg.Client, { name, sql, checksum }: Migration, applied?: string): Promise<void> {
  if (applied === checksum) return;
  if (applied !== undefined) {
    throw new Error(`Migration ${name} was changed after it had been applied; add a new migration instead.`);
  }
  await client.query("BEGIN");
  try {
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query("COMMIT");
  } catch (cause) {
    await client.query("ROLLBACK").catch(() => {});
    throw new Error(`Migration ${name} failed: ${cause instanceof Error ? cause.message : "unknown"}`, { cause });
  }
}
