import { guarded, throwUncaught } from "@gatehouse/async";
import type { Logger } from "@gatehouse/telemetry";
import type pg from "pg";
import type { OpenDatabase } from "./database.ts";

/** Callbacks of a {@link ChangeFeed} for a replica that caches rows. `onChange` gets the text of one notification. */
export interface ChangeListener {
  /** Called for a change by any process, possibly more than once. If it throws, `onGap` is called. */
  readonly onChange: (payload: string) => void;
  /** Changes may have been missed: all cached values must be read again. */
  readonly onGap: () => void;
}

/** Runs a statement with parameters: a pool, a client, or an adapted transaction. */
export interface StatementRunner {
  query(sql: string, values: readonly unknown[]): Promise<unknown>;
}

/** Messages between the replicas of a service, outside of any transaction. One that does not arrive is lost. */
export interface ReplicaMessages {
  /** Sends a text to all replicas, this one included. */
  tell(text: string): Promise<void>;
  /** Calls the listener with every text. */
  hear(listener: (text: string) => void): void;
}

const reconnectDelayMs = 250;
/** Postgres' bound of a notification (its documentation, "NOTIFY"). */
const payloadBytesMax = 8_000;

/**
 * Notifies every replica of a service of changed rows, by Postgres' LISTEN and NOTIFY: a notification is delivered if, and only
 * if, its transaction commits. For configuration, which changes rarely. The same connection carries messages between replicas.
 */
export class ChangeFeed implements ReplicaMessages {
  readonly #database: OpenDatabase;
  readonly #channel: string;
  /** A separate channel: replicas of earlier versions would take a message for a change. */
  readonly #messageChannel: string;
  readonly #log: Logger;
  readonly #listeners = new Set<ChangeListener>();
  readonly #hearers: ((text: string) => void)[] = [];
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(database: OpenDatabase, log: Logger) {
    this.#database = database;
    this.#channel = `${database.schema}_changes`;
    this.#messageChannel = `${database.schema}_messages`;
    this.#log = log;
  }

  /** Starts to listen. @throws when Postgres cannot be reached; after later losses it reconnects. */
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
    if (Buffer.byteLength(payload) >= payloadBytesMax)
      throw new RangeError(`A change's payload must have fewer than ${payloadBytesMax} bytes.`);
    await transaction.query("SELECT pg_notify($1, $2)", [this.#channel, payload]);
  }

  /** Notifies this process's listeners directly after the commit, ahead of Postgres' notification. */
  deliver(payload: string): void {
    for (const listener of this.#listeners) {
      try {
        listener.onChange(payload);
      } catch (err) {
        this.#log.error(
          { err },
          "An announced change could not be processed; the listener reads its whole state again.",
        );
        reportGap(listener);
      }
    }
  }

  async tell(text: string): Promise<void> {
    await this.#database.pool.query("SELECT pg_notify($1, $2)", [this.#messageChannel, text]);
  }

  hear(listener: (text: string) => void): void {
    this.#hearers.push(listener);
  }

  #pass(text: string): void {
    for (const hearer of this.#hearers) {
      try {
        hearer(text);
      } catch (err) {
        this.#log.warn({ err }, "A message of another replica could not be processed.");
      }
    }
  }

  async #listen(): Promise<void> {
    const client = await this.#database.connectAlone();
    try {
      const deliver = ({ channel, payload = "" }: pg.Notification) => {
        if (channel === this.#channel) this.deliver(payload);
        else this.#pass(payload);
      };
      client.on("notification", guarded(deliver, throwUncaught));
      await client.query(`LISTEN "${this.#channel}"; LISTEN "${this.#messageChannel}"`);
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

/**
 * Calls `onGap`. A listener that cannot drop its values would serve old ones: its error ends the process, after all others were
 * notified.
 */
function reportGap(listener: ChangeListener): void {
  try {
    listener.onGap();
  } catch (err) {
    throwUncaught(err);
  }
}
