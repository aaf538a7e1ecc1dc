import pg from "pg";
import { type Attempt, ConnectionAttempts } from "./connection-attempts.ts";
import { OpenConnections } from "./open-connections.ts";

/** Callback of `connect`, as pg's types have it. */
type OnConnected = Exclude<Parameters<pg.Client["connect"]>[0], undefined>;

/**
 * Options of a pool whose attempts to connect are spaced while its server is away. A call without a free connection meanwhile gets
 * the error of the last attempt at once.
 * @param prepare prepares a new session; its failure is one of the attempt
 * @param explain converts the failure of an attempt for its calls
 * @param connections gets each connection of the pool
 */
export function spaceAttempts(
  prepare: (client: pg.ClientBase) => Promise<void>,
  explain: (err: Error) => Error = (err) => err,
  connections: OpenConnections = new OpenConnections(),
): Required<Pick<pg.PoolConfig, "Client" | "onConnect">> {
  const attempts = new ConnectionAttempts();
  const underWay = new WeakMap<pg.ClientBase, Attempt>();

  class SpacedClient extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: OnConnected): void;
    override connect(callback?: OnConnected): Promise<pg.Client> | undefined {
      // A pool gives a callback.
      if (callback === undefined) return super.connect();
      const report = callback as (err: Error | null) => void;
      const attempt = attempts.begin();
      if (attempt instanceof Error) {
        // Not at once, since the pool then begins with the next waiting call.
        process.nextTick(report, attempt);
        return undefined;
      }
      try {
        connections.add(this);
      } catch (err) {
        process.nextTick(report, err);
        return undefined;
      }
      underWay.set(this, attempt);
      super.connect((err: Error | null) => {
        if (!(err instanceof Error)) return report(err);
        const explained = explain(err);
        attempts.failed(attempt, explained);
        report(explained);
      });
      return undefined;
    }
  }

  async function onConnect(client: pg.ClientBase): Promise<void> {
    try {
      await prepare(client);
      attempts.succeeded();
    } catch (cause) {
      const err = cause instanceof Error ? explain(cause) : cause;
      const attempt = underWay.get(client);
      if (attempt !== undefined && err instanceof Error) attempts.failed(attempt, err);
      // The pool ends the connection and waits for its end, which a server that has stopped would never answer.
      if (client instanceof pg.Client) client.connection.stream.destroy();
      throw err;
    }
  }

  // The pool awaits the promise before it lends the connection, contrary to its types.
  return { Client: SpacedClient, onConnect: (client): unknown => onConnect(client) };
}
