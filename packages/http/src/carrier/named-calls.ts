import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayError } from "@gatehouse/errors";
import { recordReplyEnd } from "../reply-end.ts";

/**
 * Header with the name of a call on a separate connection, unique and not to be guessed. With it, the caller can end the call by a
 * frame on the shared connection, which carries an error.
 */
export const callNameHeader = "x-gatehouse-call";

/** The named calls that a server answers. */
export class NamedCalls {
  readonly #open = new Map<string, ServerResponse>();

  add(req: IncomingMessage, res: ServerResponse): void {
    const name = req.headers[callNameHeader];
    if (typeof name !== "string") return;
    this.#open.set(name, res);
    res.once("close", () => this.#open.delete(name));
  }

  /** Ends a call, if it is open. @param err sent to the client instead of the reply; absent where the client has left */
  end(name: string, err: GatewayError | undefined): void {
    const res = this.#open.get(name);
    if (res !== undefined && err !== undefined) recordReplyEnd(res, err);
    res?.destroy();
  }
}
