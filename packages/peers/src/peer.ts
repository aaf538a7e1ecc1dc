import type { PeerAddress } from "./address.ts";
import { peerBounds } from "./bounds.ts";

/** Outcome of a call to a peer: any answer, no connection, no answer in time, or unknown. */
export type CallOutcome = "answered" | "unreachable" | "late" | "unknown";

/** Answer to a probe: the peer takes calls, or only where no other peer does. */
export type ProbeResult = "serving" | "stopping";

/**
 * A process that accepts no new connection and may have calls in flight: probes are refused, or reach its successor. A draining
 * process answers on its open connections, a frozen one does not.
 */
export interface EarlierProcess {
  /**
   * Queries the process on an open connection. Rejects when the signal fires. @returns whether it answered; false where it cannot
   * be queried
   */
  ask(signal: AbortSignal): Promise<boolean>;
  abandon(): void;
}

/** Connection to one peer, implemented for HTTP by the router and for gRPC by `packages/rpc`. */
export interface PeerConnection {
  /** Asks the peer for its state. Rejects when it is unreachable, or when the signal fires. */
  probe(signal: AbortSignal): Promise<ProbeResult>;
  /** Ends the calls in flight of the probed process, which is considered gone. Absent where each call has a short bound. */
  abandon?(): void;
  /** Processes that listened at the address before, while their connections are open. Absent where each call has a short bound. */
  earlier?(): readonly EarlierProcess[];
  close(): void;
}

/** One process of a service, as seen by its callers. Times are milliseconds of one monotonic clock. */
export class Peer<Connection extends PeerConnection = PeerConnection> {
  readonly address: PeerAddress;
  readonly connection: Connection;
  #state: ProbeResult | "away" = "away";
  #inFlight = 0;
  #lateInRow = 0;
  #restMs: number = peerBounds.restMs;
  #restUntilMs = 0;
  #returnedAtMs = Number.NEGATIVE_INFINITY;
  #hasServed = false;
  #isSilent = false;

  constructor(address: PeerAddress, connection: Connection) {
    this.address = address;
    this.connection = connection;
  }

  get state(): ProbeResult | "away" {
    return this.#state;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether it was late so often that it only gets occasional trial calls. */
  get isResting(): boolean {
    return this.#lateInRow >= peerBounds.lateInRowMax;
  }

  /** Whether it has as many calls as a possibly frozen peer may have. */
  get isFull(): boolean {
    return this.#isSilent && this.#inFlight >= peerBounds.silentInFlightMax;
  }

  canTake(nowMs: number): boolean {
    if (this.isFull) return false;
    return this.#state !== "away" && (!this.isResting || nowMs >= this.#restUntilMs);
  }

  /** Calls in flight relative to the peer's share: a returned peer appears busier than it is. */
  load(nowMs: number): number {
    const returned = (nowMs - this.#returnedAtMs) / peerBounds.returnMs;
    return (this.#inFlight + 1) / Math.min(1, Math.max(peerBounds.returnShareMin, returned));
  }

  begin(nowMs: number): void {
    this.#inFlight += 1;
    // This call is the trial; others wait for its result.
    if (this.isResting) this.#restUntilMs = nowMs + this.#restMs;
  }

  end(outcome: CallOutcome, nowMs: number): void {
    this.#inFlight -= 1;
    this.record(outcome, nowMs);
  }

  /** Records the outcome of a probe, or of an uncounted call. */
  record(outcome: CallOutcome, nowMs: number): void {
    switch (outcome) {
      case "answered":
        this.#isSilent = false;
        if (this.isResting) this.#returnedAtMs = nowMs;
        this.#lateInRow = 0;
        this.#restMs = peerBounds.restMs;
        return;
      case "late":
        if (this.isResting) this.#restMs = Math.min(2 * this.#restMs, peerBounds.restMsMax);
        this.#lateInRow += 1;
        this.#restUntilMs = nowMs + this.#restMs;
        return;
      case "unreachable":
        this.#state = "away";
        return;
      case "unknown":
    }
  }

  /** Records the peer's answer to a probe. */
  found(state: ProbeResult, nowMs: number): void {
    if (this.#state === "away" && this.#hasServed) this.#returnedAtMs = nowMs;
    this.#hasServed = true;
    this.#state = state;
    this.record("answered", nowMs);
  }

  /** Marks a peer whose probe is unanswered for a while; the next answer of any kind ends that. */
  fallSilent(): void {
    this.#isSilent = true;
  }

  /** Records that the peer has announced its stop beside an answer. */
  announceStop(): void {
    if (this.#state === "serving") this.#state = "stopping";
  }
}
