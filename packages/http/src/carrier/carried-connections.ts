import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { carrierProtocol } from "./bounds.ts";
import { CarriedConnection } from "./carried-connection.ts";
import { NamedCalls } from "./named-calls.ts";

/** Whether a request asks to switch its connection to the carrier protocol (docs/adr/0032). */
export function asksToCarry({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === carrierProtocol;
}

const accepted = `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${carrierProtocol}\r\n\r\n`;

/** A server's connections that were switched to carry many calls each; `take` accepts the switch of one. */
export class CarriedConnections {
  readonly #named = new NamedCalls();
  readonly #listener: RequestListener;
  readonly #open = new Set<CarriedConnection>();
  #isDraining = false;

  constructor(listener: RequestListener) {
    this.#listener = listener;
  }

  /** Passes a request on a separate connection to the listener; it can be ended by its name on these connections. */
  serve(req: IncomingMessage, res: ServerResponse): void {
    this.#named.add(req, res);
    this.#listener(req, res);
  }

  take(socket: Socket, head: Buffer): void {
    socket.write(accepted);
    if (head.length > 0) socket.unshift(head);
    const connection = new CarriedConnection(socket, this.#listener, this.#named);
    this.#open.add(connection);
    socket.once("close", () => this.#open.delete(connection));
    if (this.#isDraining) connection.drain();
  }

  /** Asks all callers to carry no further call; each closes its connection once its calls are answered. */
  drain(): void {
    this.#isDraining = true;
    for (const connection of this.#open) connection.drain();
  }
}
