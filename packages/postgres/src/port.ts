import { createServer } from "node:net";

const LOOPBACK = "127.0.0.1";

/** A port that is free on the loopback address now: `preferred` if it is, else one the system picks. */
export async function findFreePort(preferred?: number): Promise<number> {
  return (preferred === undefined ? undefined : await tryListen(preferred)) ?? (await listenOnce(0));
}

/** The port if it can be bound now, else `undefined`. */
async function tryListen(port: number): Promise<number | undefined> {
  return listenOnce(port).catch(() => undefined);
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}
