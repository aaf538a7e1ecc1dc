import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PostgresError, startPostgres, type LocalPostgres, type StartPostgresOptions } from "../src/index.ts";
import { stopProcess } from "../src/postmaster.ts";
import { childrenOf, isAlive } from "../src/process-identity.ts";
import { signalPostgres } from "../src/testing.ts";
import { findInstalledLinks } from "./fixtures/installed-package.ts";

const unprivilegedUser = 65_534;
const isRoot = process.getuid?.() === 0;
/** The promise of `stop`, with a second for a busy machine. */
const stoppedWithinMs = 9_000;

let root: string;
let running: LocalPostgres[] = [];
let children: ChildProcess[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "gatehouse-postgres-"));
  await chmod(root, 0o711);
});

afterEach(async () => {
  for (const server of running.splice(0)) {
    await server.stop();
  }
  for (const child of children.splice(0)) {
    await end(child, "SIGKILL");
  }
  await endServerOf(join(root, "data", "cluster"));
  await rm(root, { recursive: true, force: true });
});

describe("startPostgres", () => {
  it("creates the data at first use, protected by a password that only this user can read", async () => {
    const server = await start();
    expect(server.startedFresh).toBe(true);
    expect(await query(server.url, "SELECT current_database() AS value")).toBe("gatehouse");
    expect((await stat(join(server.dataDir, "password"))).mode & 0o777).toBe(0o600);
    const wrong = new URL(server.url);
    wrong.password = "wrong";
    await expect(query(wrong.href, "SELECT 1 AS value")).rejects.toMatchObject({ code: "28P01" });
  });

  it("listens on the loopback address only, in UTC and UTF-8, and keeps statements out of its log", async () => {
    const server = await start();
    expect(await query(server.url, "SHOW listen_addresses")).toBe("127.0.0.1");
    expect(await query(server.url, "SHOW unix_socket_directories")).toBe("");
    expect(await query(server.url, "SHOW timezone")).toBe("UTC");
    expect(await query(server.url, "SHOW server_encoding")).toBe("UTF8");
    await expect(query(server.url, "SELECT 'a-secret-value'::int AS value")).rejects.toThrow();
    await expect(query(server.url, "SELECT 1/0 AS value")).rejects.toThrow("division by zero");
    expect(await readFile(join(root, "postgres.log"), "utf8")).toContain("division by zero");
    expect(await readFile(join(root, "postgres.log"), "utf8")).not.toContain("SELECT 1/0");
  });

  it("forces writes to the disk, except when throwaway", async () => {
    const durable = await start({ throwaway: false });
    expect(await query(durable.url, "SHOW fsync")).toBe("on");
    expect(await query(durable.url, "SHOW synchronous_commit")).toBe("on");
    await durable.stop();
    const throwaway = await start();
    expect(await query(throwaway.url, "SHOW fsync")).toBe("off");
  });

  it("keeps data, password and port from one start to the next, and leaves nothing running after stop", async () => {
    const first = await start();
    await query(first.url, "CREATE TABLE kept AS SELECT 42 AS value");
    const pid = await serverPid(first.dataDir);
    await first.stop();
    await first.stop();
    expect(await isGone(pid)).toBe(true);
    const second = await start();
    expect(second.startedFresh).toBe(false);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, "SELECT value FROM kept")).toBe(42);
  });

  it("takes another port when the one of the last start is in use", async () => {
    const first = await start();
    await first.stop();
    const blocker = await occupy(first.port);
    try {
      const second = await start();
      expect(second.port).not.toBe(first.port);
      expect(await query(second.url, "SELECT 1 AS value")).toBe(1);
    } finally {
      blocker.close();
    }
  });

  it("refuses a port that was asked for and is in use", async () => {
    const blocker = await occupy(0);
    const address = blocker.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    try {
      await expectFailure(start({ port }), "port-taken", String(port));
    } finally {
      blocker.close();
    }
  });

  it("reports a killed server, and the next start recovers committed data", async () => {
    let tell: () => void = () => undefined;
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const first = await start({ throwaway: false, onUnexpectedExit: () => tell() });
    await query(first.url, "CREATE TABLE kept AS SELECT 7 AS value");
    process.kill(await serverPid(first.dataDir), "SIGKILL");
    await told;
    await first.stop();
    const second = await start({ throwaway: false });
    expect(await query(second.url, "SELECT value FROM kept")).toBe(7);
  });

  it("ends the server of a killed owner, keeps its data, and reports it", async () => {
    const owner = await startChild();
    await query(owner.url, "CREATE TABLE kept AS SELECT 9 AS value");
    const survivor = await serverPid(join(root, "data"));
    await end(owner.child, "SIGKILL");
    expect(await isGone(survivor)).toBe(false);
    const progress: string[] = [];
    const server = await start({ onProgress: (message) => progress.push(message) });
    expect(await isGone(survivor)).toBe(true);
    expect(progress.join()).toContain(String(survivor));
    expect(await query(server.url, "SELECT value FROM kept")).toBe(9);
  });

  it("ends a frozen server and all its processes within the bound of a stop, and keeps its data", async () => {
    const first = await start({ throwaway: false });
    await query(first.url, "CREATE TABLE kept AS SELECT 8 AS value");
    const pid = await serverPid(first.dataDir);
    const processes = [pid, ...(await childrenOf(pid))];
    await signalPostgres(first.dataDir, "SIGSTOP");
    const beganMs = performance.now();
    await first.stop();
    expect(performance.now() - beganMs).toBeLessThan(stoppedWithinMs);
    expect(await Promise.all(processes.map(isGone))).toEqual(processes.map(() => true));
    const second = await start({ throwaway: false });
    expect(await query(second.url, "SELECT value FROM kept")).toBe(8);
  });

  it("kills a server that ends at no other signal, with all its processes, within the bound of a stop", async () => {
    const script = "trap '' INT QUIT; sleep 1000 & echo started; wait";
    const child = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    await once(child.stdout, "data");
    const pid = child.pid ?? 0;
    const processes = [pid, ...(await childrenOf(pid))];
    expect(processes).toHaveLength(2);
    const beganMs = performance.now();
    expect(await stopProcess(pid)).toBe(false);
    expect(performance.now() - beganMs).toBeLessThan(stoppedWithinMs);
    expect(await Promise.all(processes.map(isGone))).toEqual([true, true]);
  });

  it("refuses a folder whose owner is alive, and leaves that server alone", async () => {
    const owner = await startChild();
    await expectFailure(start(), "in-use", String(owner.child.pid));
    expect(await query(owner.url, "SELECT 1 AS value")).toBe(1);
  });

  it("does not take another process for a server when a stale pid file names it", async () => {
    const first = await start();
    await first.stop();
    const stranger = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    children.push(stranger);
    await writeFile(join(first.dataDir, "cluster", "postmaster.pid"), `${stranger.pid}\n/somewhere\n`);
    const second = await start();
    expect(await query(second.url, "SELECT 1 AS value")).toBe(1);
    expect(await isGone(stranger.pid ?? 0)).toBe(false);
  });

  it("starts over after an interrupted creation", async () => {
    await mkdir(join(root, "data", "cluster.incomplete", "base"), { recursive: true });
    await writeFile(join(root, "data", "cluster.incomplete", "PG_VERSION"), "18\n");
    const server = await start();
    expect(server.startedFresh).toBe(true);
    await expect(stat(join(root, "data", "cluster.incomplete"))).rejects.toThrow("ENOENT");
  });

  it("never replaces a folder that is not a complete data folder", async () => {
    await mkdir(join(root, "data", "cluster"), { recursive: true });
    await writeFile(join(root, "data", "cluster", "precious.txt"), "keep me");
    await expectFailure(start(), "not-a-cluster", "Move it away");
    expect(await readFile(join(root, "data", "cluster", "precious.txt"), "utf8")).toBe("keep me");
  });

  it("refuses data of another major version", async () => {
    const server = await start();
    await server.stop();
    await writeFile(join(server.dataDir, "cluster", "PG_VERSION"), "15\n");
    await expectFailure(start(), "wrong-version", "Postgres 15");
  });

  it("refuses data whose password is lost", async () => {
    const server = await start();
    await server.stop();
    await rm(join(server.dataDir, "password"));
    await expectFailure(start(), "password-lost", "Restore the file");
  });

  it("gives advice when a file has the path of the folder", async () => {
    await writeFile(join(root, "data"), "");
    await expectFailure(start(), "folder-not-writable", "choose another data folder");
  });

  it("lays the library links itself, since install scripts do not run", async () => {
    const links = await findInstalledLinks();
    await rm(links[0] ?? "", { force: true });
    await start();
    expect((await stat(links[0] ?? "")).isFile()).toBe(true);
  });
});

