import { randomUUID } from "node:crypto";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { vi } from "vitest";
import { createNatsTransport, type Consumer, type EventTransport, type StreamMessage } from "../src/index.ts";

export const { log } = createSilentTelemetry();

/** Waits until an expectation holds, with a bound for busy machines. */
export async function eventually(expectation: () => unknown, timeoutMs = 25_000): Promise<void> {
  await vi.waitFor(expectation, { timeout: timeoutMs, interval: 10 });
}

export function message(text = "fact"): StreamMessage {
  return { id: randomUUID(), body: JSON.stringify({ text }) };
}

export function messages(count: number): StreamMessage[] {
  return Array.from({ length: count }, (_, index) => message(`fact ${index}`));
}

/** A consumer that records its messages. */
export interface KeepingConsumer extends Consumer {
  /** Received ids, in order, repeats included. */
  readonly ids: string[];
  readonly bodies: Map<string, string>;
  readonly batchSizes: number[];
  /** Further calls of `store` that fail. */
  failures: number;
}

export function createConsumer(
  options: Partial<Pick<Consumer, "stream" | "name" | "batchSizeMax">> = {},
): KeepingConsumer {
  const consumer: KeepingConsumer = {
    stream: "audit",
    name: "logbook",
    batchSizeMax: 50,
    ...options,
    ids: [],
    bodies: new Map(),
    batchSizes: [],
    failures: 0,
    async store(batch) {
      if (consumer.failures > 0) {
        consumer.failures -= 1;
        throw new Error("The store is away.");
      }
      consumer.batchSizes.push(batch.length);
      for (const { id, body } of batch) {
        consumer.ids.push(id);
        consumer.bodies.set(id, body);
      }
      return await Promise.resolve();
    },
  };
  return consumer;
}

/** Publishes until all messages are accepted, like a relay. */
export async function insist(transport: EventTransport, batch: readonly StreamMessage[]): Promise<void> {
  await eventually(async () => await transport.publish("audit", batch));
}

export function openNats(url: string, service = "test"): EventTransport {
  return createNatsTransport({ url: new Secret(url), service, log });
}
