import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findFreePort } from "@gatehouse/ports";
import { signalPostgres } from "@gatehouse/postgres/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compileCache } from "../src/child.ts";
import { ControlPlaneClient } from "../src/control-plane-client.ts";

/** The product as started by `npm start`: with an embedded Postgres in its folder, and the demo project. */

const main = fileURLToPath(new URL("../../../deploy/standalone/dist/bundle/main.js", import.meta.url));
/** Calls in flight, the silence of the database, and Postgres' bound, with some seconds for a busy machine. */
const frozenStopMs = 25_000;
let folder: string;
let home: string;
const running: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-life-"));
  // Postgres runs as another user when the tests run as root.
  await chmod(folder, 0o755);
  home = join(folder, "home");
});

afterEach(async () => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
}

async function start(env: Record<string, string> = {}): Promise<Running> {
  const port = env["PORT"] ?? String(await findFreePort());
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: compileCache,
      PORT: port,
      OPS_PORT: "0",
      GATEHOUSE_HOME: home,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const url = `http://127.0.0.1:${port}`;
  return { child, url, output: () => text, exited };
}

/** Longest start, with the creation of a database, on a busy machine. */
const readyMs = 60_000;

async function ready({ child, output }: Running): Promise<void> {
  await expect.poll(() => output().includes("is ready at") || child.exitCode !== null, { timeout: readyMs }).toBe(true);
  expect(output()).toContain("is ready at");
}

async function stop({ child, exited }: Running): Promise<number | null> {
  child.kill("SIGINT");
  return await exited;
}

function processesOf(path: string): string[] {
  const lines = execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(path) && !line.includes("ps -eo"));
}

test("the first start prints a curl command that works; a second keeps the data and prints no secrets", async () => {
  const first = await start();
  await ready(first);
  const curl = /curl .*$/m.exec(first.output())?.[0] ?? "";
  const ask = () =>
    JSON.parse(execFileSync("sh", ["-c", curl.replace("localhost", "127.0.0.1")], { encoding: "utf8" })) as object;
  expect(ask()).toMatchObject({ ok: true, content: "Echo: Hello!" });
  expect(first.output()).toMatch(/svc_admin_/);
  expect(await stop(first)).toBe(0);
  expect(processesOf(home)).toEqual([]);

  const second = await start({ PORT: new URL(first.url).port });
  await ready(second);
  expect(ask()).toMatchObject({ ok: true });
  expect(second.output()).not.toMatch(/svc_(admin|live)_/);
  await stop(second);
});

test("a start after a kill recovers by itself", async () => {
  const first = await start();
  await ready(first);
  first.child.kill("SIGKILL");
  await first.exited;
  const second = await start();
  await ready(second);
  expect((await fetch(`${second.url}/healthz`)).status).toBe(200);
  expect(await stop(second)).toBe(0);
  expect(processesOf(home)).toEqual([]);
});

test("the product goes on after its own Postgres was killed, and says so", async () => {
  const operationsPort = String(await findFreePort());
  const product = await start({ OPS_PORT: operationsPort });
  await ready(product);
  const postmaster = async () => {
    const pidFile = await readFile(join(home, "postgres", "cluster", "postmaster.pid"), "utf8").catch(() => "");
    return /ready/.test(pidFile) ? Number.parseInt(pidFile, 10) : undefined;
  };
  const killed = (await postmaster()) ?? 0;
  process.kill(killed, "SIGKILL");
  await expect
    .poll(product.output, { timeout: 10_000 })
    .toContain("Postgres has ended unexpectedly; it is started again.");
  const next = async () => [undefined, killed].includes(await postmaster());
  await expect.poll(next, { timeout: 30_000 }).toBe(false);
  const readiness = async () => (await fetch(`http://127.0.0.1:${operationsPort}/readyz`)).status;
  await expect.poll(readiness, { timeout: 30_000 }).toBe(200);
  expect(await stop(product)).toBe(0);
  expect(processesOf(home)).toEqual([]);
});

test.each(["1", "2"])(
  "Ctrl-C ends the product of WORKERS=%s within the bound while its Postgres is frozen, and the next start has its calls",
  { timeout: 4 * readyMs },
  async (workers) => {
    const operationsPort = String(await findFreePort());
    const product = await start({ WORKERS: workers, OPS_PORT: operationsPort });
    await ready(product);
    const [, path = "", token = ""] = /(\/api\/\S+) -H 'Authorization: Bearer (\S+)'/.exec(product.output()) ?? [];
    const [adminKey = ""] = /svc_admin_\S+/.exec(product.output()) ?? [];
    const ask = async () => {
      const headers = { authorization: `Bearer ${token}` };
      const body = JSON.stringify({ message: "Hello" });
      const reply = await fetch(product.url + path, { method: "POST", headers, body });
      return ((await reply.json()) as { meta: { request_id: string } }).meta.request_id;
    };
    // One connection, so one process, which has what it needs in memory.
    const answered = [await ask(), await ask()];
    await signalPostgres(join(home, "postgres"), "SIGSTOP");
    answered.push(await ask(), await ask());
    const readiness = await (await fetch(`http://127.0.0.1:${operationsPort}/readyz`)).text();
    expect(readiness).toContain("chat: the embedded Postgres is not available");
    expect(readiness).toContain(join(home, "postgres.log"));
    const beganMs = performance.now();
    expect(await stop(product)).toBe(0);
    expect(performance.now() - beganMs).toBeLessThan(frozenStopMs);
    expect(product.output()).toContain("were spilled to disk");
    expect(processesOf(home)).toEqual([]);

    const next = await start({ WORKERS: workers });
    await ready(next);
    const { project } = /\/api\/(?<project>[^/]+)/.exec(path)?.groups ?? {};
    const control = new ControlPlaneClient({ url: next.url, adminKey });
    const logged = async () => {
      const log = await control.call<{ entries: { request_id: string }[] }>("svc_query_gateway_log", { project });
      return log.entries.map(({ request_id }) => request_id);
    };
    await expect.poll(logged, { timeout: 30_000 }).toEqual(expect.arrayContaining(answered));
    const usage = async () => (await control.call<{ total: { requests: number } }>("svc_get_usage", { project })).total;
    await expect.poll(usage, { timeout: 30_000 }).toMatchObject({ requests: answered.length });
    expect(await stop(next)).toBe(0);
  },
);

