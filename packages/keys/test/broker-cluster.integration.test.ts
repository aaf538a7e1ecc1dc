import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { createNatsTransport, type EventTransport, type StreamMessage } from "@gatehouse/events";
import { findNatsServer } from "@gatehouse/events/testing";
import { findFreePorts } from "@gatehouse/ports";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { type ServiceName, ServiceTls, ServiceTrust } from "@gatehouse/trust";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { initKeys } from "../src/index.ts";

const program = await findNatsServer();
const { log } = createSilentTelemetry();
const timeout = 60_000;
const batchSize = 5;

/** Acknowledged messages, and the number of their earlier publications. */
interface Batch {
  readonly ids: readonly string[];
  readonly attempt: number;
}

/** Three servers with the files of `keys init` for a cluster: one configuration, certificates, a user for each service. */
describe.skipIf(program === undefined)("a broker of three servers", () => {
  let folder: string;
  let url: string;
  let routes: readonly number[];
  const servers: (ChildProcess | undefined)[] = [];
  const transports: EventTransport[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatehouse-cluster-"));
    const ports = await findFreePorts(6);
    const clients = ports.slice(0, 3);
    routes = ports.slice(3);
    const cluster = { listen: "LISTEN_ROUTES", servers: routes.map((port) => `localhost:${port}`) };
    const nats = { listen: "LISTEN_CLIENTS", storeFolder: "STORE", tlsFolder: join(folder, "nats"), cluster };
    await initKeys({ folder, database: "127.0.0.1:1/x", nats, hosts: { nats: ["localhost", "127.0.0.1"] } });
    // Three servers on one machine need different addresses; all else is as written.
    const written = await read("nats", "nats.conf");
    for (const at of [0, 1, 2]) {
      const store = join(folder, `store-${at}`);
      await mkdir(store);
      const own = written
        .replace("LISTEN_CLIENTS", `127.0.0.1:${clients[at]}`)
        .replace("LISTEN_ROUTES", `127.0.0.1:${routes[at]}`)
        .replace("STORE", store);
      await writeFile(configOf(at), own);
      start(at);
    }
    url = clients.map((port) => `tls://127.0.0.1:${port}`).join(",");
  });
  afterAll(async () => {
    await Promise.all(transports.map(async (transport) => await transport.stop()));
    for (const at of servers.keys()) await kill(at);
    await rm(folder, { recursive: true, force: true });
  });

  const configOf = (at: number) => join(folder, `server-${at}.conf`);
  const read = async (...path: string[]) => (await readFile(join(folder, ...path), "utf8")).trim();

  function start(at: number): void {
    const env = { ...process.env, NATS_SERVER_NAME: `server-${at}` };
    servers[at] = spawn(program ?? "", ["-c", configOf(at)], { env, stdio: "ignore" });
  }

  async function kill(at: number): Promise<void> {
    const server = servers[at];
    servers[at] = undefined;
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  }

  async function open(service: ServiceName, stored?: string[]): Promise<EventTransport> {
    const text = async (...path: string[]) => ({ text: `${await read(...path)}\n` });
    const transport = createNatsTransport({
      url: new Secret(url),
      service,
      nkeySeed: new Secret(await read(service, "nats-seed")),
      trust: new ServiceTrust(await text(service, "service-key.json"), await text("public", "trust.json")),
      tls: new ServiceTls({
        certificate: await text(service, "tls.crt"),
        key: await text(service, "tls.key"),
        authorities: await text("public", "authorities.pem"),
      }),
      streamReplicas: 3,
      log,
    });
    transports.push(transport);
    if (stored !== undefined) {
      const store = async (batch: readonly StreamMessage[]) => void stored.push(...batch.map(({ id }) => id));
      transport.consume({ stream: "audit", name: service, batchSizeMax: 50, keepsOrder: true, store });
    }
    await transport.start();
    return transport;
  }

  /** Answer of a server to a connection that would join its cluster with the certificate of a folder. */
  async function joinAs(owner: string): Promise<string> {
    const ca = await read("public", "authorities.pem");
    const [cert, key] = [await read(owner, "tls.crt"), await read(owner, "tls.key")];
    const encrypted = connect({ host: "127.0.0.1", port: routes[0] ?? 0, ca, cert, key, servername: "localhost" });
    encrypted.on("error", () => {});
    let answered = "";
    encrypted.on("data", (bytes: Buffer) => (answered += bytes.toString("latin1")));
    encrypted.write(`CONNECT ${JSON.stringify({ verbose: false, name: owner, cluster: "gatehouse" })}\r\nPING\r\n`);
    await vi.waitFor(() => expect(answered + (encrypted.closed ? "closed" : "")).toMatch(/PONG|-ERR|closed/), {
      timeout,
    });
    encrypted.destroy();
    return answered;
  }

  test("accepts a route only from its own servers, and not with a service's certificate", async () => {
    await vi.waitFor(async () => expect(await joinAs("nats")).toContain("PONG"), { timeout });
    for (const service of ["chat", "logbook"]) expect(await joinAs(service)).toContain("Authorization Violation");
  });

  test("loses nothing acknowledged and keeps the order of batches while each server in turn is killed", async () => {
    const stored: string[] = [];
    const logbook = await open("logbook", stored);
    const publisher = await open("control-plane");
    await vi.waitFor(async () => expect(await publisher.problems()).toEqual([]), { timeout, interval: 100 });
    await vi.waitFor(async () => expect(await logbook.problems()).toEqual([]), { timeout, interval: 100 });
    const over = new AbortController();
    const acknowledged: Batch[] = [];
    let failures = 0;
    const publish = async () => {
      for (let next = 0; !over.signal.aborted; next += batchSize) {
        const batch = Array.from({ length: batchSize }, (_, at) => ({ id: `event-${next + at}`, body: "{}" }));
        // Like an outbox's relay: publishes the messages again, with another attempt, until the broker has them.
        let attempt = 0;
        for (; ; attempt += 1) {
          try {
            await publisher.publish(
              "audit",
              batch.map((each) => ({ ...each, attempt })),
            );
            break;
          } catch {
            failures += 1;
            if (over.signal.aborted) return;
            await vi.waitFor(() => expect(publisher.isConnected()).toBe(true), { timeout, interval: 20 });
          }
        }
        acknowledged.push({ ids: batch.map(({ id }) => id), attempt });
      }
    };
    const publishing = publish();
    const progress = async () => {
      const before = acknowledged.length;
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 40), { timeout, interval: 20 });
    };
    await progress();
    for (const at of servers.keys()) {
      await kill(at);
      await progress();
      start(at);
      await progress();
    }
    over.abort();
    await publishing;
    const firstArrivals = () => [...new Set(stored)];
    const count = acknowledged.length * batchSize;
    await vi.waitFor(() => expect(firstArrivals().length).toBeGreaterThanOrEqual(count), { timeout });
    expect(failures).toBeGreaterThan(0);
    const arrived = firstArrivals();
    for (const [at, { ids, attempt }] of acknowledged.entries()) {
      const own = arrived.slice(at * batchSize, (at + 1) * batchSize);
      // A server that ends in the middle of a batch may have kept later messages and lost an earlier one.
      expect(attempt === 0 ? own : own.toSorted()).toEqual(attempt === 0 ? ids : ids.toSorted());
    }
  }, 240_000);
});
