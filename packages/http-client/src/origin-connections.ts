import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import { Connection, lost, type ConnectionBounds, type ConnectionOwner } from "./connection.ts";
import type { CallPlace, HttpCall } from "./http-call.ts";

export interface OriginOptions extends ConnectionBounds {
  /** Opens a connection, within its bound of time, to the addresses that it permits. */
  readonly connect: buildConnector.connector;
  /** Open connections to one origin; further calls wait until one is free. */
  readonly connectionsMax: number;
}

/**
 * Connections to one origin (scheme, host and port), and the calls that wait for one. A call takes the connection that was used
 * last, so that the others may end. A waiting call takes the first that is opened or becomes free.
 */
export class OriginConnections implements CallPlace, ConnectionOwner {
  readonly #target: buildConnector.Options;
  readonly #options: OriginOptions;
  /** Called when nothing is open or waiting. */
  readonly #onEmpty: () => void;
  readonly #open = new Set<Connection>();
  readonly #waiting = new Set<HttpCall>();
  #idle: Connection[] = [];
  /** Connections whose reply ended in this turn of the event loop, and in the turn before. */
  #resting: Connection[] = [];
  #rested: Connection[] = [];
  #isLooking = false;
  #connectingCount = 0;
  #isOpening = false;
  #isClosed = false;

  constructor(origin: URL, options: OriginOptions, onEmpty: () => void) {
    const { protocol, hostname, host, port } = origin;
    this.#target = { protocol, hostname: hostname.replace(/^\[(.*)\]$/, "$1"), host, port };
    this.#options = options;
    this.#onEmpty = onEmpty;
  }

  send(call: HttpCall): void {
    const free = this.#waiting.size === 0 ? this.#takeFresh() : undefined;
    if (free !== undefined) return call.begin(free) ? free.start(call) : this.#keep(free);
    // First of all, since an origin without a waiting call and a connection is forgotten.
    this.#waiting.add(call);
    const connection = this.#takeIdle();
    if (connection !== undefined) return this.#serve(connection);
    // An expired connection that was closed has made room for one that carries the call already, where its connector is synchronous.
    if (!this.#waiting.has(call)) return undefined;
    call.queue(this);
    return this.#openIfNeeded();
  }

  drop(call: HttpCall): void {
    this.#waiting.delete(call);
    this.#reportEmpty();
  }

  pause(): void {}
  resume(): void {}

  /**
   * The connection rests until the loop has read the sockets once more: a server that closes it with its reply says so in the
   * next bytes, and the next request would be lost.
   */
  onFree(connection: Connection): void {
    this.#resting.push(connection);
    if (this.#isLooking) return;
    this.#isLooking = true;
    setImmediate(this.#look);
  }

  onClosed(connection: Connection): void {
    this.#open.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    this.#openIfNeeded();
    this.#reportEmpty();
  }

  /** Closes each connection once it is without a call; waiting calls are still sent. */
  close(): void {
    this.#isClosed = true;
    for (const connection of [...this.#idle, ...this.#resting, ...this.#rested]) connection.close();
    this.#reportEmpty();
  }

  /** Ends all calls. */
  destroy(cause: Error): void {
    this.#isClosed = true;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const call of waiting) call.fail(cause);
    for (const connection of this.#open) connection.destroy(cause);
    this.#reportEmpty();
  }

  readonly #look = (): void => {
    const free = this.#rested;
    this.#rested = this.#resting;
    this.#resting = [];
    this.#isLooking = this.#rested.length > 0;
    if (this.#isLooking) setImmediate(this.#look);
    for (const connection of free) if (connection.isFresh) this.#serve(connection);
  };

  /**
   * The idle connection that was used last, unless it is over. Most calls find one and never wait: the tables that a `Set` abandons
   * would outlive them (see `ArraySet`).
   */
  #takeFresh(): Connection | undefined {
    return this.#idle.at(-1)?.isFresh === true ? this.#idle.pop() : undefined;
  }

  #takeIdle(): Connection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isFresh) return connection;
      connection.close();
    }
    return undefined;
  }

  /** Gives a free connection to the first call that still waits. */
  #serve(connection: Connection): void {
    for (const call of this.#waiting) {
      this.#waiting.delete(call);
      if (call.begin(connection)) return connection.start(call);
    }
    return this.#keep(connection);
  }

  #keep(connection: Connection): void {
    if (this.#isClosed) return connection.close();
    connection.idle();
    return void this.#idle.push(connection);
  }

  #openIfNeeded(): void {
    // Where attempts fail at once, the loop goes on, rather than the calls of functions nest.
    if (this.#isOpening) return;
    this.#isOpening = true;
    const { connectionsMax } = this.#options;
    while (this.#connectingCount < this.#waiting.size && this.#open.size + this.#connectingCount < connectionsMax) {
      this.#connect();
    }
    this.#isOpening = false;
  }

  #connect(): void {
    let isSettled = false;
    const settle = (cause: unknown, socket: Socket | undefined) => {
      if (isSettled) return void socket?.destroy();
      isSettled = true;
      this.#connectingCount -= 1;
      return socket === undefined ? this.#failFirst(cause) : this.#take(socket);
    };
    this.#connectingCount += 1;
    try {
      this.#options.connect(this.#target, (...[err, socket]) => settle(err, socket ?? undefined));
    } catch (cause) {
      settle(cause, undefined);
    }
  }

  #take(socket: Socket): void {
    // It may have ended before its connector passed it on, and reports nothing more then.
    if (socket.destroyed) return this.#failFirst(socket.errored ?? lost());
    const connection = new Connection(socket, this, this.#options);
    this.#open.add(connection);
    return this.#serve(connection);
  }

  /** Each failed attempt to connect fails one call, as each call began one. */
  #failFirst(cause: unknown): void {
    for (const call of this.#waiting) {
      this.#waiting.delete(call);
      call.fail(cause);
      break;
    }
    this.#openIfNeeded();
    this.#reportEmpty();
  }

  #reportEmpty(): void {
    if (this.#open.size > 0 || this.#waiting.size > 0) return;
    if (this.#connectingCount === 0 || this.#isClosed) this.#onEmpty();
  }
}
