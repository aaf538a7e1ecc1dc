import { AuditQueue, createOutboxRelay } from "@gatehouse/audit";
import {
  ChangeFeed,
  createResealer,
  findDatabaseProblems,
  findKeyringProblem,
  keyringProbeColumn,
  type OpenDatabase,
  openDatabase,
  type SealedColumn,
  sealKeyringProbe,
} from "@gatehouse/database";
import type { PrismaPg } from "@prisma/adapter-pg";
import { createAnswerSweep } from "./answered-calls.ts";
import { observePool } from "./database-metrics.ts";
import type { DatabaseOptions, OutboxKernel, RowsOptions } from "./kernel.ts";
import type { Part } from "./part.ts";
import { sharedMigrations } from "./shared-migrations.ts";
import { createStore } from "./store.ts";

/** The rows of a service, and the carriers of their announcements and events. */
export interface Rows extends Pick<OutboxKernel, "audit" | "database" | "feed" | "openStore"> {
  /** In the order of their start, before the service's own parts. */
  readonly parts: readonly Part[];
  /** Carriers of the service's facts, in the order of their start. */
  readonly facts: readonly Part[];
  /** See `OpenDatabase`. */
  readonly giveUpWhenSilent: () => void;
}

/** Creates the parts; connections are opened by their start. */
export function openRows(options: RowsOptions): Rows {
  const { name: service, host } = options;
  const { log, metrics } = host.telemetry;
  const { config, schema, sealing } = options.database;
  const { databaseUrl: url, databaseConnectionsMax: connectionsMax } = config;
  const database = openDatabase({ url, schema, connectionsMax, log });
  observePool(metrics, service, database.pool);
  const feed = new ChangeFeed(database, log);
  const hasOutbox = options.outbox === true;
  const relay = openRelay(options, database);
  const audit = new AuditQueue(database, log, () => relay.wake());
  const clients: { $disconnect(): Promise<void> }[] = [];
  const open = <Client extends { $disconnect(): Promise<void> }>(connect: (adapter: PrismaPg) => Client): Client => {
    const client = connect(database.prismaAdapter());
    clients.push(client);
    return client;
  };
  const resealer = sealing && createResealer(database, sealing.keyring, sealedColumns(schema, sealing), host.telemetry);
  const outbox: readonly Part[] = [...relay.parts, { name: "audit queue", stop: async () => await audit.stop() }];
  return {
    database,
    feed,
    audit,
    giveUpWhenSilent: () => database.giveUpWhenSilent(),
    openStore: (connect, encode = JSON.stringify) =>
      createStore({ client: open(connect), database, feed, encode, onRecorded: () => relay.wake() }),
    parts: [
      databasePart(
        database,
        options,
        async () => void (await Promise.all(clients.map(async (client) => await client.$disconnect()))),
      ),
      ...(sealing === undefined ? [] : [keyringPart(database, sealing)]),
      ...(hasOutbox && options.feed ? [feedPart(feed)] : []),
    ],
    facts: [
      ...(resealer === undefined
        ? []
        : [{ name: "resealer", start: () => resealer.start(), stop: async () => await resealer.stop() }]),
      ...(hasOutbox ? [createAnswerSweep(database, log), ...outbox] : []),
    ],
  };
}

interface Relay {
  readonly wake: () => void;
  readonly parts: readonly Part[];
}

function openRelay({ name: service, host }: RowsOptions, database: OpenDatabase): Relay {
  const { relays, events: transport, telemetry } = host;
  if (relays?.isHere === false) return { wake: () => relays.wake(service), parts: [] };
  const relay = createOutboxRelay({ database, transport, service, log: telemetry.log, metrics: telemetry.metrics });
  relays?.onOpened(service, () => relay.wake());
  const part: Part = {
    name: "outbox relay",
    start: () => relay.start(),
    stop: () => relay.stop(),
    notices: () => relay.problems(),
    backlogs: () => relay.backlogs(),
  };
  return { wake: () => relay.wake(), parts: [part] };
}

function databasePart(database: OpenDatabase, options: RowsOptions, closeClients: () => Promise<void>): Part {
  const { migrations, sealing, isOptional = false } = options.database;
  const report = async () => await findDatabaseProblems(database, options.host.databaseProblem);
  const shared = sharedMigrations({ hasOutbox: options.outbox === true, isSealing: sealing !== undefined });
  return {
    name: "database",
    mustClose: true,
    start: async () => await database.migrate(migrations, shared),
    async stop() {
      await closeClients();
      await database.close();
    },
    ...(isOptional ? { notices: report } : { problems: report }),
  };
}

type Sealing = NonNullable<DatabaseOptions["sealing"]>;

function sealedColumns(schema: string, { columns }: Sealing): readonly SealedColumn[] {
  return [...columns, keyringProbeColumn(schema)];
}

function keyringPart(database: OpenDatabase, { keyring }: Sealing): Part {
  return {
    name: "keyring",
    start: async () => await sealKeyringProbe(database, keyring),
    async problems() {
      const problem = await findKeyringProblem(database, keyring);
      return problem === undefined ? [] : [problem];
    },
  };
}

function feedPart(feed: ChangeFeed): Part {
  return { name: "change feed", start: async () => await feed.start(), stop: async () => await feed.stop() };
}
