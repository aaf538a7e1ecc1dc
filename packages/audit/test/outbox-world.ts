import { type OpenDatabase, openDatabase } from "@gatehouse/database";
import { createInProcessTransport, type EventTransport, type StreamMessage } from "@gatehouse/events";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import { createSilentTelemetry, type Telemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { vi } from "vitest";
import {
  type AuditEvent,
  createOutboxRelay,
  type NewAuditEvent,
  outboxMigrations,
  type OutboxRelay,
  type OutboxRelayOptions,
  recordEvent,
} from "../src/index.ts";

export const project = { id: 7, uuid: "3f0e3d1c-6f3b-4ce5-9d5c-0d3b8d1f2a10", name: "Shop" };

export function newEvent(target = "key", metadata: Readonly<Record<string, unknown>> = { token_id: 1 }): NewAuditEvent {
  return { event: "token.created", actor: "admin_key:initial", project, target, metadata, ipAddress: "192.0.2.1" };
}

/** A transport whose consumers store their messages, unless a test makes them fail. */
export interface WatchedTransport extends EventTransport {
  /** Stored events of each consumer, in order, repeats included. */
  readonly stored: Readonly<Record<"logbook" | "webhook-dispatcher", AuditEvent[]>>;
  readonly published: StreamMessage[];
  isBlocked: boolean;
  /** Consumers that store without reporting. */
  silent: Set<string>;
}

export function createWatchedTransport(): WatchedTransport {
  const inner = createInProcessTransport();
  const stored = { logbook: [] as AuditEvent[], "webhook-dispatcher": [] as AuditEvent[] };
  for (const name of ["logbook", "webhook-dispatcher"] as const) {
    inner.consume({
      stream: "audit",
      name,
      batchSizeMax: 100,
      store: async (messages) => {
        stored[name].push(...messages.map(({ body }) => JSON.parse(body) as AuditEvent));
        return await Promise.resolve();
      },
    });
  }
  const published: StreamMessage[] = [];
  const transport: WatchedTransport = {
    ...inner,
    stored,
    published,
    isBlocked: false,
    silent: new Set(),
    isConnected: () => !transport.isBlocked,
    async publish(stream, messages) {
      published.push(...messages);
      await inner.publish(stream, messages);
    },
    onStored: (listener) =>
      inner.onStored((report) => {
        if (!transport.silent.has(report.consumer)) listener(report);
      }),
  };
  return transport;
}

/** Waits until an expectation holds, with a bound for busy machines. */
export async function eventually(expectation: () => unknown): Promise<void> {
  await vi.waitFor(expectation, { timeout: 20_000, interval: 10 });
}

/** A database with an outbox, and relays over it. */
export async function createOutboxWorld() {
  const testDatabase = await createTestDatabase();
  const telemetry: Telemetry = createSilentTelemetry();
  const database: OpenDatabase = openDatabase({
    url: new Secret(testDatabase.url),
    schema: "service",
    connectionsMax: 8,
    log: telemetry.log,
  });
  await database.pool.query("CREATE SCHEMA service");
  for (const { sql } of outboxMigrations) await database.pool.query(sql);
  const relays: OutboxRelay[] = [];
  return {
    database,
    telemetry,
    transport: createWatchedTransport(),
    startRelay(transport: EventTransport, options: Partial<OutboxRelayOptions> = {}): OutboxRelay {
      const { log, metrics } = telemetry;
      const relay = createOutboxRelay({ database, transport, service: "service", log, metrics, ...options });
      relays.push(relay);
      relay.start();
      return relay;
    },
    async record(event: NewAuditEvent = newEvent()): Promise<string> {
      return await recordEvent({ query: async (sql, values) => await database.pool.query(sql, [...values]) }, event);
    },
    async rows() {
      const { rows } = await database.pool.query<{
        readonly event_id: string;
        readonly attempts: number;
        readonly published_at: Date | null;
        readonly confirmed_by: readonly string[];
        readonly confirmed_at: Date | null;
      }>("SELECT event_id, attempts, published_at, confirmed_by, confirmed_at FROM audit_outbox ORDER BY seq");
      return rows;
    },
    async close(): Promise<void> {
      await Promise.all(relays.map(async (relay) => await relay.stop()));
      await database.close();
      await testDatabase.drop();
    },
  };
}

export type OutboxWorld = Awaited<ReturnType<typeof createOutboxWorld>>;
