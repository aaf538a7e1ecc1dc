import { GatewayError } from "@gatehouse/errors";
import type { EventTransport } from "@gatehouse/events";
import type { ProcessLink } from "./process-link.ts";

/** Longest wait for the primary to store a worker's messages; the worker then publishes them again, and they are stored once. */
const publishTimeoutMs = 10_000;

/** Transport of a worker: the primary forwards its messages, and has all consumers. */
export function createLinkTransport(link: ProcessLink): EventTransport {
  return {
    consume: () => {},
    start: async () => await Promise.resolve(),
    stop: async () => await Promise.resolve(),
    async publish(stream, messages) {
      try {
        await link.ask("publish", { stream, messages }, publishTimeoutMs);
      } catch (cause) {
        throw new GatewayError("unavailable", "The primary process did not store the event.", {
          cause,
          retryAfterSeconds: 1,
        });
      }
    },
    onStored: () => () => {},
    isConnected: () => true,
    problems: async () => await Promise.resolve([]),
  };
}
