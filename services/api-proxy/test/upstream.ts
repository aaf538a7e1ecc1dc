import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A local server with answers set by the test. */
export interface Upstream {
  readonly url: string;
  readonly server: Server;
  /** Every request whose head has arrived, in order. */
  readonly requests: IncomingMessage[];
  /** Sets the answers from now on. */
  answer(listener: RequestListener): void;
  close(): Promise<void>;
}

export async function startUpstream(first: RequestListener = sayOk): Promise<Upstream> {
  let listener = first;
  const requests: IncomingMessage[] = [];
  const server = createServer((req, res) => {
    requests.push(req);
    listener(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    requests,
    answer: (next) => (listener = next),
    close: async () =>
      await new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Reads the whole body, and answers with the request's method, target, headers and body. */
export function echo(req: IncomingMessage, res: ServerResponse): void {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => {
    const { method, url, headers } = req;
    const body = Buffer.concat(chunks).toString("latin1");
    res.setHeader("content-type", "application/json").end(JSON.stringify({ method, url, headers, body }));
  });
}

export interface Echoed {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function sayOk(req: IncomingMessage, res: ServerResponse): void {
  req.resume().on("end", () => res.end("ok"));
}
