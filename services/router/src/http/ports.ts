import type { RequestListener } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type HttpServer, type HttpServerOptions, startHttpServer } from "@gatehouse/http";
import type { Part } from "@gatehouse/service";
import type { RouterConfig } from "../config.ts";
import { OperationsPortError } from "./check-ports.ts";
import type { OpenRequests } from "./open-requests.ts";

/** Time before its connection is cut off at which a call that outlasts the drain gets its answer, or a stream its last event. */
const lastWordsMs = 250;

interface ClientPortOptions {
  readonly listener: RequestListener;
  readonly server: HttpServerOptions;
  readonly stopping: RouterConfig["stopping"];
  readonly openRequests: OpenRequests;
  readonly onOpened: (port: number) => void;
}

/** The port that clients call. It is closed once balancers have seen that the router stops, and calls in flight have ended. */
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

  /** Whether it takes requests, and goes on doing so. */
  get isOpen(): boolean {
    return this.#server !== undefined && !this.#isStopping;
  }

  async start(): Promise<void> {
    this.#server = await startHttpServer(this.#options.listener, this.#options.server);
    this.#options.onOpened(this.#server.port);
  }

  async stop(): Promise<void> {
    const { stopping, openRequests } = this.#options;
    const { noticeMs, drainMs } = stopping;
    this.#isStopping = true;
    // On a new connection a client's next request may find another router; on its own it would find the port closed.
    this.#server?.announceStop();
    if (noticeMs > 0) await delay(noticeMs);
    const lastWords = setTimeout(() => openRequests.endAll(), Math.max(0, drainMs - lastWordsMs));
    // A client that has not used its connection since the notice may be about to.
    await this.#server?.stop(drainMs, noticeMs);
    clearTimeout(lastWords);
  }
}

/** The port of `/readyz` and `/metrics`, open before anything else is: it says why the router is not ready. */
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

  /** @throws OperationsPortError that names the setting. */
  async start(): Promise<void> {
    const { operations, http } = this.#config;
    try {
      this.#server = await startHttpServer(this.#health, { ...operations, bounds: http });
    } catch (cause) {
      throw OperationsPortError.of(operations.port, cause);
    }
  }

  async stop(): Promise<void> {
    await this.#server?.stop(0);
  }
}
