import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { buildConnector, Dispatcher } from "undici";

/** A connection whose server the test plays. */
export class PlayedConnection extends Duplex {
  sent = "";

  override _read(): void {}

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.sent += chunk.toString("latin1");
    done();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** A connector that opens this connection. */
  get connector(): buildConnector.connector {
    return (_target, callback) => void setImmediate(() => callback(null, this as unknown as Socket));
  }
}

export interface Outcome {
  readonly status: number | undefined;
  readonly headers: unknown;
  readonly body: string;
  readonly trailers: unknown;
  /** `open` where the reply is not over and the connection is. */
  readonly end: "complete" | "failed" | "open";
  readonly cause: unknown;
  /** Whether the connection is open at the end. */
  readonly isKept: boolean;
}

/** Plays a reply in pieces to a client's request, and says what its handler saw. */
export async function playReply(
  dispatcher: Pick<Dispatcher, "dispatch">,
  connection: PlayedConnection,
  pieces: readonly Buffer[],
  isClosed: boolean,
): Promise<Outcome> {
  const seen = { status: undefined as number | undefined, headers: {} as unknown, body: "", trailers: {} as unknown };
  let end: Outcome["end"] = "open";
  let cause: unknown;
  dispatcher.dispatch(
    { origin: "http://played.test", path: "/", method: "POST", body: "{}", headersTimeout: 0, bodyTimeout: 0 },
    {
      onRequestStart() {},
      onResponseStart(_controller, status, headers) {
        if (status < 200) return;
        seen.status = status;
        seen.headers = headers;
      },
      onResponseData: (_controller, bytes) => void (seen.body += bytes.toString("latin1")),
      onResponseEnd(_controller, trailers) {
        end = "complete";
        seen.trailers = trailers;
      },
      onResponseError(_controller, err) {
        end = "failed";
        cause = err;
      },
    },
  );
  while (connection.sent === "") await nextTurn();
  for (const piece of pieces) {
    // A copy, since a client may decode in place.
    if (!connection.destroyed) connection.push(Buffer.from(piece));
    await nextTurn();
  }
  if (isClosed && !connection.destroyed) connection.push(null);
  for (let turns = 0; turns < 8; turns += 1) await nextTurn();
  return { ...seen, end, cause, isKept: !connection.destroyed };
}
