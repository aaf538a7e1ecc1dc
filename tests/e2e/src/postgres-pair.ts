import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { hasCode } from "@gatehouse/errors";
import { findFreePort } from "@gatehouse/ports";

/** Two Postgres servers, one replicating the other, behind one address, as with HAProxy, Patroni or a cloud provider. */
export interface PostgresPair {
  /** Database URL that leads to one of the servers. */
  readonly url: string;
  /** Crashes the first server and cuts its connections. */
  killPrimary(): Promise<void>;
  /** Redirects the address to the second server, which still replicates. */
  leadToStandby(): void;
  /** Makes the second server accept writes. */
  promote(): Promise<void>;
  /** Connections that were directed to the second server. */
  connectionsToStandby(): number;
  stop(): Promise<void>;
}

const startTimeoutMs = 30_000;
const pollMs = 50;
const debianFolder = "/usr/lib/postgresql";

/** Folder of this machine's Postgres programs; undefined, with a warning, without one that can replicate. */
export async function findPostgresPrograms(): Promise<string | undefined> {
  const versions = await readdir(debianFolder).catch(() => []);
  // A client-only package has the folder too.
  const complete = versions.filter((version) => existsSync(join(debianFolder, version, "bin/initdb")));
  const newest = complete.toSorted((one, other) => Number(other) - Number(one))[0];
  if (newest !== undefined) return join(debianFolder, newest, "bin");
  process.stderr.write(
    `\n!!! No Postgres in ${debianFolder} (Debian's package postgresql). Tests of a failover are SKIPPED.\n\n`,
  );
  return undefined;
}

/** Synchronous replication: no acknowledged commit is lost with the first server. */
export async function startPostgresPair(programs: string): Promise<PostgresPair> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-pair-"));
  const user = serverUser();
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const program = (name: string) => join(programs, name);
  const run = (name: string, args: readonly string[]) =>
    execFileSync(program(name), args, { cwd: "/", stdio: ["ignore", "pipe", "pipe"], ...user });
  const start = (data: string, port: number, more: readonly string[]) => {
    const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"];
    const args = ["-D", data, ...[...settings, ...more].flatMap((setting) => ["-c", setting])];
    return spawn(program("postgres"), args, { cwd: "/", stdio: "ignore", detached: true, ...user });
  };
  const [primaryPort, standbyPort] = [await findFreePort(), await findFreePort()];
  const [primaryData, standbyData] = [join(folder, "primary"), join(folder, "standby")];
  run("initdb", ["-D", primaryData, "-U", "gatehouse", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]);
  const primary = start(primaryData, primaryPort, ["synchronous_standby_names=*", "synchronous_commit=local"]);
  await untilReady(() => run("pg_isready", ["-h", "127.0.0.1", "-p", String(primaryPort)]));
  const source = `host=127.0.0.1 port=${primaryPort} user=gatehouse`;
  run("pg_basebackup", ["-D", standbyData, "-d", source, "-R", "-X", "stream", "-c", "fast", "--no-sync"]);
  const standby = start(standbyData, standbyPort, ["hot_standby=on"]);
  await untilReady(() => run("pg_isready", ["-h", "127.0.0.1", "-p", String(standbyPort)]));
  const sql = (text: string) =>
    run("psql", [
      "-h",
      "127.0.0.1",
      "-p",
      String(primaryPort),
      "-U",
      "gatehouse",
      "-qAt",
      "-d",
      "postgres",
      "-c",
      text,
    ]);
  sql("CREATE DATABASE gatehouse");
  sql("ALTER SYSTEM SET synchronous_commit = 'on'");
  sql("SELECT pg_reload_conf()");
  const address = await openAddress(primaryPort);
  return {
    url: `postgresql://gatehouse@127.0.0.1:${address.port}/gatehouse`,
    async killPrimary() {
      await killAll(primary);
      address.cut();
    },
    leadToStandby: () => address.leadTo(standbyPort),
    async promote() {
      run("pg_ctl", ["promote", "-D", standbyData, "-w"]);
    },
    connectionsToStandby: () => address.count(standbyPort),
    async stop() {
      await Promise.all([killAll(primary), killAll(standby)]);
      address.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Postgres refuses to run as root. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** Kills the server's descendants too, whose sessions have separate process groups. */
async function killAll(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  const lines = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const children = lines.map((line) => line.trim().split(/\s+/).map(Number)).filter(([, ppid]) => ppid === server.pid);
  for (const pid of [server.pid, ...children.map(([pid]) => pid)]) {
    if (pid === undefined) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch (err) {
      if (!hasCode(err, "ESRCH")) throw err;
    }
  }
  await ended;
}

async function untilReady(look: () => unknown): Promise<void> {
  const until = performance.now() + startTimeoutMs;
  for (;;) {
    try {
      look();
      return;
    } catch (err) {
      if (performance.now() > until) throw err;
    }
    await delay(pollMs);
  }
}

/** A port whose connections lead to another, changeable port. */
async function openAddress(first: number) {
  let target = first;
  const counts = new Map<number, number>();
  const open = new Set<Socket>();
  const server = createServer((near) => {
    counts.set(target, (counts.get(target) ?? 0) + 1);
    const far = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.pipe(other);
      socket.on("error", () => {});
      socket.once("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port.");
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: address.port,
    cut,
    leadTo: (port: number) => void (target = port),
    count: (port: number) => counts.get(port) ?? 0,
    stop() {
      cut();
      server.close();
    },
  };
}
