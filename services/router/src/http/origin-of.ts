import type { IncomingMessage } from "node:http";
import type { Origin } from "../domain/client.ts";

/** Facts of a request about its sender's address; see `createClientOf`. */
export function originOf({ socket, headers }: IncomingMessage): Origin {
  return {
    peerAddress: socket.remoteAddress,
    forwardedFor: headers["x-forwarded-for"],
    forwardedProto: headers["x-forwarded-proto"],
  };
}
