import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestCertificates } from "@gatehouse/certificates/testing";
import { createNatsTransport, type EventTransport } from "@gatehouse/events";
import { findNatsServer } from "@gatehouse/events/testing";
import { startNatsServer } from "@gatehouse/nats-server";
import { findFreePort } from "@gatehouse/ports";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { ServiceTls } from "@gatehouse/trust";
import { Secret } from "@gatehouse/vault";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { initKeys } from "../src/index.ts";

const program = await findNatsServer();
const { log } = createSilentTelemetry();

describe.skipIf(program === undefined)("a broker with the certificates of keys init", () => {
  let folder: string;
  let port: number;
  let brokerLog: string[];
  const ends: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatehouse-broker-tls-"));
    ends.push(async () => await rm(folder, { recursive: true }));
    port = await findFreePort();
    const tlsFolder = join(folder, "nats");
    const nats = { listen: `0.0.0.0:${port}`, storeFolder: join(folder, "data"), tlsFolder };
    await initKeys({ folder, database: "127.0.0.1:1/x", nats, hosts: { nats: ["localhost", "127.0.0.1"] } });
    const configFile = join(tlsFolder, "nats.conf");
    const pidFile = join(folder, "pid");
    brokerLog = [];
    const onLine = (line: string) => void brokerLog.push(line);
    const server = await startNatsServer({ program: program ?? "", configFile, pidFile, port, onLine });
    ends.push(async () => await server.stop());
  });
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  const read = async (...path: string[]) => (await readFile(join(folder, ...path), "utf8")).trim();

  async function ownTls(): Promise<ServiceTls> {
    const [certificate, key, authorities] = [
      await read("logbook", "tls.crt"),
      await read("logbook", "tls.key"),
      await read("public", "authorities.pem"),
    ].map((text) => ({ text: `${text}\n` }));
    if (certificate === undefined || key === undefined || authorities === undefined) throw new Error("No files.");
    return new ServiceTls({ certificate, key, authorities });
  }

  async function open(tls?: ServiceTls, host = "localhost"): Promise<EventTransport> {
    const transport = createNatsTransport({
      url: new Secret(`tls://${host}:${port}`),
      // The client accepts the broker's certificate, so that a refusal is the broker's.
      caFile: join(folder, "public", "authorities.pem"),
      service: "logbook",
      nkeySeed: new Secret(await read("logbook", "nats-seed")),
      tls,
      log,
    });
    ends.push(async () => await transport.stop());
    await transport.start();
    return transport;
  }

  /** Waits for the failure of the first attempt; returns its message. */
  const failureOf = async (transport: EventTransport) =>
    await vi.waitFor(
      async () => {
        const [problem = ""] = await transport.problems();
        expect(problem).toMatch(/^NATS is not connected: (?!not tried yet)/);
        return problem;
      },
      { timeout: 25_000, interval: 20 },
    );

  test("accepts a service with its certificate", async () => {
    const transport = await open(await ownTls());
    await expect.poll(() => transport.isConnected(), { timeout: 25_000 }).toBe(true);
  });

  test("is verified by its address, and by no other address", async () => {
    const transport = await open(await ownTls(), "127.0.0.1");
    await expect.poll(() => transport.isConnected(), { timeout: 25_000 }).toBe(true);
    const misled = await open(await ownTls(), "127.0.0.2");
    expect(await failureOf(misled)).toMatch(/127\.0\.0\.2 is not in the cert's list/);
  });

  const strangers = createTestCertificates();
  test.each<[string, () => ServiceTls | undefined, RegExp]>([
    ["another authority's certificate", () => strangers.of("logbook"), /TLS handshake error.*unknown authority/],
    ["no certificate", () => undefined, /TLS handshake error.*didn't provide a certificate/],
  ])("refuses a service with %s", async (_what, tls, refusal) => {
    const transport = await open(tls());
    expect(await failureOf(transport)).not.toBe("");
    expect(transport.isConnected()).toBe(false);
    await expect.poll(() => brokerLog.join("\n"), { timeout: 25_000 }).toMatch(refusal);
  });

  test("answers nothing in plain text", async () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => socket.destroy());
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    const closed = once(socket, "close");
    socket.write("CONNECT {}\r\nPING\r\n");
    await closed;
    // The greeting, which announces TLS.
    expect(text).toMatch(/^INFO .*"tls_required":true/);
    expect(text).not.toContain("PONG");
  });
});
