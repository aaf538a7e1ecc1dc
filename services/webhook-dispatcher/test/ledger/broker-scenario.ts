import { lapse } from "@gatehouse/async/testing";
import { createOutboxRelay, type NewAuditEvent, outboxMigrations, recordEvent } from "@gatehouse/audit";
import { openDatabase } from "@gatehouse/database";
import { createNatsTransport } from "@gatehouse/events";
import type { TestNatsServer } from "@gatehouse/events/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { startDispatcher } from "./dispatcher.ts";
import { type Ledger, type LedgerReport, openLedger } from "./ledger.ts";

/**
 * End to end: a producer's transaction with its outbox, the relay, a real broker, the dispatcher and receivers, while the broker
 * is killed, stays down, and restarts without its data.
 */
export async function losingBroker(databaseUrl: string, broker: TestNatsServer): Promise<LedgerReport> {
  const ledger = await openLedger({ databaseUrl, behaviours: ["ok", "slow", "refuse"] });
  const dispatcher = await startDispatcher({ databaseUrl, keyring: ledger.keyring, natsUrl: broker.url });
  const producer = await startProducer(databaseUrl, broker.url);
  try {
    for (let round = 0; round < 60; round++) {
      await produce(ledger, producer.record);
      await lapse(20, "events come at a pace");
      if (round === 15) await broker.kill();
      if (round === 25) await broker.start();
      if (round === 40) {
        await broker.kill();
        await broker.wipe();
      }
      if (round === 45) await broker.start();
    }
    await ledger.settle(40_000);
    return await ledger.check();
  } finally {
    await producer.stop();
    await dispatcher.kill();
    await ledger.stop();
  }
}

/** The outbox chooses event ids, so the ledger identifies an event by its target. */
async function produce(ledger: Ledger, record: (event: NewAuditEvent) => Promise<string>): Promise<void> {
  const event = ledger.newEvent();
  const id = await record({ ...event, traceparent: "" });
  ledger.aliases.set(id, event.id);
  ledger.committed.push(event);
}

async function startProducer(databaseUrl: string, natsUrl: string) {
  const { log, metrics } = createSilentTelemetry();
  const database = openDatabase({ url: new Secret(databaseUrl), schema: "producer", connectionsMax: 3, log });
  const transport = createNatsTransport({ url: new Secret(natsUrl), service: "producer", log });
  await database.pool.query("CREATE SCHEMA IF NOT EXISTS producer");
  for (const { sql } of outboxMigrations) await database.pool.query(sql);
  const consumers = ["webhook-dispatcher"];
  const bounds = { republishAfterMs: 1_500, sweepIntervalMs: 300 };
  const relay = createOutboxRelay({ database, transport, service: "producer", consumers, bounds, log, metrics });
  await transport.start();
  relay.start();
  return {
    async record(event: NewAuditEvent) {
      const runner = {
        query: async (sql: string, values: readonly unknown[]) => await database.pool.query(sql, [...values]),
      };
      const id = await recordEvent(runner, event);
      relay.wake();
      return id;
    },
    async stop() {
      await relay.stop();
      await transport.stop();
      await database.close();
    },
  };
}
