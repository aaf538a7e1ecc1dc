import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestCertificates } from "@gatehouse/certificates/testing";
import { createNatsTransport, type EventTransport } from "@gatehouse/events";
import { findNatsServer } from "@gatehouse/events/testing";
import { startNatsServer } from "@gatehouse/nats-server";
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
  const ends: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatehouse-broker-tls-"));
    ends.push(async () => await rm(folder, { recursive: true }));
    port = await freePort();
    const tlsFolder = join(folder, "nats");
    const nats = { listen: `127.0.0.1:${port}`, storeFolder: join(folder, "data"), tlsFolder };
    await initKeys({ folder, database: "127.0.0.1:1/x", nats, hosts: { nats: ["localhost"] } });
    const configFile = join(tlsFolder, "nats.conf");
    const pidFile = join(folder, "pid");
    const server = await startNatsServer({ program: program ?? "", configFile, pidFile, port, onLine: () => {} });
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

  async function open(scheme: string, tls?: ServiceTls): Promise<EventTransport> {
    const transport = createNatsTransport({
      url: new Secret(`${scheme}://localhost:${port}`),
      service: "logbook",
      nkeySeed: new Secret(await read("logbook", "nats-seed")),
      tls,
      log,
    });
    ends.push(async () => await transport.stop());
    await transport.start();
    return transport;
  }

  /** Until the first attempt has failed, by the words of its failure. */
  const failureOf = async (transport: EventTransport) =>
    await vi.waitFor(
      async () => {
        const [problem = ""] = await transport.problems();
        expect(problem).toMatch(/^NATS is not connected: (?!not tried yet)/);
        return problem;
      },
      { timeout: 25_000, interval: 20 },
    );

  test("takes a service with its certificate", async () => {
    const transport = await open("tls", await ownTls());
    await expect.poll(() => transport.isConnected(), { timeout: 25_000 }).toBe(true);
  });

  test("takes none with another authority's certificate, without one, or in plain text", async () => {
    for (const tls of [createTestCertificates().of("logbook"), undefined]) {
      for (const scheme of ["tls", "nats"]) {
        const transport = await open(scheme, tls);
        expect(await failureOf(transport)).not.toBe("");
        expect(transport.isConnected()).toBe(false);
      }
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
