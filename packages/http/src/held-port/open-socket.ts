import { createServer } from "node:net";
import process from "node:process";
import { waitingConnectionsMax } from "../server.ts";

/** Opens a port for its parent process: listens, sends the socket and ends. The socket stays open in the receiver. */
const [host = "", port = ""] = process.argv.slice(2);
const server = createServer();
server.once("error", (err: NodeJS.ErrnoException) => {
  process.send?.({ code: err.code ?? "unknown" }, () => process.exit(1));
});
server.listen({ host, port: Number(port), backlog: waitingConnectionsMax }, () => {
  // Node has no public name for the handle. A `Server` sent in its place would accept connections in the receiving process.
  const { _handle: socket } = server as { readonly _handle?: never };
  process.send?.({ address: server.address() }, socket, () => process.exit(0));
});
