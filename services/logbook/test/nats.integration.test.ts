import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNatsTransport, type EventTransport } from "@gatehouse/events";
import { findNatsServer, startNatsServer, type TestNatsServer } from "@gatehouse/events/testing";
import { createGatewayLog } from "@gatehouse/gateway-log";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type LogbookHarness, newEntry, newEvent, openHarness, toAuditMessage, verifyChain } from "./harness.ts";

const program = await findNatsServer();
const wait = { timeout: 25_000, interval: 50 };

describe.skipIf(program === undefined)("over NATS", () => {
  let nats: TestNatsServer;
  let harness: LogbookHarness;
  let folder: string;
  const transports: EventTransport[] = [];
  const { log, metrics } = createSilentTelemetry();
  beforeAll(async () => {
    nats = await startNatsServer(program ?? "");
    harness = await openHarness();
    folder = await mkdtemp(join(tmpdir(), "gatehouse-nats-"));
  });
  afterAll(async () => {
    for (const transport of transports) await transport.stop();
    await harness.stop();
    await nats.remove();
    await rm(folder, { recursive: true });
  });

  function connect(service: string): EventTransport {
    const transport = createNatsTransport({
      url: new Secret(nats.url),
      service,
      credentialsFile: undefined,
      caFile: undefined,
      log,
    });
    transports.push(transport);
    return transport;
  }

  test(
    "entries and events arrive once, including those from an outage of the broker",
    { timeout: 90_000 },
    async () => {
      const { admin, events: one } = await harness.startReplica({ events: connect("logbook") });
      const { events: two } = await harness.startReplica({ events: connect("logbook") });
      await one.start();
      await two.start();
      const transport = connect("chat");
      await transport.start();
      const gatewayLog = createGatewayLog({ transport, spillFolder: join(folder, "spill"), log, metrics });
      await gatewayLog.start();
      const countOf = async () =>
        (await harness.sql("SELECT count(*)::int AS count FROM gateway_log_entries"))[0]?.["count"];

      for (let at = 0; at < 1_200; at += 1) gatewayLog.append(newEntry());
      await vi.waitFor(async () => expect(await countOf()).toBe(1_200), wait);

      await nats.kill();
      for (let at = 0; at < 300; at += 1) gatewayLog.append(newEntry());
      await vi.waitFor(
        async () => expect(await metrics.metrics()).toMatch(/entries_total{outcome="spilled"} [1-9]/),
        wait,
      );
      await nats.start();
      await vi.waitFor(async () => expect(await countOf()).toBe(1_500), wait);
      await gatewayLog.stop();

      const project = { id: 1, uuid: crypto.randomUUID() as string, name: "Shop" };
      const events = Array.from({ length: 50 }, () => newEvent({ project }));
      await transport.publish("audit", events.map(toAuditMessage));
      // Another attempt is a new message to the broker, and none to the logbook.
      await transport.publish(
        "audit",
        events.map((event) => ({ ...toAuditMessage(event), attempt: 1 })),
      );
      await vi.waitFor(async () => {
        const verified = await verifyChain({ admin }, project);
        expect(verified).toEqual({ ok: true, rows: 50, chains: 1, faults: [] });
      }, wait);
    },
  );
});
