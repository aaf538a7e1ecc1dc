import { setTimeout } from "node:timers/promises";
import { lapse } from "@gatehouse/async/testing";
import { startTestProxy, type TestProxy } from "@gatehouse/ports/testing";
import { type ConsumerAPI, jetstreamManager } from "@nats-io/jetstream";
import { connect, nanos, type NatsConnection } from "@nats-io/transport-node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Consumer, EventTransport } from "../src/index.ts";
import { natsBounds } from "../src/nats-bounds.ts";
import { natsStreams } from "../src/nats-streams.ts";
import { findNatsServer, startNatsServer, type TestNatsServer } from "../src/testing.ts";
import {
  createConsumer,
  eventually,
  insist,
  type KeepingConsumer,
  message,
  messages,
  openNats,
} from "./events-world.ts";

const program = await findNatsServer();

describe.skipIf(program === undefined)("over NATS", () => {
  let server: TestNatsServer;
  const opened: EventTransport[] = [];

  beforeEach(async () => (server = await startNatsServer(program ?? "")));
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(async (transport) => await transport.stop()));
    await server.remove();
  });

  async function open(...consumers: KeepingConsumer[]): Promise<EventTransport> {
    const transport = openNats(server.url);
    opened.push(transport);
    for (const consumer of consumers) transport.consume(consumer);
    await transport.start();
    return transport;
  }

  const connected = async (...transports: EventTransport[]) =>
    await eventually(() => expect(transports.map((transport) => transport.isConnected())).not.toContain(false));

  test("a start succeeds while the broker is away, publishing fails at once as unavailable, and both recover", async () => {
    await server.kill();
    const consumer = createConsumer();
    const transport = await open(consumer);
    const fact = message();
    const before = performance.now();
    await expect(transport.publish("audit", [fact])).rejects.toMatchObject({ code: "unavailable" });
    expect(performance.now() - before).toBeLessThan(100);
    await server.start();
    await insist(transport, [fact]);
    await eventually(() => expect(consumer.ids).toEqual([fact.id]));
  });

  test("a frozen broker is a problem until it answers again", async () => {
    const transport = await open(createConsumer());
    await eventually(async () => expect(await transport.problems()).toEqual([]));
    server.freeze();
    await expect
      .poll(async () => String(await transport.problems()), { timeout: 30_000 })
      .toMatch(/^NATS is not connected/);
    server.thaw();
    await eventually(async () => expect(await transport.problems()).toEqual([]));
  }, 60_000);

  test("consumers that keep the order heal after a freeze that outlasts the connection", async () => {
    const consumer = { ...createConsumer(), keepsOrder: true };
    const transport = await open(consumer);
    await eventually(async () => expect(await transport.problems()).toEqual([]));
    server.freeze();
    await expect
      .poll(async () => String(await transport.problems()), { timeout: 30_000 })
      .toMatch(/^NATS is not connected: (?!not tried)/);
    await lapse((natsBounds.pingsUnansweredMax + 1) * natsBounds.pingIntervalMs, "until pings end the connection");
    server.thaw();
    await eventually(async () => expect(await transport.problems()).toEqual([]));
    const fact = message();
    await insist(transport, [fact]);
    await eventually(() => expect(consumer.ids).toContain(fact.id));
  }, 90_000);

  test("a connection whose frozen broker takes no more bytes is given up while it is frozen", async () => {
    const transport = await open();
    await connected(transport);
    server.freeze();
    const batch = Array.from({ length: 32 }, () => message("x".repeat(512 * 1024)));
    await expect(transport.publish("audit", batch)).rejects.toMatchObject({ code: "unavailable" });
    await eventually(() => expect(transport.isConnected()).toBe(false));
    server.thaw();
    await connected(transport);
  }, 60_000);

  test("problems report a broker that is away or frozen, and end once its consumers get messages", async () => {
    await server.kill();
    const transport = await open(createConsumer());
    await eventually(async () =>
      expect(String(await transport.problems())).toMatch(/^NATS is not connected: (?!not tried)/),
    );
    await server.start();
    await eventually(async () => expect(await transport.problems()).toEqual([]));
    server.freeze();
    const frozen = ["NATS does not answer within 800 ms"];
    // The kernel stops a process on another core with a short delay.
    await expect.poll(async () => await transport.problems(), { timeout: 5_000 }).toEqual(frozen);
    const before = performance.now();
    expect(await transport.problems()).toEqual(frozen);
    expect(performance.now() - before).toBeLessThan(2_000);
    server.thaw();
    await eventually(async () => expect(await transport.problems()).toEqual([]));
  });

  test("a consumer gets the messages it missed while away, and none twice", async () => {
    const first = createConsumer();
    const publisher = await open();
    const transport = await open(first);
    const early = messages(5);
    await insist(publisher, early);
    await eventually(() => expect(first.ids).toHaveLength(5));
    await transport.stop();
    const late = messages(5);
    await insist(publisher, late);
    const second = createConsumer();
    await open(second);
    await eventually(() => expect(second.ids).toEqual(late.map(({ id }) => id)));
  });

  test("the replicas of a consumer share its messages, and each message reaches one of them", async () => {
    const replicas = [createConsumer({ batchSizeMax: 5 }), createConsumer({ batchSizeMax: 5 })] as const;
    const transports = [await open(replicas[0]), await open(replicas[1])];
    await connected(...transports);
    const batch = messages(400);
    await insist(await open(), batch);
    await eventually(() => expect(replicas[0].ids.length + replicas[1].ids.length).toBe(400));
    expect(new Set([...replicas[0].ids, ...replicas[1].ids])).toEqual(new Set(batch.map(({ id }) => id)));
  });

  test("a report reaches the publisher in another process", async () => {
    const heard: string[] = [];
    const publisher = await open();
    publisher.onStored(({ ids }) => heard.push(...ids));
    await open(createConsumer());
    const fact = message();
    await insist(publisher, [fact]);
    await eventually(() => expect(heard).toEqual([fact.id]));
  });

  test(
    "crashes of the broker during publishing lose no message; repeats have the same id",
    { timeout: 60_000 },
    async () => {
      const consumer = createConsumer();
      await open(consumer);
      const publisher = await open();
      const published: string[] = [];
      const crashed = new AbortController();
      const publishing = (async () => {
        while (!crashed.signal.aborted) {
          const batch = messages(50);
          await insist(publisher, batch);
          published.push(...batch.map(({ id }) => id));
        }
      })();
      for (let crash = 0; crash < 3; crash++) {
        const reached = published.length + 500;
        await eventually(() => expect(published.length).toBeGreaterThan(reached));
        await server.kill();
        await server.start();
      }
      crashed.abort();
      await publishing;
      await eventually(() => expect(published.filter((id) => !consumer.bodies.has(id))).toEqual([]), 50_000);
    },
  );

  describe("a connection that is lost with messages handed out", () => {
    let way: TestProxy;
    let connection: NatsConnection;
    let consumers: ConsumerAPI;
    beforeEach(async () => {
      way = await startTestProxy(Number(new URL(server.url).port));
      connection = await connect({ servers: server.url });
      ({ consumers } = await jetstreamManager(connection));
    });
    afterEach(async () => {
      await connection.close();
      await way.close();
    });

    const info = async () => await consumers.info(natsStreams.audit.name, "logbook");
    /** Sets the time after which the broker redelivers a message. */
    const setAckWait = async (ms: number) =>
      void (await consumers.update(natsStreams.audit.name, "logbook", { ack_wait: nanos(ms) }));

    /**
     * Loses the connection while the consumer stores its first batch and has further ones, and publishes more after the
     * reconnect. The broker redelivers the older messages only after it has delivered the newer ones.
     */
    async function loseHandedOut(keepsOrder: boolean) {
      const begun = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const kept = createConsumer({ batchSizeMax: 5 });
      const consumer: Consumer = {
        ...kept,
        keepsOrder,
        async store(batch) {
          begun.resolve();
          await released.promise;
          await kept.store(batch);
        },
      };
      const transport = openNats(`nats://127.0.0.1:${way.port}`);
      opened.push(transport);
      transport.consume(consumer);
      await transport.start();
      const publisher = await open();
      // Together as many as the broker delivers without acknowledgements, so that it continues with newer ones.
      const [early, late] = [messages(12), messages(8)];
      await insist(publisher, early);
      await begun.promise;
      await eventually(async () => expect((await info()).num_ack_pending).toBe(early.length));
      await setAckWait(3_600_000);
      way.cut();
      await eventually(() => expect(transport.isConnected()).toBe(false));
      released.resolve();
      await eventually(async () => expect(await transport.problems()).toEqual([]));
      await insist(publisher, late);
      const published = [...early, ...late].map(({ id }) => id);
      await eventually(async () => expect((await info()).delivered.stream_seq).toBe(published.length));
      if (!keepsOrder)
        await eventually(() => expect(kept.ids).toEqual(expect.arrayContaining(late.map(({ id }) => id))));
      await setAckWait(1_000);
      await eventually(() => expect(new Set(kept.ids)).toEqual(new Set(published)), 40_000);
      // Before it is disconnected.
      await transport.stop();
      return { published, stored: [...new Set(kept.ids)] };
    }

    test("breaks the order of a consumer that does not keep it", { timeout: 60_000 }, async () => {
      const { published, stored } = await loseHandedOut(false);
      expect(stored).not.toEqual(published);
    });

    test("does not break the order of a consumer that keeps it: newer messages wait", { timeout: 60_000 }, async () => {
      const { published, stored } = await loseHandedOut(true);
      expect(stored).toEqual(published);
    });

    test("after a silence, newer messages wait for those that were lost in it", { timeout: 60_000 }, async () => {
      const kept = createConsumer();
      const transport = openNats(`nats://127.0.0.1:${way.port}`);
      opened.push(transport);
      transport.consume({ ...kept, keepsOrder: true });
      await transport.start();
      const publisher = await open();
      await eventually(async () => expect(await transport.problems()).toEqual([]));
      const [early, late] = [messages(12), messages(8)];
      way.freeze();
      await insist(publisher, early);
      await eventually(async () => expect((await info()).num_ack_pending).toBe(early.length));
      // Two heartbeats are missed: what was in flight now comes too late.
      await setTimeout(2.6 * natsBounds.heartbeatMs);
      way.thaw();
      await insist(publisher, late);
      const published = [...early, ...late].map(({ id }) => id);
      await eventually(() => expect(new Set(kept.ids)).toEqual(new Set(published)), 40_000);
      expect([...new Set(kept.ids)].map((id) => published.indexOf(id)).join(" ")).toEqual(
        published.map((_, at) => at).join(" "),
      );
    });
  });

  test("streams and consumers are created again when the broker has lost its store", { timeout: 60_000 }, async () => {
    const consumer = createConsumer();
    const transport = await open(consumer);
    await insist(transport, messages(10));
    await eventually(() => expect(consumer.ids).toHaveLength(10));
    await server.kill();
    await server.wipe();
    await server.start();
    const fact = message("after");
    await insist(transport, [fact]);
    await eventually(() => expect(consumer.ids).toContain(fact.id));
  });
});
