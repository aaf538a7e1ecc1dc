import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenDatabase, openDatabase, type ReplicaMessages } from "@gatehouse/database";
import {
  type Allowances,
  type BudgetEvent,
  createAllowances,
  type OnBudgetEvent,
  type Reservation,
  type ReserveResult,
  type UsageRecord,
} from "@gatehouse/limits";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import type { TokenPrincipal } from "@gatehouse/principal";
import { createLogger } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, beforeEach } from "vitest";

export const log = createLogger({ service: "test", level: "silent" });

/** One Postgres and replicas, whose clocks the test sets. */
export interface World {
  readonly database: OpenDatabase;
  readonly url: string;
  readonly folder: string;
  readonly events: BudgetEvent[];
  now(): number;
  /** Moves the clock of the database and of all replicas. */
  setTime(atMs: number): Promise<void>;
  advance(ms: number): Promise<void>;
  createReplica(overrides?: Partial<Parameters<typeof createAllowances>[0]>): Allowances;
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export const worldStart = Date.parse("2026-03-10T10:00:00Z");

/** Creates a world for the tests of a file; each starts at {@link worldStart}, without events. */
export function useWorld(use: (world: World) => void): void {
  let world: World | undefined;
  beforeAll(async () => {
    world = await createWorld();
    use(world);
  });
  beforeEach(async () => {
    world?.events.splice(0);
    await world?.setTime(worldStart);
  });
  afterAll(async () => await world?.close());
}

export async function createWorld(): Promise<World> {
  const testDatabase = await createTestDatabase();
  const database = openTestDatabase(testDatabase.url);
  await database.migrate(new URL("../prisma/migrations", import.meta.url));
  await database.pool.query("CREATE TABLE test_clock (at timestamptz NOT NULL)");
  await database.pool.query("INSERT INTO test_clock VALUES ($1)", [new Date(worldStart)]);
  await database.pool.query(
    "CREATE FUNCTION test_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM chat.test_clock'",
  );
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-spill-"));
  const events: BudgetEvent[] = [];
  const onBudgetEvent: OnBudgetEvent = (event) => void events.push(event);
  let nowMs = worldStart;
  let replicas = 0;
  const setTime = async (atMs: number) => {
    nowMs = atMs;
    await database.pool.query("UPDATE test_clock SET at = $1", [new Date(atMs)]);
  };
  return {
    database,
    url: testDatabase.url,
    folder,
    events,
    now: () => nowMs,
    setTime,
    advance: async (ms) => await setTime(nowMs + ms),
    createReplica(overrides) {
      replicas += 1;
      return createAllowances({
        database,
        log,
        replicaId: `replica-${replicas}`,
        spillFolder: join(folder, `replica-${replicas}`),
        onBudgetEvent,
        clock: () => nowMs,
        databaseNow: "test_now()",
        ...overrides,
      });
    },
    async query<Row extends object>(sql: string, values: readonly unknown[] = []) {
      return (await database.pool.query<Row>(sql, [...values])).rows;
    },
    async close() {
      await database.close();
      await testDatabase.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Carries messages between replicas of one process; one that has left hears none. */
export function createMessages() {
  const hearers = new Map<object, (text: string) => void>();
  return {
    join() {
      const place = {};
      const messages: ReplicaMessages = {
        async tell(text) {
          await Promise.resolve();
          for (const hearer of hearers.values()) setImmediate(hearer, text);
        },
        hear: (listener) => void hearers.set(place, listener),
      };
      return { messages, leave: () => void hearers.delete(place) };
    },
  };
}

export function openTestDatabase(url: string): OpenDatabase {
  return openDatabase({ url: new Secret(url), schema: "chat", connectionsMax: 8, log });
}

let tokens = 0;

export interface PrincipalLimits {
  readonly perMinute?: number | null;
  readonly perHour?: number | null;
  readonly tokenPerMinute?: number | null;
  readonly tokenPerHour?: number | null;
  readonly projectUuid?: string;
}

/** Unlimited by default; each has a separate token. */
export function createPrincipal(limits: PrincipalLimits = {}): TokenPrincipal {
  const { perMinute = null, perHour = null, tokenPerMinute = null, tokenPerHour = null } = limits;
  tokens += 1;
  return {
    kind: "token",
    tokenId: tokens,
    tokenName: "test",
    environment: "test",
    scopes: ["chat"],
    rateLimits: { perMinute: tokenPerMinute, perHour: tokenPerHour },
    project: {
      id: 1,
      uuid: limits.projectUuid ?? crypto.randomUUID(),
      name: "test",
      projectType: "ai_gateway",
      rateLimits: { perMinute, perHour },
    },
  };
}

export function createUsage(costMicros: number, overrides: Partial<UsageRecord> = {}): UsageRecord {
  return {
    requestId: crypto.randomUUID(),
    user: null,
    provider: "mock",
    model: "model",
    outcome: "answered",
    promptTokens: 10,
    cachedTokens: 4,
    completionTokens: 5,
    reasoningTokens: 2,
    costMicros,
    priceUnknown: false,
    estimated: false,
    ...overrides,
  };
}

export function reserved(result: ReserveResult): Reservation {
  if (!result.ok) throw new Error("The reservation was refused.");
  return result.reservation;
}