describe.runIf(isRoot && process.platform === "linux")("startPostgres and users", () => {
  it("runs the server as an ordinary user, who cannot read the password, when this process is root", async () => {
    const server = await start();
    const { uid } = await stat(`/proc/${await serverPid(server.dataDir)}`);
    expect(uid).not.toBe(0);
    expect((await stat(join(server.dataDir, "password"))).uid).toBe(0);
  });

  it("moves data and programs to a reachable place when the server's user cannot enter the folder", async () => {
    const closed = join(root, "closed");
    await mkdir(closed, { mode: 0o700 });
    const progress: string[] = [];
    const options = { dataDir: join(closed, "data"), fallbackRoot: join(root, "fallback") };
    const first = await start({ ...options, onProgress: (message) => progress.push(message) });
    expect(first.dataDir).toMatch(/fallback\/[0-9a-f]{12}$/);
    expect(progress.join()).toContain(first.dataDir);
    await first.stop();
    await chmod(closed, 0o711);
    const second = await start(options);
    expect(second.dataDir).toBe(first.dataDir);
    expect(second.startedFresh).toBe(false);
  });

  it("works for an ordinary user, and root then runs that data as its owner", async () => {
    await chown(root, unprivilegedUser, unprivilegedUser);
    const owner = await startChild({ uid: unprivilegedUser, gid: unprivilegedUser });
    await query(owner.url, "CREATE TABLE kept AS SELECT 3 AS value");
    await end(owner.child, "SIGTERM");
    const server = await start();
    expect((await stat(`/proc/${await serverPid(server.dataDir)}`)).uid).toBe(unprivilegedUser);
    expect(await query(server.url, "SELECT value FROM kept")).toBe(3);
  });

  it("gives advice when an ordinary user may not write to the folder", async () => {
    const outcome = await runChild({ uid: unprivilegedUser, gid: unprivilegedUser });
    expect(outcome).toMatchObject({ code: "folder-not-writable" });
    expect(String(outcome["message"])).toContain("choose another data folder");
  });
});

