import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { announceEnd } from "./in-turn.ts";

/** Has replies whose head is not written yet ask for another connection, once the server is about to stop. */
export class StopNotice {
  readonly #sockets: ReadonlySet<Socket>;
  #isAnnounced = false;

  constructor(sockets: ReadonlySet<Socket>) {
    this.#sockets = sockets;
  }

  announce(): void {
    this.#isAnnounced = true;
    for (const socket of this.#sockets) announceEnd(socket);
  }

  heed(res: ServerResponse): void {
    if (this.#isAnnounced) res.shouldKeepAlive = false;
  }
}
