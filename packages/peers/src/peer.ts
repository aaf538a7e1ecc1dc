import type { PeerAddress } from "./address.ts";
import { peerBounds } from "./bounds.ts";

/** Outcome of a call to a peer: any answer, no contact, no answer in time, or an end that says nothing of the peer. */
export type CallOutcome = "answered" | "unreachable" | "late" | "unknown";

/** Answer of a peer's probe: it takes calls, or it takes them only where there is no other. */
export type ProbeResult = "serving" | "stopping";

/**
 * A process that takes no new connection and may have calls in flight: probes are refused, or reach its successor. One that drains
 * answers on its open connections, and a frozen one does not.
 */
export interface EarlierProcess {
  /** Asks the process on an open connection. Rejects when the signal fires. @returns whether it answered; false where it cannot be asked */
  ask(signal: AbortSignal): Promise<boolean>;
  /** Ends its calls in flight. */
  abandon(): void;
}

/** The way to one peer. */
export interface PeerConnection {
  /** Asks the peer for its state. Rejects when it cannot be reached, or when the signal fires. */
  probe(signal: AbortSignal): Promise<ProbeResult>;
  /** Ends the calls in flight of the process that probes reach, which is taken for gone. Absent where each call has a short bound. */
  abandon?(): void;
  /** Processes that listened at the address before, while their connections are open. Absent likewise. */
  earlier?(): readonly EarlierProcess[];
  close(): void;
}

/** One process of a service, as its callers know it. Times are milliseconds of one monotonic clock. */
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

  /** Calls that have begun and not ended. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether it has answered too late so often that it gets no call but a trial now and then. */
  get isResting(): boolean {
    return this.#lateInRow >= peerBounds.lateInRowMax;
  }

  /** Whether it has calls enough for a peer that may be frozen. */
  get isFull(): boolean {
    return this.#isSilent && this.#inFlight >= peerBounds.silentInFlightMax;
  }

  canTake(nowMs: number): boolean {
    if (this.isFull) return false;
    return this.#state !== "away" && (!this.isResting || nowMs >= this.#restUntilMs);
  }

  /** Calls in flight against the peer's share: a peer that has just returned seems busier than it is. */
  load(nowMs: number): number {
    const returned = (nowMs - this.#returnedAtMs) / peerBounds.returnMs;
    return (this.#inFlight + 1) / Math.min(1, Math.max(peerBounds.returnShareMin, returned));
  }

  begin(nowMs: number): void {
    this.#inFlight += 1;
    // This call is the trial; the others wait for how it ends.
    if (this.isResting) this.#restUntilMs = nowMs + this.#restMs;
  }

  end(outcome: CallOutcome, nowMs: number): void {
    this.#inFlight -= 1;
    this.record(outcome, nowMs);
  }

  /** Takes the outcome of a probe, or of a call that was not counted. */
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

  /** Takes what the peer has said of itself. */
  found(state: ProbeResult, nowMs: number): void {
    if (this.#state === "away" && this.#hasServed) this.#returnedAtMs = nowMs;
    this.#hasServed = true;
    this.#state = state;
    this.record("answered", nowMs);
  }

  /** A probe of it has been without an answer for a while; the next answer of any kind ends that. */
  fallSilent(): void {
    this.#isSilent = true;
  }

  /** Takes note that the peer is about to stop, as it has said beside an answer. */
  announceStop(): void {
    if (this.#state === "serving") this.#state = "stopping";
  }
}