test("a taken port is named, with a way out, and nothing is left running", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const product = await start({ PORT: String(port) });
  expect(await product.exited).toBe(1);
  expect(product.output()).toContain(`Port ${port} is taken.`);
  expect(processesOf(home)).toEqual([]);
  other.close();
});

test("a first start on a taken port creates nothing; the one that succeeds prints the key and the demo", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const refused = await start({ PORT: String(port) });
  expect(await refused.exited).toBe(1);
  expect(refused.output().trim().split("\n")).toHaveLength(1);
  expect(existsSync(home)).toBe(false);
  other.close();

  const product = await start();
  await ready(product);
  expect(product.output()).toMatch(/svc_admin_/);
  expect(product.output()).toContain("Demo project");
  expect(await stop(product)).toBe(0);
});

test("an admin key created by a killed start is printed once by the next one, and works", async () => {
  const unshown = join(home, "unshown-admin-key");
  const killed = await start();
  await expect.poll(() => existsSync(unshown), { timeout: 30_000, interval: 2 }).toBe(true);
  killed.child.kill("SIGKILL");
  await killed.exited;
  expect(killed.output()).not.toMatch(/svc_admin_/);

  const second = await start();
  await ready(second);
  const [key = ""] = /svc_admin_\S+/.exec(second.output()) ?? [];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const reply = await fetch(`${second.url}/control/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body,
  });
  expect(reply.status).toBe(200);
  expect(existsSync(unshown)).toBe(false);
  expect(await stop(second)).toBe(0);
});

test.each(["Starting Postgres.", "Creating the database", "Applying migrations"])(
  "a start stopped at '%s' ends without an error and leaves no process behind",
  async (step) => {
    const product = await start();
    await expect.poll(() => product.output().includes(step), { timeout: 30_000, interval: 2 }).toBe(true);
    expect(await stop(product)).toBe(0);
    expect(product.output()).not.toMatch(/"level"|Error|svc_admin_/);
    expect(processesOf(home)).toEqual([]);
    const next = await start();
    await ready(next);
    expect(next.output()).toMatch(/svc_admin_/);
    expect(await stop(next)).toBe(0);
  },
);

test("a taken operations port is named, with a way out, and nothing is left running", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const product = await start({ OPS_PORT: String(port) });
  expect(await product.exited).toBe(1);
  expect(product.output()).toContain(`The operations port ${port} cannot be opened (EADDRINUSE). Set OPS_PORT`);
  expect(processesOf(home)).toEqual([]);
  other.close();
});

test("a second product on one data folder is refused, and the first is unaffected", async () => {
  const first = await start();
  await ready(first);
  const second = await start();
  expect(await second.exited).toBe(1);
  expect(second.output()).toContain("already runs");
  expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
  await stop(first);
});

test("invalid settings are all named together, without their values", async () => {
  const product = await start({ PORT: "eighty", GATEHOUSE_DEMO: "maybe", GATEHOUSE_ADMIN_KEY: "hunter2" });
  expect(await product.exited).toBe(2);
  for (const name of ["PORT", "GATEHOUSE_DEMO", "GATEHOUSE_ADMIN_KEY"]) expect(product.output()).toContain(name);
  expect(product.output()).not.toContain("hunter2");
});

test("a data folder that cannot be created is named, with a way out", async () => {
  const product = await start({ GATEHOUSE_HOME: "/dev/null/gatehouse" });
  expect(await product.exited).toBe(1);
  expect(product.output()).toContain("Make it writable, or set GATEHOUSE_HOME");
});

test("Ctrl-C lets a stream in flight finish, and ends within 10 s", async () => {
  const product = await start();
  await ready(product);
  const [, path = "", token = ""] = /(\/api\/\S+) -H 'Authorization: Bearer (\S+)'/.exec(product.output()) ?? [];
  const reply = await fetch(product.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ message: "[[mock pace=100]] one two three four five six seven eight", stream: true }),
  });
  const begun = performance.now();
  product.child.kill("SIGINT");
  const text = await reply.text();
  expect(text).toContain("[DONE]");
  expect(await product.exited).toBe(0);
  expect(performance.now() - begun).toBeLessThan(10_000);
});
