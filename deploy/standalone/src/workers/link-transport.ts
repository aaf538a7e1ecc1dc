import { GatewayError } from "@gatehouse/errors";
import type { EventTransport } from "@gatehouse/events";
import type { ProcessLink } from "./process-link.ts";

/** Longest wait for the primary to store what a worker publishes; the worker publishes it again then, and it is stored once. */
const publishTimeoutMs = 10_000;

/** The transport of a worker: the primary passes its messages on, and has all consumers. */
export function createLinkTransport(link: ProcessLink): EventTransport {
  return {
    consume: () => {},
    start: async () => await Promise.resolve(),
    stop: async () => await Promise.resolve(),
    async publish(stream, messages) {
      try {
        await link.ask("publish", { stream, messages }, publishTimeoutMs);
      } catch (cause) {
        throw new GatewayError("unavailable", "The primary process did not store it.", { cause, retryAfterSeconds: 1 });
      }
    },
    onStored: () => () => {},
    isConnected: () => true,
    problems: async () => await Promise.resolve([]),
  };
}
