import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { unlessAborted } from "@gatehouse/async";
import { type GatewayError, serviceUnavailable } from "@gatehouse/errors";
import { formatPeerAddress, type PeerAddress } from "./address.ts";
import { afterReading } from "./after-reading.ts";
import { peerBounds } from "./bounds.ts";
import { EarlierProcesses } from "./earlier-processes.ts";
import { pause } from "./pause.ts";
import { type CallOutcome, Peer, type PeerConnection } from "./peer.ts";
import { boundProbe } from "./probe-bound.ts";

/** Options of a {@link PeerSet}: the service's addresses, the connection to each, and the bounds of waiting for one. */
export interface PeerSetOptions<Connection extends PeerConnection> {
  readonly service: string;
  /** Names stand for all their addresses. */
  readonly addresses: readonly PeerAddress[];
  /** `name` is the unresolved host. */
  readonly open: (address: PeerAddress, name: string) => Connection;
  /** IP addresses of a name; the system's resolver when absent. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** Pause between two resolutions of the names; `peerBounds.resolveIntervalMs` when absent. */
  readonly resolveIntervalMs?: number;
  /** Whether calls are so short that a possibly frozen peer should get few of them. */
  readonly isShortBound?: boolean;
  /** Longest wait of a call for a peer, and longest outage that calls wait for; `peerBounds.waitMs` when absent. */
  readonly waitMs?: number;
  /** Consecutive probes that a peer may leave unanswered; `peerBounds.lateProbesMax` when absent. */
  readonly lateProbesMax?: number;
  /** Monotonic clock, milliseconds. */
  readonly now?: () => number;
  /** From 0 to below 1. */
  readonly random?: () => number;
}

interface Watched<Connection extends PeerConnection> {
  readonly peer: Peer<Connection>;
  readonly stopped: AbortController;
  /** Ends the pause before the next probe. */
  probeNow: () => void;
  /** Consecutive probes without an answer in time. */
  lateProbes: number;
}

/**
 * The processes of one service. Chooses the less busy of two random ones, leaves out unreachable and late ones, and follows
 * changes of the names' addresses. Started by its first use.
 */
export class PeerSet<Connection extends PeerConnection> {
  readonly #options: PeerSetOptions<Connection>;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #isShortBound: boolean;
  readonly #waitMs: number;
  readonly #lateProbesMax: number;
  readonly #earlier: EarlierProcesses;
  readonly #watched = new Map<string, Watched<Connection>>();
  /** Peers whose address is gone, with calls in flight. */
  readonly #leaving = new Set<Watched<Connection>>();
  /** Peers of `#watched` as one list, since every call needs it. */
  #peers: readonly Peer<Connection>[] = [];
  readonly #resolved = new Map<string, readonly string[]>();
  /** Waiting calls, in order of arrival. */
  readonly #waiting = new Set<() => void>();
  #release: NodeJS.Timeout | undefined;
  #refusedCount = 0;
  #resentCount = 0;
  /** Latest time at which a peer was available. */
  #ableAtMs = 0;
  #resolveTimer: NodeJS.Timeout | undefined;
  #isStarted = false;
  #isClosed = false;

  constructor(options: PeerSetOptions<Connection>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
    this.#isShortBound = options.isShortBound ?? false;
    this.#waitMs = options.waitMs ?? peerBounds.waitMs;
    this.#lateProbesMax = options.lateProbesMax ?? peerBounds.lateProbesMax;
    this.#earlier = new EarlierProcesses(this.#lateProbesMax);
  }

