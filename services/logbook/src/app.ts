import { bindAdmin } from "@gatehouse/admin";
import { createService, folderNotices, requireFolder, type Service, type ServiceHost } from "@gatehouse/service";
import { operations } from "./admin/operations.ts";
import { leadsThrough } from "./app/verify-chains.ts";
import { LogExport } from "./clients/log-export.ts";
import type { LogbookConfig } from "./config.ts";
import { createGapMetrics, createLogbookMetrics } from "./metrics.ts";
import { readChains } from "./store/audit-chains.ts";
import { createAuditReader } from "./store/audit-reader.ts";
import { CheckpointFile } from "./store/checkpoint-file.ts";
import { createAuditConsumer } from "./workers/audit-consumer.ts";
import { CheckpointKeeper } from "./workers/checkpoint-keeper.ts";
import { createExpiry } from "./workers/expiry.ts";
import { GapMonitor } from "./workers/gap-monitor.ts";
import { createGatewayLogConsumer } from "./workers/gateway-log-consumer.ts";
import { openLogExport } from "./workers/open-log-export.ts";
import { PartitionKeeper } from "./workers/partition-keeper.ts";

/** Host of the service and, in tests, its clock. */
export interface LogbookDependencies extends ServiceHost {
  /** Milliseconds since 1970. */
  readonly wallNow?: () => number;
}

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The logbook: outcomes of requests, and the author of each change. */
export function createLogbookService(config: LogbookConfig, host: LogbookDependencies): Service {
  const { wallNow = Date.now } = host;
  const options = { name: "logbook", host, database: { config, schema: "logbook", migrations } };
  return createService(options, (kernel) => {
    const { database, log } = kernel;
    const metrics = createLogbookMetrics(kernel.telemetry.metrics);
    const partitions = new PartitionKeeper(database, config.gatewayLogRetentionDays, log, wallNow);
    const expiry = createExpiry(database, log, wallNow);
    const folder = { path: config.dataFolder, setting: "LOGBOOK_DATA_FOLDER", title: "checkpoint" };
    const file = new CheckpointFile(config.dataFolder, config.checkpointKey);
    const checkpoints = new CheckpointKeeper({
      file,
      leadsThrough: async (chain, signed, stopping) => {
        const readAfter = (sequence: number) => readChains(database, chain, { chain, sequence });
        return await leadsThrough(chain, signed, { readAfter, stopping });
      },
      log,
      wallNow,
    });
    const gaps = new GapMonitor(database, createGapMetrics(kernel.telemetry.metrics), log);
    const { keepsGatewayLogRows: keepsRows, gatewayLogCollector: collector } = config;
    const onRefused = (refused: number) => {
      metrics.refused("gateway_log", refused);
      log.error({ refused }, "The collector refused entries of the gateway log; they were dropped.");
    };
    const logExport = collector === undefined ? undefined : new LogExport(collector, onRefused);
    const exporting = openLogExport({ logExport, isOnlyCopy: !keepsRows, since: () => partitions.since, metrics, log });
    const { handOn } = exporting;
    kernel.consume(createGatewayLogConsumer({ database, partitions, keepsRows, handOn, metrics, log }));
    kernel.consume(createAuditConsumer(database, metrics, log, (heads) => checkpoints.record(heads)));
    const admin = bindAdmin({
      operations,
      context: { database, audit: createAuditReader(database), checkpoints: file, wallNow },
      // The log of a deleted project stays.
      deleteProject: async () => await Promise.resolve(),
    });
    return {
      rpc: [admin],
      parts: [
        {
          name: "checkpoint folder",
          start: async () => await requireFolder(folder),
          notices: async () => await folderNotices(folder),
        },
        { name: "partitions", start: () => partitions.start(), stop: () => partitions.stop() },
        { name: "expiry", start: () => expiry.start(), stop: async () => await expiry.stop() },
        ...exporting.parts,
        { name: "audit gaps", start: () => gaps.start(), stop: () => gaps.stop(), notices: () => gaps.notices() },
        { name: "checkpoints", start: () => checkpoints.start(), stop: () => checkpoints.stop() },
      ],
    };
  });
}