async function start(options: Partial<StartPostgresOptions> = {}): Promise<LocalPostgres> {
  const defaults = { dataDir: join(root, "data"), logFile: join(root, "postgres.log"), throwaway: true };
  const server = await startPostgres({ ...defaults, ...options });
  running.push(server);
  return server;
}

type Identity = { readonly uid?: number; readonly gid?: number };

async function startChild(identity: Identity = {}): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const { child, outcome } = await launchChild(identity);
  return { child, url: String(outcome["url"]) };
}

async function runChild(identity: Identity): Promise<Record<string, unknown>> {
  return (await launchChild(identity)).outcome;
}

/** Another process that owns a server; its first line is the result of its start. */
async function launchChild(identity: Identity): Promise<{ child: ChildProcess; outcome: Record<string, unknown> }> {
  const script = join(import.meta.dirname, "fixtures", "run-server.ts");
  const child = spawn(process.execPath, [script, join(root, "data"), join(root, "postgres.log")], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: "/",
    ...identity,
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const outcome: Record<string, unknown> = JSON.parse(line);
    return { child, outcome };
  }
  throw new Error("the child said nothing");
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }
}

async function endServerOf(clusterDir: string): Promise<void> {
  const text = await readFile(join(clusterDir, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  if (pid > 0 && text.includes(clusterDir) && !(await isGone(pid))) {
    process.kill(pid, "SIGKILL");
  }
}

async function query(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

async function serverPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, "cluster", "postmaster.pid"), "utf8"), 10);
}

async function isGone(pid: number): Promise<boolean> {
  return !(await isAlive(pid));
}

async function occupy(port: number): Promise<ReturnType<typeof createServer>> {
  const server = createServer().listen({ port, host: "127.0.0.1" });
  await once(server, "listening");
  return server;
}

async function expectFailure(attempt: Promise<unknown>, code: string, text: string): Promise<void> {
  const err = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(err).toBeInstanceOf(PostgresError);
  expect(err).toMatchObject({ code });
  expect(err instanceof Error ? err.message : "").toContain(text);
}
