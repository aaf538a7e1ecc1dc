import type { LogExport } from "../clients/log-export.ts";
import type { Database } from "@gatehouse/database";
import type { Consumer, StreamMessage } from "@gatehouse/events";
import type { Logger } from "@gatehouse/telemetry";
import { storeBatches } from "../store/gateway-log-writer.ts";
import { lacksPartition } from "../store/refusals.ts";
import type { LogbookMetrics } from "../metrics.ts";
import type { PartitionKeeper } from "./partition-keeper.ts";

export interface GatewayLogConsumerOptions {
  readonly database: Database;
  readonly partitions: PartitionKeeper;
  /** Whether entries become rows, or are counted only. */
  readonly keepsRows: boolean;
  /** Where entries go besides. */
  readonly logExport: LogExport | undefined;
  readonly metrics: LogbookMetrics;
  readonly log: Logger;
}

/** Messages of up to some hundred entries each. */
const batchSizeMax = 16;

/** Stores what became of requests. */
export function createGatewayLogConsumer(options: GatewayLogConsumerOptions): Consumer {
  const { database, partitions, keepsRows, logExport, metrics, log } = options;

  const storeWhereThereIsRoom = async (messages: readonly StreamMessage[]) => {
    try {
      return await storeBatches(database, messages, { since: partitions.since, keepsRows });
    } catch (err) {
      if (!lacksPartition(err)) throw err;
      await partitions.keepAll();
      return await storeBatches(database, messages, { since: partitions.since, keepsRows });
    }
  };

  return {
    stream: "gateway_log",
    name: "logbook",
    batchSizeMax,
    async store(messages) {
      const { entries, refused } = await storeWhereThereIsRoom(messages);
      metrics.storedRequests(entries);
      // Not before they are stored: messages that come again are stored once, but would be sent twice.
      const unsent = (await logExport?.send(messages, partitions.since)) ?? 0;
      if (refused + unsent === 0) return;
      metrics.refused("gateway_log", refused + unsent);
      log.error({ refused, unsent }, "Entries of the gateway log that no table, or no collector, takes were left out.");
    },
  };
}
