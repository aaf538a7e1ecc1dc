import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { announceEnd } from "./in-turn.ts";

/** Once the server is about to stop, adds `Connection: close` to replies whose head is unsent. */
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
