import { CarryingDispatcher } from "@gatehouse/http";
import type { PeerConnection, ProbeResult } from "@gatehouse/peers";
import type { Dispatcher, Pool } from "undici";

/** The connections to one process of a service. */
export interface ServiceLink extends PeerConnection {
  readonly origin: string;
  readonly dispatcher: Pick<Dispatcher, "dispatch">;
}

/** Code of the error of a call that was ended because its process is taken for gone. */
export const abandonedCode = "PEER_ABANDONED";

interface HttpLinkOptions {
  readonly origin: string;
  /** Whether small requests share a connection, where the process knows how. */
  readonly isCarrying: boolean;
  /** Opens the connections of calls. */
  readonly openPool: () => Pool;
  /** Probes have connections for themselves, since calls may take all of the others. */
  readonly probes: Pool;
}

/**
 * A process that is reached by HTTP. One that is about to stop gets each request on a fresh connection: it closes idle ones, and a
 * request that is on its way then is lost without a sign of whether it was read.
 */
export class HttpLink implements ServiceLink {
  readonly origin: string;
  readonly dispatcher: CarryingDispatcher;
  readonly #options: HttpLinkOptions;
  #pool: Pool;
  /** Earlier pools, which take no request and have some under way. */
  readonly #closing = new Set<Pool>();
  #isStopping = false;

  constructor(options: HttpLinkOptions) {
    const { origin, isCarrying, openPool, probes } = options;
    this.origin = origin;
    this.#options = options;
    this.#pool = openPool();
    const pool: Pick<Dispatcher, "dispatch"> = {
      dispatch: (request, handler) =>
        this.#pool.dispatch(this.#isStopping ? { ...request, reset: true } : request, handler),
    };
    const isPoolBusy = () => [this.#pool, ...this.#closing].some(({ stats }) => stats.running > 0);
    this.dispatcher = new CarryingDispatcher({ pool: () => pool, upgrades: probes, isCarrying, isPoolBusy });
  }

  async probe(signal: AbortSignal): Promise<ProbeResult> {
    const state = await probe(this.#options.probes, signal);
    const isStopping = state === "stopping";
    if (isStopping && !this.#isStopping) this.#renewPool();
    this.#isStopping = isStopping;
    return state;
  }

  async ask(signal: AbortSignal): Promise<boolean> {
    return await this.dispatcher.ask(signal);
  }

  abandon(): void {
    this.dispatcher.abandon(abandoned());
    this.#renewPool();
    for (const pool of this.#closing) void pool.destroy(abandoned());
  }

  close(): void {
    this.dispatcher.close();
    void this.#pool.close();
    void this.#options.probes.close();
  }

  #renewPool(): void {
    const pool = this.#pool;
    this.#pool = this.#options.openPool();
    this.#closing.add(pool);
    void pool.close().finally(() => this.#closing.delete(pool));
  }
}

function abandoned(): Error {
  const cause = new Error("The process has answered no probe for too long.");
  return Object.assign(cause, { code: abandonedCode });
}

/** Any answer but that of a starting process says that it takes requests; its `/healthz` says when it is about to stop. */
async function probe(pool: Dispatcher, signal: AbortSignal): Promise<ProbeResult> {
  const { body } = await pool.request({ path: "/healthz", method: "GET", signal });
  const text = await body.text();
  // Requests wait here, where they can go to another process, rather than there.
  if (text.includes('"starting":true')) throw new Error("The process is starting.");
  return text.includes('"stopping":true') ? "stopping" : "serving";
}
