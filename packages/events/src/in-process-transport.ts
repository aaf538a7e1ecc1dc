import { GatewayError } from "@gatehouse/errors";
import type { Consumer, EventTransport, StoredListener, StreamMessage, StreamName } from "./transport.ts";

/**
 * Transport between publishers and consumers of one process: publishing waits until every consumer has stored. Messages are passed
 * as they are, so that a body which is encoded when it is read is not encoded here.
 */
export function createInProcessTransport(): EventTransport {
  const consumers: Consumer[] = [];
  const listeners = new Set<StoredListener>();

  const handOver = async (consumer: Consumer, messages: readonly StreamMessage[]) => {
    const { stream, name, batchSizeMax } = consumer;
    for (let start = 0; start < messages.length; start += batchSizeMax) {
      const batch = messages.slice(start, start + batchSizeMax);
      await consumer.store(batch);
      const stored = { stream, consumer: name, ids: batch.map(({ id }) => id) };
      for (const listener of listeners) listener(stored);
    }
  };

  return {
    consume: (consumer) => void consumers.push(consumer),
    start: async () => await Promise.resolve(),
    stop: async () => await Promise.resolve(),
    async publish(stream: StreamName, messages: readonly StreamMessage[]) {
      const takers = consumers.filter((consumer) => consumer.stream === stream);
      const outcomes = await Promise.allSettled(takers.map(async (consumer) => await handOver(consumer, messages)));
      const failure = outcomes.find((outcome) => outcome.status === "rejected");
      if (failure === undefined) return;
      const options = { cause: failure.reason as unknown, retryAfterSeconds: 1 };
      throw new GatewayError("unavailable", "An event could not be stored.", options);
    },
    onStored(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isConnected: () => true,
    problems: async () => await Promise.resolve([]),
  };
}
