import type { RequestListener } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "@gatehouse/errors";
import { type HttpServer, type HttpServerOptions, startHttpServer } from "@gatehouse/http";
import { type Part, toPortError, UnusablePortError } from "@gatehouse/service";
import type { RouterConfig } from "../config.ts";
import { inheritedSocket } from "../domain/inherited-socket.ts";
import { toOperationsPortError } from "./check-ports.ts";
import type { OpenRequests } from "./open-requests.ts";

/** Time before the end of the drain at which remaining calls get an error, or their stream a last event. */
const lastWordsMs = 250;

interface ClientPortOptions {
  readonly listener: RequestListener;
  readonly server: HttpServerOptions;
  readonly stopping: RouterConfig["stopping"];
  readonly openRequests: OpenRequests;
  readonly onOpened: (port: number) => void;
}

/** Port of clients. Closed once balancers have seen the notice and calls in flight have ended. */
export class ClientPort implements Part {
  readonly name = "port";
  readonly #options: ClientPortOptions;
  #server: HttpServer | undefined;
  #isStopping = false;

  constructor(options: ClientPortOptions) {
    this.#options = options;
  }

  get server(): HttpServer | undefined {
    return this.#server;
  }

  /** Whether it accepts requests and is not stopping. */
  get isOpen(): boolean {
    return this.#server !== undefined && !this.#isStopping;
  }

  /** @throws UnusablePortError that names the setting, or the platform's error for a port that processes share */
  async start(): Promise<void> {
    const { listener, server } = this.#options;
    try {
      this.#server = await startHttpServer(listener, server);
    } catch (err) {
      if (server.shared?.socket === inheritedSocket) throw toInheritedPortError(err);
      if (server.shared !== undefined) throw err;
      throw toPortError({ purpose: "HTTP", port: server.port, settings: { host: "HOST", port: "PORT" } }, err);
    }
    this.#options.onOpened(this.#server.port);
  }

  async stop(): Promise<void> {
    const { stopping, openRequests } = this.#options;
    const { noticeMs, drainMs } = stopping;
    this.#isStopping = true;
    // Asks clients to reconnect: a new connection may reach another router.
    this.#server?.announceStop();
    if (noticeMs > 0) await delay(noticeMs);
    const lastWords = setTimeout(() => openRequests.endAll(), Math.max(0, drainMs - lastWordsMs));
    // A client that has been idle since the notice may be about to send.
    await this.#server?.stop(drainMs, noticeMs);
    clearTimeout(lastWords);
  }
}

function toInheritedPortError(cause: unknown): UnusablePortError {
  const { fd } = inheritedSocket;
  return new UnusablePortError(
    `LISTEN_FDS is 1, but file descriptor ${fd} is no listening socket (${codeOf(cause) ?? "unknown"}). Leave the setting to the process that holds the port, such as systemd with a socket unit.`,
    { cause },
  );
}

/** Port of `/readyz` and `/metrics`, opened first, so that it reports why the router is not ready. */
export class OperationsPort implements Part {
  readonly name = "operations port";
  readonly #config: RouterConfig;
  readonly #health: RequestListener;
  #server: HttpServer | undefined;

  constructor(config: RouterConfig, health: RequestListener) {
    this.#config = config;
    this.#health = health;
  }

  get port(): number {
    return this.#server?.port ?? 0;
  }

  /** @throws UnusablePortError that names the setting */
  async start(): Promise<void> {
    const { operations, http } = this.#config;
    try {
      this.#server = await startHttpServer(this.#health, { ...operations, bounds: http });
    } catch (cause) {
      throw toOperationsPortError(operations.port, cause);
    }
  }

  async stop(): Promise<void> {
    await this.#server?.stop(0);
  }
}