  get peers(): readonly Peer<Connection>[] {
    return this.#peers;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Calls refused because no peer was available. */
  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** Calls sent to a second peer after the first one may have worked on them. */
  get resentCount(): number {
    return this.#resentCount;
  }

  /** Longest wait of a call for a peer. */
  get waitMs(): number {
    return this.#waitMs;
  }

  /** Starts to resolve names and to watch peers. Idempotent. */
  start(): void {
    if (this.#isStarted || this.#isClosed) return;
    this.#isStarted = true;
    this.#ableAtMs = this.#now();
    this.#addNumeric();
    if (this.#options.addresses.some(({ host }) => isIP(host) === 0)) void this.#resolveAll();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#resolveTimer);
    clearTimeout(this.#release);
    for (const key of this.#watched.keys()) this.#remove(key);
    for (const watched of this.#leaving) this.#end(watched);
    for (const resolve of this.#waiting) resolve();
  }

  /** Peer for a call now, if any. */
  choose(): Peer<Connection> | undefined {
    this.start();
    const nowMs = this.#now();
    const able = this.peers.filter((peer) => peer.canTake(nowMs));
    if (able.length > 0) this.#ableAtMs = nowMs;
    const serving = able.filter(({ state }) => state === "serving");
    return this.#pick(serving.length > 0 ? serving : able, nowMs);
  }

  /**
   * Peer for a call, waiting for one if necessary. Calls wait during a young outage; later ones are refused at once.
   * @throws GatewayError `unavailable` when there has been none for `waitMs`, and at once when all reachable ones are late, or
   * too many calls wait; the signal's reason.
   */
  async acquire(waitMs: number = this.#waitMs, signal?: AbortSignal): Promise<Peer<Connection>> {
    const beganMs = this.#now();
    for (;;) {
      signal?.throwIfAborted();
      const peer = this.choose();
      if (peer !== undefined) return peer;
      const remainingMs = this.#waitUntilMs(beganMs, waitMs) - this.#now();
      if (remainingMs <= 0 || this.#isClosed || this.#waiting.size >= peerBounds.waitingMax) {
        this.#refusedCount += 1;
        throw unavailable(this.#options.service);
      }
      await this.#change(remainingMs, signal);
    }
  }

  /** Time at which a call that began at `beganMs` is refused. */
  #waitUntilMs(beganMs: number, waitMs: number): number {
    if (this.peers.some(({ state, isResting }) => state !== "away" && isResting)) return beganMs;
    if (this.peers.some(({ isFull }) => isFull)) return beganMs + Math.min(waitMs, peerBounds.silentWaitMs);
    return Math.min(beganMs + waitMs, this.#ableAtMs + this.#waitMs);
  }

  /** Counts a call until `endCall`. */
  beginCall(peer: Peer<Connection>): void {
    peer.begin(this.#now());
  }

  /** Ends a call; its outcome affects the choice for later ones. */
  endCall(peer: Peer<Connection>, outcome: CallOutcome): void {
    const wasFull = peer.isFull;
    peer.end(outcome, this.#now());
    if (outcome === "unreachable") this.lose(peer);
    else if (wasFull) this.#wake();
  }

  /** Counts a call that is sent to another peer, although the lost one may have worked on it. */
  countResent(): void {
    this.#resentCount += 1;
  }

  /** Marks the connection to a peer as lost: it gets no call before it answers a probe, which is sent at once. */
  lose(peer: Peer<Connection>): void {
    peer.record("unreachable", this.#now());
    this.#watched.get(formatPeerAddress(peer.address))?.probeNow();
  }

  #pick(peers: readonly Peer<Connection>[], nowMs: number): Peer<Connection> | undefined {
    if (peers.length < 2) return peers[0];
    const at = Math.floor(this.#random() * peers.length);
    const other = (at + 1 + Math.floor(this.#random() * (peers.length - 1))) % peers.length;
    const [one, two] = [peers[at], peers[other]];
    return one !== undefined && two !== undefined && one.load(nowMs) <= two.load(nowMs) ? one : two;
  }

  #addNumeric(): void {
    for (const address of this.#options.addresses) if (isIP(address.host) !== 0) this.#add(address, address.host);
  }

  async #resolveAll(): Promise<void> {
    const { addresses, resolve = resolveName, resolveIntervalMs = peerBounds.resolveIntervalMs } = this.#options;
    const names = new Set(addresses.map(({ host }) => host).filter((host) => isIP(host) === 0));
    await Promise.all(
      Array.from(names, async (name) => {
        const found = await withTimeout(resolve(name), peerBounds.resolveTimeoutMs).catch(() => undefined);
        // A failing resolver removes no peer.
        if (found !== undefined && found.length > 0) this.#resolved.set(name, found);
      }),
    );
    if (this.#isClosed) return;
    this.#apply();
    this.#resolveTimer = setTimeout(() => void this.#resolveAll(), resolveIntervalMs).unref();
  }

  #apply(): void {
    const wanted = this.#options.addresses.flatMap(({ host: name, port }) =>
      (isIP(name) === 0 ? (this.#resolved.get(name) ?? []) : [name]).map((host) => ({ address: { host, port }, name })),
    );
    const kept = wanted.slice(0, peerBounds.peersMax);
    const keys = new Set(kept.map(({ address }) => formatPeerAddress(address)));
    for (const key of this.#watched.keys()) if (!keys.has(key)) this.#remove(key);
    for (const { address, name } of kept) this.#add(address, name);
  }

  #add(address: PeerAddress, name: string): void {
    const key = formatPeerAddress(address);
    if (this.#watched.has(key)) return;
    const peer = new Peer(address, this.#options.open(address, name));
    const watched = { peer, stopped: new AbortController(), probeNow: () => {}, lateProbes: 0 };
    this.#watched.set(key, watched);
    this.#peers = [...this.#peers, peer];
    void this.#watch(watched);
  }

  /** Removes a peer. Its connection stays open until the calls in flight have ended, or the peer is considered gone. */
  #remove(key: string): void {
    const watched = this.#watched.get(key);
    if (watched === undefined) return;
    this.#watched.delete(key);
    this.#peers = this.#peers.filter((peer) => peer !== watched.peer);
    this.#leaving.add(watched);
    this.#endIfIdle(watched);
  }

  #endIfIdle(watched: Watched<Connection>): void {
    if (this.#leaving.has(watched) && watched.peer.inFlight === 0) this.#end(watched);
  }

  #end(watched: Watched<Connection>): void {
    this.#leaving.delete(watched);
    watched.stopped.abort();
    watched.peer.connection.close();
  }

  async #watch(watched: Watched<Connection>): Promise<void> {
    const stopped = watched.stopped.signal;
    let retryMs: number = peerBounds.retryProbeMs;
    while (!stopped.aborted) {
      const isReached = await this.#probe(watched, stopped);
      this.#earlier.ask(watched.peer.connection.earlier?.() ?? [], stopped);
      this.#endIfIdle(watched);
      if (isReached) this.#wake();
      const pauseMs = isReached ? peerBounds.probeIntervalMs : retryMs;
      const isYoung = this.#now() - this.#ableAtMs < this.#waitMs;
      const retryMsMax = isYoung ? peerBounds.retryProbeMsMax : peerBounds.probeIntervalMs;
      retryMs = isReached ? peerBounds.retryProbeMs : Math.min(2 * retryMs, retryMsMax);
      await pause(pauseMs, stopped, (end) => (watched.probeNow = end));
    }
  }

  /** @returns whether the peer answered. */
  async #probe(watched: Watched<Connection>, stopped: AbortSignal): Promise<boolean> {
    const { peer } = watched;
    const endSilence = afterReading(() => this.#isShortBound && peer.fallSilent(), peerBounds.silentMs);
    const bound = boundProbe(stopped);
    try {
      // A probe on an open connection may ignore the signal.
      peer.found(await unlessAborted(peer.connection.probe(bound.signal), bound.signal), this.#now());
      if (!this.#leaving.has(watched)) this.#ableAtMs = this.#now();
      watched.lateProbes = 0;
      return true;
    } catch {
      // The cause does not matter: calls wait for the peer or go to another one.
      if (!stopped.aborted) this.#miss(watched, bound.isLate());
      return false;
    } finally {
      bound.end();
      endSilence();
    }
  }

  /**
   * Counts an unanswered probe. After too many, the process is considered gone, since its calls would otherwise stay until their
   * long bounds.
   */
  #miss(watched: Watched<Connection>, isLate: boolean): void {
    const { peer } = watched;
    peer.record(isLate ? "late" : "unreachable", this.#now());
    // A refused connection resets the count: calls in flight then belong to an earlier process at this address.
    watched.lateProbes = isLate ? watched.lateProbes + 1 : 0;
    if (watched.lateProbes < this.#lateProbesMax) return;
    watched.lateProbes = 0;
    peer.connection.abandon?.();
  }

  /** Resolves when a peer may have become available, after `waitMs`, or when the signal fires. */
  async #change(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.#waiting.add(resolve);
    const onAbort = () => resolve();
    signal?.addEventListener("abort", onAbort);
    await promise;
    signal?.removeEventListener("abort", onAbort);
    clearTimeout(timer);
    this.#waiting.delete(resolve);
  }

  /** Releases waiting calls, a few at first: all at once would be too slow for their bounds. */
  #wake(count: number = peerBounds.releasedFirst): void {
    if (this.#release !== undefined) return;
    for (const resolve of [...this.#waiting].slice(0, count)) {
      this.#waiting.delete(resolve);
      resolve();
    }
    if (this.#waiting.size === 0) return;
    this.#release = setTimeout(() => {
      this.#release = undefined;
      this.#wake(2 * count);
    }, peerBounds.releaseIntervalMs).unref();
  }
}

function unavailable(service: string): GatewayError {
  return serviceUnavailable(new Error(`No process of ${service} can be reached, or all of them answer too late.`));
}

async function resolveName(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** @throws Error when the work takes longer. */
async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The name was not resolved in time.")), timeoutMs);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
