import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EventTransport, StoredMessages } from "../src/index.ts";
import { createConsumer, eventually, insist, message, messages } from "./events-world.ts";

export interface TransportCase {
  readonly create: () => Promise<EventTransport>;
  /** Whether a message that is published twice in one attempt is delivered once. */
  readonly dropsRepeats: boolean;
  /** Removes other resources of `create`. */
  readonly dispose?: () => Promise<void>;
}

/** Contract of every transport; services rely on nothing else. */
export function describeTransport(name: string, { create, dropsRepeats, dispose }: TransportCase): void {
  describe(name, () => {
    let transport: EventTransport;
    beforeEach(async () => (transport = await create()));
    afterEach(async () => {
      await transport.stop();
      await dispose?.();
    });

    test("every consumer of the stream gets each message unchanged and in order, and consumers of others get none", async () => {
      const first = createConsumer({ name: "first" });
      const second = createConsumer({ name: "second" });
      const other = createConsumer({ stream: "gateway_log", name: "other" });
      for (const consumer of [first, second, other]) transport.consume(consumer);
      await transport.start();
      const batch = messages(20);
      await insist(transport, batch);
      await eventually(() => expect([first.ids.length, second.ids.length]).toEqual([20, 20]));
      expect(first.ids).toEqual(batch.map(({ id }) => id));
      expect([...second.bodies.values()]).toEqual(batch.map(({ body }) => body));
      expect(other.ids).toEqual([]);
    });

    test("no batch is larger than its consumer accepts", async () => {
      const consumer = createConsumer({ batchSizeMax: 7 });
      transport.consume(consumer);
      await transport.start();
      await insist(transport, messages(100));
      await eventually(() => expect(consumer.ids).toHaveLength(100));
      expect(Math.max(...consumer.batchSizes)).toBeLessThanOrEqual(7);
    });

    test("a message that could not be stored is delivered again until it is", async () => {
      const consumer = createConsumer();
      consumer.failures = 3;
      transport.consume(consumer);
      await transport.start();
      const fact = message();
      await insist(transport, [fact]);
      await eventually(() => expect(consumer.ids).toContain(fact.id));
      expect(consumer.failures).toBe(0);
    });

    test("a listener is notified of the messages that each consumer has stored, until it unsubscribes", async () => {
      const reports: StoredMessages[] = [];
      transport.consume(createConsumer({ name: "first" }));
      transport.consume(createConsumer({ name: "second" }));
      const unsubscribe = transport.onStored((report) => reports.push(report));
      await transport.start();
      const fact = message();
      await insist(transport, [fact]);
      await eventually(() =>
        expect(new Set(reports.map(({ consumer }) => consumer))).toEqual(new Set(["first", "second"])),
      );
      expect(reports).toContainEqual({ stream: "audit", consumer: "first", ids: [fact.id] });
      unsubscribe();
      const next = message();
      await insist(transport, [next]);
      expect(reports.flatMap(({ ids }) => ids)).not.toContain(next.id);
    });

    test("publishing a message again is harmless: it arrives unchanged under its id, at most once an attempt from a broker", async () => {
      const consumer = createConsumer();
      transport.consume(consumer);
      await transport.start();
      const fact = message();
      await insist(transport, [fact]);
      await insist(transport, [fact]);
      await insist(transport, [{ ...fact, attempt: 1 }]);
      const last = message("last");
      await insist(transport, [last]);
      await eventually(() => expect(consumer.ids).toContain(last.id));
      const deliveries = dropsRepeats ? [fact, fact, last] : [fact, fact, fact, last];
      expect(consumer.ids).toEqual(deliveries.map(({ id }) => id));
      expect([...consumer.bodies]).toEqual([fact, last].map(({ id, body }) => [id, body]));
    });

    test("a stream without a consumer accepts messages", async () => {
      await transport.start();
      await insist(transport, messages(3));
    });
  });
}
