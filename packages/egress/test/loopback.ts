import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import type { OpenSocket } from "../src/open-connection.ts";
import type { TestCertificate } from "./certificate.ts";

/** A server on the loopback, and what it was asked. */
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

/** Stands for the network: every connection reaches the loopback port that the asked one is mapped to. */
export interface FakeNetwork {
  readonly openSocket: OpenSocket;
  /** Every address that a connection was opened to. */
  readonly dialled: readonly string[];
}

/** @param portOf The loopback port that stands for a port of the network. */
export function createFakeNetwork(portOf: (port: number) => number): FakeNetwork {
  const dialled: string[] = [];
  return {
    dialled,
    openSocket: ({ addresses, port }) => {
      dialled.push(...addresses);
      const socket = connect(portOf(port), "127.0.0.1");
      return Object.defineProperty(socket, "remoteAddress", { value: addresses[0], configurable: true });
    },
  };
}
