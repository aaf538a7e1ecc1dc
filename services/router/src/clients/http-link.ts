import type { EarlierProcess, PeerConnection, ProbeResult } from "@gatehouse/peers";
import type { Dispatcher, Pool } from "undici";
import { ProcessConnections } from "./process-connections.ts";

/** The way to the processes that listen at one address of a service, one after the other. */
export interface ServiceLink extends PeerConnection {
  readonly origin: string;
  readonly dispatcher: Pick<Dispatcher, "dispatch">;
  /** Counts a call that is sent to the origin by other means until the function that it returns is called. @param end ends the call */
  hold(end: (cause: Error) => void): () => void;
}

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
 * An address that is reached by HTTP. A process that stops closes its port and goes on answering what it holds, while its successor may
 * listen there already: connections that are opened from then on are kept apart, so that each process can be asked on connections to it
 * whether it goes on. A boundary drawn where there is none costs new connections.
 */
export class HttpLink implements ServiceLink {
  readonly origin: string;
  readonly dispatcher: Pick<Dispatcher, "dispatch">;
  readonly #options: HttpLinkOptions;
  readonly #earlier = new Set<ProcessConnections>();
  #current: ProcessConnections;
  /**
   * Whether the current connections were opened after their process had said that it closes its port: the last requests that it accepts,
   * until a probe tells who listens there.
   */
  #isBetween = false;

  constructor(options: HttpLinkOptions) {
    this.origin = options.origin;
    this.#options = options;
    this.#current = this.#open();
    this.dispatcher = { dispatch: (request, handler) => this.#current.dispatch(request, handler) };
  }

  hold(end: (cause: Error) => void): () => void {
    return this.#current.hold(end);
  }

  async probe(signal: AbortSignal): Promise<ProbeResult> {
    const state = await this.#probe(signal);
    if (state === "stopping") this.#current.stop();
    // A stopping process never resumes, so another answer comes from its successor.
    else if (this.#current.isStopping) this.#turnTo(this.#open());
    return state;
  }

  earlier(): readonly EarlierProcess[] {
    for (const process of this.#earlier) {
      if (process.isOpen) continue;
      this.#earlier.delete(process);
      process.close();
    }
    return [...this.#earlier];
  }

  abandon(): void {
    const process = this.#current;
    this.#turnTo(this.#open());
    if (process.isStopping) this.#current.stop();
    process.abandon();
  }

  close(): void {
    for (const process of [this.#current, ...this.#earlier]) process.close();
    void this.#options.probes.close();
  }

  async #probe(signal: AbortSignal): Promise<ProbeResult> {
    try {
      return await probe(this.#options.probes, signal);
    } catch (err) {
      // A late answer says nothing; where nothing listens, the next one to do so is another process.
      if (!signal.aborted && this.#current.wasUsed) this.#turnTo(this.#open());
      throw err;
    }
  }

  #open(): ProcessConnections {
    const { isCarrying, openPool, probes: upgrades } = this.#options;
    const opened: ProcessConnections = new ProcessConnections({
      isCarrying,
      openPool,
      upgrades,
      onDrain: () => this.#leave(opened),
    });
    return opened;
  }

  #leave(process: ProcessConnections): void {
    if (process !== this.#current || this.#isBetween) return;
    this.#turnTo(this.#open());
    this.#current.stop();
    this.#isBetween = true;
  }

  #turnTo(next: ProcessConnections): void {
    this.#earlier.add(this.#current);
    this.#current.retire();
    this.#current = next;
    this.#isBetween = false;
  }
}

/** Any answer but that of a starting process says that it takes requests; its `/healthz` says when it is about to stop. */
async function probe(pool: Dispatcher, signal: AbortSignal): Promise<ProbeResult> {
  const { body } = await pool.request({ path: "/healthz", method: "GET", signal });
  const text = await body.text();
  // Requests wait here, where they can go to another process, rather than there.
  if (text.includes('"starting":true')) throw new Error("The process is starting.");
  return text.includes('"stopping":true') ? "stopping" : "serving";
}
