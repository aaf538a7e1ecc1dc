import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInProcessTransport } from "@gatehouse/events";
import { createGatewayLog } from "@gatehouse/gateway-log";
import { startPostgres } from "@gatehouse/postgres";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { type LogbookHarness, newEntry, newEvent, openHarness, toAuditMessage, verifyChain } from "../harness.ts";

/** Prints what the gateway log costs a process, how fast entries get into Postgres, and how fast chains are walked. By hand. */
const entriesMax = 100_000;
const auditRows = Number(process.argv[2] ?? 100_000);

const folder = await mkdtemp(join(tmpdir(), "gatehouse-measure-"));
await chmod(folder, 0o711);
const postgres = await startPostgres({ dataDir: join(folder, "data"), logFile: join(folder, "postgres.log") });
const harness = await openHarness(postgres.url);
try {
  await measureEntries(harness, false);
  await measureEntries(harness, true);
  await measureChain(harness);
} finally {
  await harness.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Figures of a process that shares the logbook's, and of one that only publishes. */
async function measureEntries({ startReplica, sql }: LogbookHarness, isShared: boolean): Promise<void> {
  const { log, metrics } = createSilentTelemetry();
  const transport = createInProcessTransport();
  if (isShared) await startReplica({ events: transport });
  const gatewayLog = createGatewayLog({ transport, spillFolder: join(folder, "spill"), log, metrics });
  const entry = newEntry({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    projectUuid: randomUUID(),
    endpointUuid: randomUUID(),
    tokenId: 7,
    provider: "openai",
    model: "gpt-4.1-mini",
    attempts: 1,
    promptTokens: 100,
    completionTokens: 200,
    costMicros: 360,
  });
  const before = process.cpuUsage();
  const begun = performance.now();
  for (let at = 0; at < entriesMax; at += 500) {
    for (let each = 0; each < 500; each += 1) gatewayLog.append({ ...entry, requestId: `req-${at + each}` });
    // Requests leave time between them; entries that all come in one turn would fill the memory first.
    await waitingAtMost(5_000, metrics);
  }
  await waitingAtMost(0, metrics);
  const seconds = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(before);
  await gatewayLog.stop();
  const stored = isShared
    ? Number((await sql("SELECT count(*)::int AS count FROM gateway_log_entries"))[0]?.["count"])
    : 0;
  const cpuUs = (user + system) / entriesMax;
  say(
    `${isShared ? "with the logbook in the process" : "publishing alone"}: ${cpuUs.toFixed(1)} µs of CPU an entry, ` +
      `${Math.round(entriesMax / seconds)} entries/s, ${stored} rows stored`,
  );
}

type Metrics = ReturnType<typeof createSilentTelemetry>["metrics"];

async function waitingAtMost(count: number, metrics: Metrics): Promise<void> {
  const gauge = metrics.getSingleMetric("gatehouse_gateway_log_waiting_entries");
  for (;;) {
    const waiting = (await gauge?.get())?.values[0]?.value ?? 0;
    if (waiting <= count) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function measureChain({ startReplica }: LogbookHarness): Promise<void> {
  const { events, admin } = await startReplica();
  const project = { id: 1, uuid: randomUUID() as string, name: "Shop" };
  const begun = performance.now();
  for (let at = 0; at < auditRows; at += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, auditRows - at) }, () => newEvent({ project }));
    await events.publish("audit", batch.map(toAuditMessage));
  }
  const appended = performance.now();
  const before = process.cpuUsage();
  const { rows, faults } = await verifyChain({ admin }, project);
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - appended) / 1_000;
  say(`audit: ${Math.round((auditRows * 1_000) / (appended - begun))} events/s added to one chain`);
  say(
    `audit: ${rows} rows verified in ${seconds.toFixed(2)} s, ${Math.round(rows / seconds)} rows/s, ` +
      `${((user + system) / rows).toFixed(1)} µs of CPU a row in this process, ${faults.length} faults`,
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
