import { bindAdmin } from "@gatehouse/admin";
import { type Database, isAnswering, openDatabase } from "@gatehouse/database";
import type { EventTransport } from "@gatehouse/events";
import { isReady, type Readiness, type Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { logOperations } from "./admin/log-operations.ts";
import { queryMetrics } from "./admin/metrics-operation.ts";
import type { LogbookConfig } from "./config.ts";
import { createLogbookMetrics } from "./metrics.ts";
import { createAuditReader } from "./store/audit-reader.ts";
import { CheckpointFile } from "./store/checkpoint-file.ts";
import { createAuditConsumer } from "./workers/audit-consumer.ts";
import { CheckpointKeeper } from "./workers/checkpoint-keeper.ts";
import { createGatewayLogConsumer } from "./workers/gateway-log-consumer.ts";
import { PartitionKeeper } from "./workers/partition-keeper.ts";

export interface LogbookOverrides {
  readonly telemetry: Telemetry;
  /** Where requests' outcomes and changes come from. Started by the caller, after this service. */
  readonly events: EventTransport;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The logbook: what became of each request, and who changed what. */
export function createLogbookService(
  config: LogbookConfig,
  { telemetry, events, now = Date.now }: LogbookOverrides,
): Service {
  const { log } = telemetry;
  const database = openDatabase({
    url: config.databaseUrl,
    schema: "logbook",
    connectionsMax: config.databaseConnectionsMax,
    log,
  });
  const audit = createAuditReader(database);
  const metrics = createLogbookMetrics(telemetry.metrics);
  const partitions = new PartitionKeeper({ database, retentionDays: config.gatewayLogRetentionDays, log, now });
  const file = new CheckpointFile(config.dataFolder, config.checkpointKey);
  const checkpoints = new CheckpointKeeper({ file, log, now });
  const admin = bindAdmin({
    operations: [...logOperations, queryMetrics],
    context: { database, audit, checkpoints: file, now },
    // Log entries outlive their project.
    deleteProject: async () => await Promise.resolve(),
  });
  events.consume(createGatewayLogConsumer({ database, partitions, metrics, log }));
  events.consume(createAuditConsumer({ database, metrics, log, onGrown: (heads) => checkpoints.note(heads) }));

  return {
    name: "logbook",
    rpc: [admin],
    async start() {
      await database.migrate(migrations);
      await partitions.start();
      checkpoints.start();
    },
    async stop() {
      await checkpoints.stop();
      await partitions.stop();
      await audit.close();
      await database.close();
    },
    readiness: async () => await databaseReadiness(database),
  };
}

async function databaseReadiness(database: Database): Promise<Readiness> {
  if (await isAnswering(database)) return isReady;
  return { ready: false, problems: ["the database is not available"] };
}
