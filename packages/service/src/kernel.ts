import type { AuditQueue } from "@gatehouse/audit";
import type { ChangeFeed, Database, PrismaTransaction, SealedColumn } from "@gatehouse/database";
import type { Consumer, EventTransport } from "@gatehouse/events";
import type { GatewayLog } from "@gatehouse/gateway-log";
import type { Siblings } from "@gatehouse/http";
import type { ServiceHandler } from "@gatehouse/principal";
import type { RpcBinding } from "@gatehouse/rpc";
import type { Logger, Telemetry } from "@gatehouse/telemetry";
import type { WithOutbox, WithoutOutbox } from "@gatehouse/trust";
import type { Keyring, Secret } from "@gatehouse/vault";
import type { PrismaPg } from "@prisma/adapter-pg";
import type { Part } from "./part.ts";
import type { ServiceState } from "./service-state.ts";
import type { Store, StoreClient } from "./store.ts";

/** Environment of a service, provided by the process that hosts it alone or with others. */
export interface ServiceHost {
  readonly telemetry: Telemetry;
  /** Publishes audit events, and delivers the messages that the service consumes. */
  readonly events: EventTransport;
  /** Receives the outcome of each request; when absent, outcomes are dropped. */
  readonly gatewayLog?: GatewayLog;
  /**
   * Parts that the service starts last, and stops after its own: the transport and other resources that the host opened for this
   * service alone. Absent where services share them, and the host starts and stops them.
   */
  readonly owned?: readonly Part[];
  /** Process whose relay empties each outbox, where several share it; absent: this process relays its outbox. */
  readonly relays?: RelayPlace;
  /** Text for operators where the database is not available, which names the server and a remedy; a general one where absent. */
  readonly databaseProblem?: string;
  /** Absent where no other process answers calls at the same port. */
  readonly siblings?: Siblings;
}

/**
 * Several processes of one product need one relay per outbox. Other processes notify the relay's process of new events, which
 * would otherwise wait for its next poll.
 */
export type RelayPlace =
  | { readonly isHere: true; readonly onOpened: (service: string, wake: () => void) => void }
  | { readonly isHere: false; readonly wake: (service: string) => void };

/** Settings of a service's database, `DATABASE_URL` and `DATABASE_CONNECTIONS_MAX`; the bound is for one process. */
export interface DatabaseConfig {
  readonly databaseUrl: Secret;
  readonly databaseConnectionsMax: number;
}

/** A service's own schema, with its migrations and sealed columns. */
export interface DatabaseOptions {
  readonly config: DatabaseConfig;
  readonly schema: string;
  readonly migrations: URL;
  /** Whether the service works without it, so that an outage is only a notice. */
  readonly isOptional?: boolean;
  /** For a service that seals secrets: a sealed row verifies the keyring, and old keys are retired. */
  readonly sealing?: { readonly keyring: Keyring; readonly columns: readonly SealedColumn[] };
}

/** Options of a service without a database: its name in logs, metrics and messages, and its host. */
export interface PlainServiceOptions {
  readonly name: string;
  readonly host: ServiceHost;
  readonly database?: never;
}

/** Options of a service with a database: pool, migrations and its report. */
export interface DatabaseServiceOptions<Name extends string = string> extends Pick<PlainServiceOptions, "host"> {
  readonly name: Name & WithoutOutbox<Name>;
  readonly database: DatabaseOptions;
  readonly outbox?: never;
}

/** Options of a service whose rows are configuration: adds an outbox with its relay and, where replicas cache the rows, a change feed. */
export interface OutboxServiceOptions<Name extends string = string> extends Pick<PlainServiceOptions, "host"> {
  /** A service of the product is one of `outboxServices`, by which its schema is migrated. */
  readonly name: Name & WithOutbox<Name>;
  readonly database: DatabaseOptions;
  readonly outbox: true;
  readonly feed: boolean;
}

/** Options of a service with a database, with or without an outbox. */
export type RowsOptions = DatabaseServiceOptions | OutboxServiceOptions;

/** Facilities that `createService` gives to the code that builds a service's parts. */
export interface Kernel {
  readonly name: string;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  readonly gatewayLog: GatewayLog;
  /**
   * Registers a consumer: its messages arrive between the start and the stop of the service's parts. Without the broker the
   * service is not ready, unless the consumer is not essential.
   */
  consume(consumer: Consumer, options?: { readonly isEssential?: boolean }): void;
  /** The service's state, for the Control Plane. Not available before the service is created. */
  state(): Promise<ServiceState>;
}

/** The kernel of a service whose rows are not configuration. */
export interface DatabaseKernel extends Kernel {
  readonly database: Database;
}

/** The kernel of a service whose rows are configuration: changes are announced and recorded. */
export interface OutboxKernel extends DatabaseKernel {
  /** Changes made by all replicas, this one included. */
  readonly feed: ChangeFeed;
  /** Records events of calls, which change no row. */
  readonly audit: AuditQueue;
  /**
   * Opens the rows of configuration; see {@link Store}. Closed with the service.
   * @param encode encodes the announcement of a change; JSON where absent
   */
  openStore<Client extends StoreClient<Transaction>, Transaction extends PrismaTransaction, Change>(
    connect: (adapter: PrismaPg) => Client,
    encode?: (change: Change) => string,
  ): Store<Client, Transaction, Change>;
}

/** A service's HTTP handler, gRPC services, and parts in the order of their start. */
export interface ServiceParts {
  readonly rpc?: readonly RpcBinding[];
  readonly http?: ServiceHandler;
  readonly parts?: readonly Part[];
  /** Ports that the service opens itself, where no host listens for it: opened last, and closed first. */
  readonly ports?: readonly Part[];
  /** See `Service`. */
  readonly endStreams?: () => void;
}
