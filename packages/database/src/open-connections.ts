import { guarded, throwUncaught } from "@gatehouse/async";
import type pg from "pg";

/** The process is ending, and the server has not answered. */
class GivenUpError extends Error {
  override readonly name = "GivenUpError";
  /** "cannot_connect_now": counts as unavailable, so that work is kept for the next process. */
  readonly code = "57P03";

  constructor() {
    super("The database does not answer, and the process is stopping.");
  }
}

/** Open connections of one database. A process that ends gives them up at once where the server is silent. */
export class OpenConnections {
  readonly #clients = new Set<pg.Client>();
  #isGivenUp = false;

  /** @throws GivenUpError once the connections were given up */
  add(client: pg.Client): void {
    if (this.#isGivenUp) throw new GivenUpError();
    this.#clients.add(client);
    client.once(
      "end",
      guarded(() => this.#clients.delete(client), throwUncaught),
    );
  }

  /** Closes all without waiting for the server: their statements fail, and so do later attempts to connect. */
  giveUp(): void {
    this.#isGivenUp = true;
    for (const client of this.#clients) client.connection.stream.destroy();
  }
}
