import { createOutboxRelay, outboxMigrations, recordEvent } from "@gatehouse/audit";
import { openDatabase } from "@gatehouse/database";
import { createNatsTransport, type EventTransport } from "@gatehouse/events";
import { findNatsServer, startNatsServer, swallowMessage, type TestNatsServer } from "@gatehouse/events/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type LogbookHarness, type LogbookReplica, newEvent, openHarness, verifyChain } from "./harness.ts";

const program = await findNatsServer();
const wait = { timeout: 25_000, interval: 20 };

let harness: LogbookHarness;
beforeEach(async () => (harness = await openHarness()));
afterEach(async () => await harness.stop());

/** Makes what is stored a minute older. */
async function age(): Promise<void> {
  await harness.sql("ALTER TABLE audit_numbers DISABLE TRIGGER audit_numbers_is_append_only");
  await harness.sql("UPDATE audit_numbers SET stored_at = stored_at - interval '1 minute'");
  await harness.sql("ALTER TABLE audit_numbers ENABLE TRIGGER audit_numbers_is_append_only");
}

describe("numbers of a service", () => {
  let replica: LogbookReplica;
  beforeEach(async () => (replica = await harness.startReplica()));

  const event = (number?: number, minutesAgo = 0) => {
    const occurredAt = new Date(Date.now() - minutesAgo * 60_000).toISOString();
    return newEvent({ occurredAt, ...(number === undefined ? {} : { source: { service: "chat", number } }) });
  };
  const publish = async (events: readonly ReturnType<typeof event>[], publisher?: string) => {
    const made = publisher === undefined ? {} : { publisher };
    await replica.events.publish(
      "audit",
      events.map((each) => ({ id: each.id, body: JSON.stringify(each), ...made })),
    );
  };
  const withheld = async () => {
    const { faults } = await verifyChain(replica);
    return faults.filter(({ kind }) => kind === "withheld");
  };

  test("a gap is reported some time after later events, and not after it closes", async () => {
    await publish([event(1), event(2), event(5)]);
    expect(await withheld()).toEqual([]);
    await age();
    expect(await withheld()).toEqual([
      {
        project: null,
        service: "chat",
        sequence: 3,
        kind: "withheld",
        detail: expect.stringMatching(
          /^events 3 to 4 of chat are not in the log, though a later one has been for 6\d s$/,
        ),
      },
    ]);
    await publish([event(4), event(3)]);
    expect(await verifyChain(replica)).toMatchObject({ ok: true, faults: [] });
  });

  test("a gap before the first event is reported", async () => {
    await publish([event(2)]);
    await age();
    expect(await withheld()).toMatchObject([{ service: "chat", sequence: 1 }]);
  });

  test("an event that cannot be stored is missing", async () => {
    const [first, bad, last] = [event(1), event(2), event(3)];
    await publish([first, { ...bad, occurredAt: "never" }, last]);
    await age();
    expect(await withheld()).toMatchObject([{ service: "chat", sequence: 2 }]);
  });

  test("an event first received without its number gets it from the repetition", async () => {
    const { source, ...bare } = event(1);
    await publish([bare, event(2)]);
    await publish([{ ...bare, ...(source === undefined ? {} : { source }) }]);
    await age();
    expect(await verifyChain(replica)).toMatchObject({ ok: true, rows: 2 });
  });

  test("events stored by an earlier version's logbook explain a gap of their time, and no other", async () => {
    await publish([event(1, 60), event(), event(3, 60)]);
    await age();
    expect(await withheld()).toMatchObject([{ sequence: 2 }]);
    await publish([event(undefined, 59)]);
    expect(await withheld()).toEqual([]);
  });

  test("a service cannot use another service's numbers", async () => {
    await publish([event(1), event(3)]);
    await publish([event(2)], "api-proxy");
    await age();
    // The event itself is in the log: without a number, and so that it could be the missing one.
    expect(await harness.sql("SELECT number::int FROM audit_numbers ORDER BY number")).toEqual([
      { number: 1 },
      { number: 3 },
    ]);
  });

  test("a number used by two events stays with the first", async () => {
    const [first, second] = [event(1), event(1)];
    await publish([first]);
    await publish([second]);
    expect(await harness.sql("SELECT event_id FROM audit_numbers")).toEqual([{ event_id: first.id }]);
    expect(await verifyChain(replica)).toMatchObject({ ok: true, rows: 2 });
  });

  test("numbers cannot be changed", async () => {
    await expect(harness.sql("UPDATE audit_numbers SET number = 1")).rejects.toThrow("append-only");
  });
});

describe.skipIf(program === undefined)("a client of the broker", () => {
  let nats: TestNatsServer;
  const transports: EventTransport[] = [];
  const { log, metrics } = createSilentTelemetry();
  beforeEach(async () => void (nats = await startNatsServer(program ?? "")));
  afterEach(async () => {
    for (const transport of transports.splice(0)) await transport.stop();
    await nats.remove();
  });

  const open = (service: string) => {
    const transport = createNatsTransport({ url: new Secret(nats.url), service, log });
    transports.push(transport);
    return transport;
  };

  test("is detected if it drops an event, and the event is sent again from its outbox", async () => {
    const database = openDatabase({ url: new Secret(harness.url), schema: "chat", connectionsMax: 3, log });
    await database.pool.query("CREATE SCHEMA chat");
    for (const { sql } of outboxMigrations) await database.pool.query(sql);
    const transport = open("chat");
    await transport.start();
    const bounds = { sweepIntervalMs: 20, pollIntervalMs: 20, republishAfterMs: 3_600_000 };
    const consumers = ["logbook"];
    const relay = createOutboxRelay({ database, transport, service: "chat", consumers, bounds, log, metrics });
    relay.start();
    try {
      const runner = {
        query: async (sql: string, values: readonly unknown[]) => await database.pool.query(sql, [...values]),
      };
      for (let at = 1; at <= 5; at += 1) await recordEvent(runner, newEvent());
      await vi.waitFor(async () => {
        const { rows } = await database.pool.query("SELECT 1 FROM audit_outbox WHERE published_at IS NULL");
        expect(rows).toEqual([]);
      }, wait);
      expect(await swallowMessage(nats.url, "audit", 3)).toBe(true);

      const replica = await harness.startReplica({ events: open("logbook") });
      await replica.events.start();
      await vi.waitFor(async () => expect(await verifyChain(replica)).toMatchObject({ ok: true, rows: 4 }), wait);
      await age();
      expect(await verifyChain(replica)).toMatchObject({
        ok: false,
        faults: [{ service: "chat", sequence: 3, kind: "withheld" }],
      });

      await database.pool.query("UPDATE audit_outbox SET republish_at = now() WHERE confirmed_at IS NULL");
      await vi.waitFor(async () => expect(await verifyChain(replica)).toMatchObject({ ok: true, rows: 5 }), wait);
    } finally {
      await relay.stop();
      await database.close();
    }
  });
});
