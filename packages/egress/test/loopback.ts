import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TestCertificate } from "./certificate.ts";

/** A server on the loopback, with its received requests. */
export interface Loopback extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly IncomingMessage[];
}

/** Starts a server; over TLS when a certificate is given. Ends every connection when disposed of. */
export async function startLoopback(answer: RequestListener, certificate?: TestCertificate): Promise<Loopback> {
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (req, res) => {
    requests.push(req);
    answer(req, res);
  };
  const server: Server =
    certificate === undefined ? createHttpServer(listener) : createHttpsServer({ ...certificate }, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
