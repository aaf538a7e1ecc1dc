import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestAdmin, type TestAdmin, type TestProject } from "@gatehouse/admin/testing";
import type { AuditEvent } from "@gatehouse/audit";
import { type OpenDatabase, openDatabase } from "@gatehouse/database";
import { createInProcessTransport, type EventTransport } from "@gatehouse/events";
import type { GatewayLogEntry } from "@gatehouse/gateway-log";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import type { AdminServiceDefinition } from "@gatehouse/proto/admin";
import type { RpcBinding } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry, type Telemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import pg from "pg";
import { createLogbookService } from "../src/program.ts";

export interface LogbookReplica {
  readonly service: Service;
  readonly admin: TestAdmin;
  readonly events: EventTransport;
  readonly dataFolder: string;
  readonly telemetry: Telemetry;
}

export interface LogbookHarness {
  readonly url: string;
  /** Runs SQL as the role that owns the database. */
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  startReplica(options?: ReplicaOptions): Promise<LogbookReplica>;
  /** A pool of the logbook's own schema, until the harness stops. */
  openPool(): OpenDatabase;
  stop(): Promise<void>;
}

export interface ReplicaOptions {
  readonly wallNow?: () => number;
  readonly events?: EventTransport;
  readonly dataFolder?: string;
  readonly retentionDays?: number;
  readonly keepsRows?: boolean;
  readonly collector?: string;
}

/** A new database, and logbooks on it. */
export async function openHarness(givenUrl?: string): Promise<LogbookHarness> {
  const database = givenUrl === undefined ? await createTestDatabase() : undefined;
  const url = givenUrl ?? database?.url ?? "";
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-logbook-"));
  const started: Service[] = [];
  const pools: OpenDatabase[] = [];
  return {
    url,
    async sql(text, values = []) {
      const client = new pg.Client({ connectionString: url, options: "-c search_path=logbook" });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(text, [...values])).rows;
      } finally {
        await client.end();
      }
    },
    async startReplica(options = {}) {
      const { events = createInProcessTransport(), dataFolder, retentionDays = 30, wallNow } = options;
      const config = {
        databaseUrl: new Secret(url),
        databaseConnectionsMax: 5,
        gatewayLogRetentionDays: retentionDays,
        keepsGatewayLogRows: options.keepsRows ?? true,
        gatewayLogCollector:
          options.collector === undefined ? undefined : { endpoint: options.collector, headers: undefined },
        dataFolder: dataFolder ?? join(folder, randomUUID()),
        checkpointKey: new Secret("a key of the test"),
      };
      const telemetry = createSilentTelemetry();
      const created = createLogbookService(config, {
        telemetry,
        events,
        ...(wallNow === undefined ? {} : { wallNow }),
      });
      let stopping: Promise<void> | undefined;
      const service: Service = { ...created, stop: async () => await (stopping ??= created.stop()) };
      await service.start();
      started.push(service);
      const [binding] = service.rpc as unknown as [RpcBinding<typeof AdminServiceDefinition>];
      return { service, admin: openTestAdmin(binding), events, dataFolder: config.dataFolder, telemetry };
    },
    openPool() {
      const { log } = createSilentTelemetry();
      const pool = openDatabase({ url: new Secret(url), schema: "logbook", connectionsMax: 3, log });
      pools.push(pool);
      return pool;
    },
    async stop() {
      for (const pool of pools) await pool.close();
      for (const service of started) await service.stop();
      await database?.drop();
      await rm(folder, { recursive: true });
    },
  };
}

/** A pool or a client whose statements are explained first, those that are `wanted`; their plans are added to `plans`. */
export function explaining<Source extends pg.Pool | pg.PoolClient>(
  source: Source,
  plans: string[],
  wanted: (text: string) => boolean = () => true,
): Source {
  const query = async (text: string, values: unknown[] = []) => {
    if (wanted(text)) {
      const { rows } = await source.query<{ "QUERY PLAN": string }>(`EXPLAIN ${text}`, values);
      plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
    }
    return await source.query(text, values);
  };
  return Object.create(source, { query: { value: query } }) as Source;
}

/** The answer to a question about a log. */
export interface ShownPage {
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly next_cursor: string | null;
}

/** Walks the chain of one project, or of all. */
export async function verifyChain({ admin }: Pick<LogbookReplica, "admin">, project?: TestProject) {
  return await admin.call<{
    readonly ok: boolean;
    readonly rows: number;
    readonly chains: number;
    readonly faults: readonly Fault[];
  }>("svc_verify_audit_log", project === undefined ? {} : { project: project.uuid }, project ?? null);
}

interface Fault {
  readonly project: string | null;
  readonly kind: string;
}

export function newEntry(changes: Partial<GatewayLogEntry> = {}): GatewayLogEntry {
  return {
    atMs: Date.now(),
    requestId: `req-${randomUUID()}`,
    route: "chat_direct",
    status: 200,
    durationMs: 12,
    ...changes,
  };
}

/** The fields of an entry as they travel. */
export function toMessage(entries: readonly Record<string, unknown>[], id = randomUUID()) {
  return { id, body: JSON.stringify(entries) };
}

export function newWireEntry(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    at_ms: Date.now(),
    request_id: `req-${randomUUID()}`,
    route: "chat_direct",
    status: 200,
    duration_ms: 1,
    attempts: 1,
    ...changes,
  };
}

export function newEvent(changes: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: randomUUID(),
    event: "token.created",
    severity: "info",
    actor: "admin_key:alice",
    project: { id: 1, uuid: randomUUID(), name: "Shop" },
    target: "mobile app",
    metadata: { token_id: 7 },
    ipAddress: "192.0.2.1",
    occurredAt: new Date().toISOString(),
    traceparent: "",
    ...changes,
  };
}

export function toAuditMessage(event: AuditEvent) {
  return { id: event.id, body: JSON.stringify(event) };
}

/** A database as an earlier release left it. */
export interface EarlierDatabase {
  readonly client: pg.Client;
  /** Applies the migrations since. */
  migrate(): Promise<void>;
  drop(): Promise<void>;
}

const migrationsFolder = new URL("../prisma/migrations/", import.meta.url);

/** Makes a database of the migrations before the named one. */
export async function openBefore(migration: string): Promise<EarlierDatabase> {
  const names = (await readdir(migrationsFolder)).filter((name) => /^\d/.test(name)).toSorted();
  const first = names.indexOf(migration);
  if (first < 0) throw new Error(`There is no migration "${migration}".`);
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const apply = async (some: readonly string[]) => {
    for (const name of some) {
      await client.query(await readFile(new URL(`${name}/migration.sql`, migrationsFolder), "utf8"));
    }
  };
  await apply(names.slice(0, first));
  return {
    client,
    migrate: async () => await apply(names.slice(first)),
    async drop() {
      await client.end();
      await database.drop();
    },
  };
}

/** Holds the numbers back from everything else. @returns their release */
export async function lockNumbers(database: Pick<OpenDatabase, "connectAlone">): Promise<() => Promise<void>> {
  const client = await database.connectAlone();
  await client.query("BEGIN; LOCK TABLE audit_numbers IN ACCESS EXCLUSIVE MODE");
  return async () => await client.end();
}
