import type { AuditQueue } from "@gatehouse/audit";
import type { ChangeFeed, Database, PrismaTransaction, SealedColumn } from "@gatehouse/database";
import type { Consumer, EventTransport } from "@gatehouse/events";
import type { GatewayLog } from "@gatehouse/gateway-log";
import type { ServiceHandler } from "@gatehouse/principal";
import type { RpcBinding } from "@gatehouse/rpc";
import type { Logger, Telemetry } from "@gatehouse/telemetry";
import type { WithOutbox, WithoutOutbox } from "@gatehouse/trust";
import type { Keyring, Secret } from "@gatehouse/vault";
import type { PrismaPg } from "@prisma/adapter-pg";
import type { Part } from "./part.ts";
import type { ServiceState } from "./service-state.ts";
import type { Reading, Store, StoreClient } from "./store.ts";

/** The surroundings of a service, given by the process that hosts it alone or beside others. */
export interface ServiceHost {
  readonly telemetry: Telemetry;
  /** Carries audit events, and brings what the service consumes. */
  readonly events: EventTransport;
  /** Takes the outcome of each request; nowhere when absent. */
  readonly gatewayLog?: GatewayLog;
  /**
   * Parts that the service starts last, and stops once its own have stopped: the transport and whatever else the host opened for
   * this service alone. Absent where services share them, and the host starts and stops them.
   */
  readonly owned?: readonly Part[];
  /** Place of the relay that empties each outbox, where several processes share it; absent: this process relays its own outbox. */
  readonly relays?: RelayPlace;
}

/**
 * Several processes of one product need one relay for each outbox. The process that has it is notified when another one has
 * recorded an event, which would else wait until the outbox is looked at.
 */
export type RelayPlace =
  | { readonly isHere: true; readonly onOpened: (service: string, wake: () => void) => void }
  | { readonly isHere: false; readonly wake: (service: string) => void };

/** The settings of every service with a database. */
export interface DatabaseConfig {
  readonly databaseUrl: Secret;
  readonly databaseConnectionsMax: number;
}

/** A service's own schema, with its migrations and sealed columns. */
export interface DatabaseOptions {
  readonly config: DatabaseConfig;
  /** The Postgres schema that the service owns. */
  readonly schema: string;
  /** The service's Prisma migrations folder. */
  readonly migrations: URL;
  /** Whether the service works without it, so that its absence is a notice. */
  readonly isOptional?: boolean;
  /** For a service that seals secrets: the keyring is proved by a sealed row, and old keys are retired. */
  readonly sealing?: { readonly keyring: Keyring; readonly columns: readonly SealedColumn[] };
}

/** Without a database. */
export interface PlainServiceOptions {
  readonly name: string;
  readonly host: ServiceHost;
  readonly database?: never;
}

/** With a database: pool, migrations, and its report. */
export interface DatabaseServiceOptions<Name extends string = string> extends Pick<PlainServiceOptions, "host"> {
  readonly name: Name & WithoutOutbox<Name>;
  readonly database: DatabaseOptions;
  readonly outbox?: never;
}

/** With rows that are configuration: an outbox with its relay and, where replicas keep them in memory, a change feed. */
export interface OutboxServiceOptions<Name extends string = string> extends Pick<PlainServiceOptions, "host"> {
  /** A service of the product is one of `outboxServices`, by which its schema is migrated. */
  readonly name: Name & WithOutbox<Name>;
  readonly database: DatabaseOptions;
  readonly outbox: true;
  readonly feed: boolean;
}

/** Options of a service that has a database. */
export type RowsOptions = DatabaseServiceOptions | OutboxServiceOptions;

/** The base that a service is built on. */
export interface Kernel {
  readonly name: string;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  readonly gatewayLog: GatewayLog;
  /**
   * Takes a consumer on: its messages come between the start and the stop of the service's parts. The service is unready without
   * the broker, unless the consumer is not essential.
   */
  consume(consumer: Consumer, options?: { readonly isEssential?: boolean }): void;
  /** The service's own state, as others may ask for it. Not before the service is made. */
  state(): Promise<ServiceState>;
}

/** The kernel of a service whose rows are no configuration. */
export interface DatabaseKernel extends Kernel {
  readonly database: Database;
  /** Opens a Prisma client that only reads. Closed with the service. */
  openReader<Client extends { $disconnect(): Promise<void> }>(connect: (adapter: PrismaPg) => Client): Reading<Client>;
}

/** The kernel of a service whose rows are configuration: changes are announced and recorded. */
export interface OutboxKernel extends DatabaseKernel {
  /** Changes by other replicas, and by this one. */
  readonly feed: ChangeFeed;
  /** Records what happens on the way of a call and changes no row. */
  readonly audit: AuditQueue;
  /**
   * Opens the rows of configuration; see {@link Store}. Closed with the service.
   * @param encode makes the announcement of a change; JSON where absent
   */
  openStore<Client extends StoreClient<Transaction>, Transaction extends PrismaTransaction, Change>(
    connect: (adapter: PrismaPg) => Client,
    encode?: (change: Change) => string,
  ): Store<Client, Transaction, Change>;
}

/** A service's HTTP handler and gRPC services, and its own parts in the order of their start. */
export interface ServiceParts {
  readonly rpc?: readonly RpcBinding[];
  readonly http?: ServiceHandler;
  readonly parts?: readonly Part[];
  /** Ports that the service opens itself, where no host listens for it: opened last of all, and closed first. */
  readonly ports?: readonly Part[];
  /** As in `Service`. */
  readonly endStreams?: () => void;
}
