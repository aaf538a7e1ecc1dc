import { startHttpServer } from "../src/index.ts";

/** A program that answers at the socket which its parent has given it as descriptor 3, as systemd does. */
const [host = "", text = ""] = process.argv.slice(2);
const heldFd = 3;
await startHttpServer((_req, res) => void res.end(text), { host, port: 0, shared: { socket: { fd: heldFd } } });
