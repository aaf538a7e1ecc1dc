import type { Database } from "@gatehouse/database";
import type { Consumer, StreamMessage } from "@gatehouse/events";
import type { Logger } from "@gatehouse/telemetry";
import type { LogbookMetrics } from "../metrics.ts";
import { daysOf, storeBatches } from "../store/gateway-log-writer.ts";
import { lacksPartition } from "../store/refusals.ts";
import type { PartitionKeeper } from "./partition-keeper.ts";

interface GatewayLogConsumerOptions {
  readonly database: Database;
  readonly partitions: PartitionKeeper;
  /** Whether entries become rows, or are counted only. */
  readonly keepsRows: boolean;
  /**
   * Exports stored messages to the collector. If it throws, the messages are delivered again, and are still stored once.
   */
  readonly handOn: ((messages: readonly StreamMessage[]) => Promise<void> | void) | undefined;
  readonly metrics: LogbookMetrics;
  readonly log: Logger;
}

/** Messages of up to some hundred entries each. */
const batchSizeMax = 16;

/** Stores the outcomes of requests. */
export function createGatewayLogConsumer(options: GatewayLogConsumerOptions): Consumer {
  const { database, partitions, keepsRows, handOn, metrics, log } = options;

  const optionsNow = () => ({ since: partitions.since, nowMs: partitions.nowMs, keepsRows });
  const store = async (messages: readonly StreamMessage[]) => await storeBatches(database, messages, optionsNow());

  const storeWhereThereIsRoom = async (messages: readonly StreamMessage[]) => {
    try {
      return await store(messages);
    } catch (err) {
      if (!lacksPartition(err)) throw err;
      await partitions.make(daysOf(messages, optionsNow()));
      return await store(messages);
    }
  };

  return {
    stream: "gateway_log",
    name: "logbook",
    batchSizeMax,
    async store(messages) {
      const { entries, refused, refusal } = await storeWhereThereIsRoom(messages);
      metrics.storedRequests(entries);
      if (refused > 0) {
        metrics.refused("gateway_log", refused);
        // With an error the line is written once a second.
        const reason = refusal === undefined ? {} : { err: refusal };
        log.error({ refused, ...reason }, "The database refused entries of the gateway log; they were dropped.");
      }
      // After storing them: a message that is delivered again is stored once, but would be exported twice.
      await handOn?.(messages);
    },
  };
}
