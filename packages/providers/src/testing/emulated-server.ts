import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request. A reply left open stays open until the server is closed. */
export type Answer = (res: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

export interface EmulatedServer {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Resolves when the client closes the connection of the next request to end. */
  readonly hungUp: Promise<void>;
  readonly connections: () => number;
  close(): Promise<void>;
}

/** A provider on loopback: each request gets the next answer; the last one repeats. */
export async function startEmulatedServer(...answers: readonly Answer[]): Promise<EmulatedServer> {
  const requests: ReceivedRequest[] = [];
  const hungUp = Promise.withResolvers<void>();
  let connections = 0;
  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    const request = await readRequest(req);
    requests.push(request);
    await answers[Math.min(requests.length, answers.length) - 1]?.(res, request);
  };
  const server = createServer((req, res) => {
    res.on("close", () => {
      if (!res.writableFinished) hungUp.resolve();
    });
    void serve(req, res);
  });
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    hungUp: hungUp.promise,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** An answer in one piece. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string | string[]>> = {}): Answer {
  return (res) => {
    res.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };
}

/** A stream of pieces, one write each, that ends unless `end` is false. */
export function eventStream(pieces: readonly (string | Buffer)[], { end = true } = {}): Answer {
  return async (res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.flushHeaders();
    for (const piece of pieces) {
      res.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (end) res.end();
  };
}

export function after(ms: number, answer: Answer): Answer {
  return async (res, request) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    await answer(res, request);
  };
}

async function readRequest(req: IncomingMessage): Promise<ReceivedRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer);
  const { method = "", url = "", headers } = req;
  return { method, path: url, headers, body: Buffer.concat(pieces).toString("utf8") };
}
