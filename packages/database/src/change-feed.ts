import { guarded, throwUncaught } from "@gatehouse/async";
import type { Logger } from "@gatehouse/telemetry";
import type pg from "pg";
import type { OpenDatabase } from "./database.ts";

/** Callbacks of a replica that keeps rows in memory. */
export interface ChangeListener {
  /** A change was committed, by this process or another. May come more than once for one change; where it throws, `onGap` is called. */
  readonly onChange: (payload: string) => void;
  /** Changes may have been missed: all cached values must be read again. */
  readonly onGap: () => void;
}

/** Anything that runs a statement with parameters: a pool, a client, or a transaction behind a small adapter. */
export interface StatementRunner {
  query(sql: string, values: readonly unknown[]): Promise<unknown>;
}

const reconnectDelayMs = 250;
/** Postgres' own bound of a notification (its documentation, "NOTIFY"). */
const payloadBytesMax = 8_000;

/**
 * Tells every replica of a service that a row has changed, over Postgres' LISTEN and NOTIFY: a notification is delivered
 * when, and only when, its transaction commits. Used for configuration, which changes rarely.
 */
export class ChangeFeed {
  readonly #database: OpenDatabase;
  readonly #channel: string;
  readonly #log: Logger;
  readonly #listeners = new Set<ChangeListener>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(database: OpenDatabase, log: Logger) {
    this.#database = database;
    this.#channel = `${database.schema}_changes`;
    this.#log = log;
  }

  /** Begins to listen. @throws when Postgres cannot be reached; later losses are healed by reconnecting. */
  async start(): Promise<void> {
    await this.#listen();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }

  /** @returns a function that ends the subscription. */
  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Announces a change within the transaction that makes it. */
  async announce(transaction: StatementRunner, payload: string): Promise<void> {
    if (Buffer.byteLength(payload) >= payloadBytesMax) throw new RangeError("A change's payload is too long.");
    await transaction.query("SELECT pg_notify($1, $2)", [this.#channel, payload]);
  }

  /** Tells this process' listeners at once, after the commit, so that they need not wait for the way through Postgres. */
  deliver(payload: string): void {
    for (const listener of this.#listeners) {
      try {
        listener.onChange(payload);
      } catch (err) {
        this.#log.error({ err }, "A change that was announced could not be taken in; all is read again.");
        reportGap(listener);
      }
    }
  }

  async #listen(): Promise<void> {
    const client = await this.#database.connectAlone();
    try {
      const deliver = ({ payload }: pg.Notification) => this.deliver(payload ?? "");
      client.on("notification", guarded(deliver, throwUncaught));
      await client.query(`LISTEN "${this.#channel}"`);
    } catch (err) {
      await client.end().catch(() => {});
      throw err;
    }
    if (this.#stopped) {
      await client.end();
      return;
    }
    const reconnect = () => this.#reconnect();
    client.on("end", guarded(reconnect, reconnect));
    this.#client = client;
  }

  #reconnect(): void {
    if (this.#stopped || this.#timer !== undefined) return;
    this.#client = undefined;
    this.#timer = setTimeout(() => void this.#retry(), reconnectDelayMs);
  }

  async #retry(): Promise<void> {
    this.#timer = undefined;
    try {
      await this.#listen();
    } catch (err) {
      this.#log.debug({ err }, "Listening for changes failed; trying again.");
      this.#reconnect();
      return;
    }
    if (this.#stopped) return;
    for (const listener of this.#listeners) reportGap(listener);
  }
}

/** A listener that cannot even forget its values would serve old ones: that ends the process, after the others have been informed. */
function reportGap(listener: ChangeListener): void {
  try {
    listener.onGap();
  } catch (err) {
    throwUncaught(err);
  }
}
