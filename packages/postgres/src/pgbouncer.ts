import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { findFreePort } from "@gatehouse/ports";
import { toSpawnIdentity } from "./run-command.ts";
import { chooseServerUser } from "./server-user.ts";

const run = promisify(execFile);

const fetchTimeoutMs = 60_000;
const startTimeoutMs = 10_000;
const pollMs = 20;
/** The program, and libraries that may be missing. */
const packages = ["pgbouncer", "libevent-2.1-7", "libc-ares2"];

/** A PgBouncer in front of a test's database. */
export interface PgBouncer {
  /** URL of the same database, through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Folder with PgBouncer and its libraries, readable by every user; undefined where Debian's packages cannot be fetched. */
export async function unpackPgBouncer(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-pgbouncer-"));
  try {
    await run("apt-get", ["download", ...packages], { cwd: folder, timeout: fetchTimeoutMs });
    const archives = (await readdir(folder)).filter((name) => name.endsWith(".deb"));
    for (const archive of archives) await run("dpkg", ["-x", join(folder, archive), folder]);
    await chmod(folder, 0o755);
    return folder;
  } catch {
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
}

/** Starts an unpacked PgBouncer in front of the database of a URL. */
export async function startPgBouncer(
  folder: string,
  url: string,
  poolMode: "session" | "transaction",
): Promise<PgBouncer> {
  const server = new URL(url);
  const port = await findFreePort();
  const state = await mkdtemp(join(tmpdir(), "gatehouse-pgbouncer-state-"));
  const user = await chooseServerUser(state);
  const database = server.pathname.slice(1);
  const config = [
    "[databases]",
    `${database} = host=${server.hostname} port=${server.port} user=${server.username} password=${decodeURIComponent(server.password)}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${poolMode}`,
    // A common setting, for drivers that send options.
    "ignore_startup_parameters = options,extra_float_digits",
    "",
  ];
  const file = join(state, "pgbouncer.ini");
  await writeFile(file, config.join("\n"), { mode: 0o600 });
  if (user !== undefined) for (const path of [state, file]) await chown(path, user.uid, user.gid);
  const libraries = join(folder, "usr/lib", `${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`);
  const child = spawn(join(folder, "usr/sbin/pgbouncer"), [file], {
    cwd: "/",
    env: { LD_LIBRARY_PATH: libraries },
    stdio: "ignore",
    ...toSpawnIdentity(user),
  });
  const ended = once(child, "exit");
  await untilListening(port);
  const pooled = new URL(url);
  pooled.port = String(port);
  pooled.hostname = "127.0.0.1";
  return {
    url: pooled.href,
    async stop() {
      child.kill("SIGKILL");
      await ended;
      await rm(state, { recursive: true, force: true });
    },
  };
}

async function untilListening(port: number): Promise<void> {
  const until = performance.now() + startTimeoutMs;
  while (!(await answers(port))) {
    if (performance.now() > until) throw new Error("PgBouncer did not start.");
    await delay(pollMs);
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1" });
  const isConnected = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isConnected;
}
