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
  readonly metrics: LogbookMetrics;
  readonly log: Logger;
}

/** Messages of up to some hundred entries each. */
const batchSizeMax = 16;

/** Stores what became of requests. */
export function createGatewayLogConsumer(options: GatewayLogConsumerOptions): Consumer {
  const { database, partitions, metrics, log } = options;

  const storeWhereThereIsRoom = async (messages: readonly StreamMessage[]) => {
    try {
      return await storeBatches(database, messages, partitions.since);
    } catch (err) {
      if (!lacksPartition(err)) throw err;
      await partitions.keepAll();
      return await storeBatches(database, messages, partitions.since);
    }
  };

  return {
    stream: "gateway_log",
    name: "logbook",
    batchSizeMax,
    async store(messages) {
      const { entries, refused } = await storeWhereThereIsRoom(messages);
      metrics.storedRequests(entries);
      if (refused === 0) return;
      metrics.refused("gateway_log", refused);
      log.error({ refused }, "Entries of the gateway log that no table takes were left out.");
    },
  };
}
