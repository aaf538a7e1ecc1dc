import { createNatsTransport, type EventTransport } from "@gatehouse/events";
import { fillStreams, findNatsServer, startNatsServer, type TestNatsServer } from "@gatehouse/events/testing";
import { Secret } from "@gatehouse/vault";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOutboxWorld, eventually, newEvent, type OutboxWorld } from "./outbox-world.ts";

const program = await findNatsServer();

describe.skipIf(program === undefined)("the outbox over NATS", () => {
  let server: TestNatsServer;
  let world: OutboxWorld;
  const opened: EventTransport[] = [];

  beforeEach(async () => {
    server = await startNatsServer(program ?? "");
    world = await createOutboxWorld();
  });
  afterEach(async () => {
    await world.close();
    await Promise.all(opened.splice(0).map(async (transport) => await transport.stop()));
    await server.remove();
  });

  async function open(): Promise<EventTransport> {
    const transport = createNatsTransport({ url: new Secret(server.url), service: "test", log: world.telemetry.log });
    opened.push(transport);
    return await Promise.resolve(transport);
  }

  /** Both consumers of audit events, as in a separate process; they count the stored events. */
  async function openKeepers() {
    const transport = await open();
    const kept = new Map([
      ["logbook", new Map<string, number>()],
      ["webhook-dispatcher", new Map<string, number>()],
    ]);
    for (const [name, counts] of kept) {
      transport.consume({
        stream: "audit",
        name,
        batchSizeMax: 100,
        store: async (messages) => {
          for (const { id } of messages) counts.set(id, (counts.get(id) ?? 0) + 1);
          return await Promise.resolve();
        },
      });
    }
    await transport.start();
    return {
      kept,
      missing: (ids: readonly string[]) => ids.filter((id) => [...kept.values()].some((counts) => !counts.has(id))),
    };
  }

  async function startRelay(republishAfterMs = 30_000) {
    const transport = await open();
    await transport.start();
    return world.startRelay(transport, { bounds: { republishAfterMs, sweepIntervalMs: 50, pollIntervalMs: 20 } });
  }

  const record = async (count: number) => {
    return await Promise.all(
      Array.from({ length: count }, async (_, index) => await world.record(newEvent(`t${index}`))),
    );
  };
  const unconfirmed = async () => (await world.rows()).filter((row) => row.confirmed_at === null);

  test("each event is stored once by both consumers, and confirmed", async () => {
    const { kept } = await openKeepers();
    await startRelay();
    const ids = await record(300);
    await eventually(async () => expect(await unconfirmed()).toEqual([]));
    for (const counts of kept.values()) expect(counts).toEqual(new Map(ids.map((id) => [id, 1])));
  });

  test("events wait while the broker is away, go out in order afterwards, and are all stored", async () => {
    const { kept, missing } = await openKeepers();
    await startRelay();
    await server.kill();
    const ids: string[] = [];
    for (let index = 0; index < 50; index++) ids.push(await world.record(newEvent(`t${index}`)));
    expect(await unconfirmed()).toHaveLength(50);
    await server.start();
    await eventually(async () => expect(await unconfirmed()).toEqual([]));
    expect(missing(ids)).toEqual([]);
    expect([...(kept.get("logbook")?.keys() ?? [])]).toEqual(ids);
  });

  test("events wait while the broker's streams are full, readiness and a metric show it, and all are stored later", async () => {
    const { kept } = await openKeepers();
    const transport = await open();
    await transport.start();
    const bounds = { sweepIntervalMs: 50, pollIntervalMs: 20, lateAfterMs: 100, measureIntervalMs: 50 };
    const relay = world.startRelay(transport, { bounds });
    const first = await record(20);
    await eventually(async () => expect(await unconfirmed()).toEqual([]));
    const giveRoom = await fillStreams(server.url);
    const ids = await record(30);
    await eventually(() =>
      expect(relay.problems().join()).toMatch(/^30 audit events wait to be published, the oldest for/),
    );
    const waiting = /gatehouse_audit_outbox_events\{[^}]*state="unpublished"\} 30/;
    expect(await world.telemetry.metrics.metrics()).toMatch(waiting);
    await giveRoom();
    await eventually(async () => expect(await unconfirmed()).toEqual([]));
    expect([...(kept.get("logbook")?.keys() ?? [])].toSorted()).toEqual([...first, ...ids].toSorted());
    await eventually(() => expect(relay.problems()).toEqual([]));
  });

  test("events that the broker's store has lost are published again from the outbox", { timeout: 60_000 }, async () => {
    await startRelay(2_000);
    const ids = await record(200);
    await eventually(async () => expect((await world.rows()).every((row) => row.published_at !== null)).toBe(true));
    await server.kill();
    await server.wipe();
    await server.start();
    const { missing } = await openKeepers();
    await eventually(async () => expect(await unconfirmed()).toEqual([]));
    expect(missing(ids)).toEqual([]);
  });

  test("repeated crashes of the broker under load lose no event", { timeout: 60_000 }, async () => {
    const { missing } = await openKeepers();
    await startRelay(3_000);
    const ids: string[] = [];
    for (let crash = 0; crash < 3; crash++) {
      ids.push(...(await record(150)));
      await server.kill();
      ids.push(...(await record(50)));
      await server.start();
    }
    await eventually(() => expect(missing(ids)).toEqual([]));
    await eventually(async () => expect(await unconfirmed()).toEqual([]));
    expect(ids).toHaveLength(600);
  });
});
