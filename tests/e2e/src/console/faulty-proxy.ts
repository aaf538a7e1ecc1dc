import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** Proxy between browser and gateway that delays requests or cuts connections. */
export class FaultyProxy {
  /** Delay of each call of the Control Plane, milliseconds. */
  delayMs = 0;
  /** Cuts connections without an answer. */
  isDown = false;
  readonly #target: URL;
  readonly #server: Server;

  private constructor(target: URL, server: Server) {
    this.#target = target;
    this.#server = server;
  }

  static async start(target: string): Promise<FaultyProxy> {
    const server = createServer();
    const proxy = new FaultyProxy(new URL(target), server);
    server.on("request", (req, res) => void proxy.#pass(req, res));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method, headers, url = "/" } = req;
    if (url.startsWith("/control/mcp")) await delay(this.delayMs);
    if (this.isDown) {
      req.socket.destroy();
      return;
    }
    const { hostname, port } = this.#target;
    const onward = request({ hostname, port, method, path: url, headers }, (reply) => {
      res.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(res);
    });
    onward.on("error", () => req.socket.destroy());
    req.pipe(onward);
  }
}
