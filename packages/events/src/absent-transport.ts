import type { Logger } from "@gatehouse/telemetry";
import { unavailable } from "./nats-publish.ts";
import type { EventTransport } from "./transport.ts";

/** Transport of a process without a broker: nothing is sent or received, and events wait where they are stored. */
export function createAbsentTransport(log: Logger): EventTransport {
  return {
    consume: () => {},
    async start() {
      log.warn("NATS_URL is not set: events wait in the outbox until this service is started with it.");
      return await Promise.resolve();
    },
    stop: async () => await Promise.resolve(),
    publish: async () => await Promise.reject(unavailable()),
    onStored: () => () => {},
    isConnected: () => false,
    problems: async () => await Promise.resolve(["NATS_URL is not set"]),
  };
}
