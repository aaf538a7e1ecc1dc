import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGatewayLog } from "@gatehouse/gateway-log";
import { startPostgres } from "@gatehouse/postgres";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newEntry, newEvent, openHarness, toAuditMessage, verifyChain } from "./harness.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-outage-"));
  await chmod(folder, 0o711);
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

test("entries from an outage of Postgres arrive once when it is back", { timeout: 60_000 }, async () => {
  const server = { dataDir: join(folder, "data"), logFile: join(folder, "postgres.log"), throwaway: true };
  let postgres = await startPostgres(server);
  const harness = await openHarness(postgres.url);
  const { log, metrics } = createSilentTelemetry();
  try {
    const { events, admin } = await harness.startReplica();
    const gatewayLog = createGatewayLog({ transport: events, spillFolder: join(folder, "spill"), log, metrics });
    await gatewayLog.start();
    const countOf = async () =>
      (await harness.sql("SELECT count(*)::int AS count FROM gateway_log_entries"))[0]?.["count"];
    gatewayLog.append(newEntry());
    await vi.waitFor(async () => expect(await countOf()).toBe(1), { timeout: 10_000, interval: 50 });

    await postgres.stop();
    for (let at = 0; at < 200; at += 1) gatewayLog.append(newEntry({ status: 503 }));
    const event = newEvent();
    await expect(events.publish("audit", [toAuditMessage(event)])).rejects.toMatchObject({ code: "unavailable" });
    // The spill file says that the log has tried more than once.
    await vi.waitFor(async () => expect(await metrics.metrics()).toContain('entries_total{outcome="spilled"} 200'), {
      timeout: 20_000,
      interval: 50,
    });

    postgres = await startPostgres({ ...server, port: postgres.port });
    await vi.waitFor(async () => expect(await countOf()).toBe(201), { timeout: 20_000, interval: 50 });
    await events.publish("audit", [toAuditMessage(event)]);
    await events.publish("audit", [toAuditMessage(event)]);
    const verified = await verifyChain({ admin }, event.project ?? undefined);
    expect(verified).toEqual({ ok: true, rows: 1, chains: 1, faults: [] });
    await gatewayLog.stop();
  } finally {
    await harness.stop();
    await postgres.stop();
  }
});
