import { startHttpServer } from "../src/index.ts";

/** A program that serves the socket which its parent passes as descriptor 3, like systemd. */
const [host = "", text = ""] = process.argv.slice(2);
const heldFd = 3;
await startHttpServer((_req, res) => void res.end(text), { host, port: 0, shared: { socket: { fd: heldFd } } });
