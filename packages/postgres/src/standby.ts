import { execFile } from "node:child_process";
import { appendFile, chown, copyFile, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Client } from "pg";
import { withConnection } from "./ensure-database.ts";
import { toClusterDir } from "./home.ts";
import { type LocalPostgres, startPostgres, type StartPostgresOptions } from "./start-postgres.ts";

const run = promisify(execFile);
const pollMs = 50;
const followsWithinMs = 30_000;
const promotedWithinSeconds = 30;

/** Starts a second server that replicates a first one synchronously: from now on its commits wait for the second. */
export async function startStandby(
  primary: LocalPostgres,
  { dataDir, logFile }: Pick<StartPostgresOptions, "dataDir" | "logFile">,
): Promise<LocalPostgres> {
  const cluster = toClusterDir(dataDir);
  await mkdir(dataDir, { mode: 0o711, recursive: true });
  await copyFile(join(primary.dataDir, "password"), join(dataDir, "password"));
  await withConnection(primary.url, async (client) => {
    await client.query("SELECT pg_backup_start('standby', true)");
    await copyRunning(toClusterDir(primary.dataDir), cluster);
    const { rows } = await client.query<{ readonly labelfile: string }>("SELECT labelfile FROM pg_backup_stop(false)");
    await addFile(cluster, "backup_label", rows[0]?.labelfile ?? "");
  });
  await addFile(cluster, "standby.signal", "");
  await appendFile(join(cluster, "postgresql.auto.conf"), `primary_conninfo = '${toConnectionInfo(primary.url)}'\n`);
  const standby = await startPostgres({ dataDir, logFile });
  await withConnection(primary.url, async (client) => {
    await setFollowers(client, "*");
    await untilFollowed(client);
  });
  return standby;
}

/** Promotes a standby: it accepts writes, and its commits wait for no other server. */
export async function promoteStandby(standby: LocalPostgres): Promise<void> {
  await withConnection(standby.url, async (client) => {
    await client.query("SELECT pg_promote(true, $1)", [promotedWithinSeconds]);
    await setFollowers(client, "");
  });
}

/** Copies the folder of a running server ("Making a Base Backup Using the Low Level API"). */
async function copyRunning(from: string, to: string): Promise<void> {
  // Files that the server removes meanwhile are not needed. A copy that lacks another file does not start.
  await run("cp", ["-a", from, to]).catch(() => {});
  await rm(join(to, "postmaster.pid"), { force: true });
  // The server provides the segments that the copy needs.
  await run("find", [join(to, "pg_wal"), "-type", "f", "-delete"]);
}

/** Writes a file with the folder's owner, which the server runs as. */
async function addFile(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, text);
  const { uid, gid } = await stat(folder);
  await chown(path, uid, gid);
}

function toConnectionInfo(url: string): string {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password}`;
}

async function setFollowers(client: Client, names: string): Promise<void> {
  await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await client.query("SELECT pg_reload_conf()");
}

async function untilFollowed(client: Client): Promise<void> {
  const untilMs = performance.now() + followsWithinMs;
  for (;;) {
    const { rowCount } = await client.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
    if (rowCount === 1) return;
    if (performance.now() > untilMs) throw new Error("The standby does not follow.");
    await delay(pollMs);
  }
}
