import { JsonPart } from "@gatehouse/json";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type { CircuitBreaker } from "@gatehouse/upstream-http";
import { CallScope } from "../clients/call-scope.ts";
import type { RequestParams, UpstreamConnection, UpstreamRequest } from "../clients/upstream-connection.ts";
import type { Answer } from "../domain/json-rpc-answer.ts";
import {
  createSnapshot,
  fillGap,
  fromKept,
  type KeptUpstream,
  type Listing,
  type Snapshot,
} from "../domain/listing.ts";
import type { ShownTool } from "../domain/shown-changes.ts";
import { isChanged, type ToolPin } from "../domain/tool-pins.ts";
import { callOutcomeOf, UpstreamFailure } from "../domain/upstream-failure.ts";
import type { ReachableUpstream } from "../domain/upstream.ts";
import { listTools } from "./list-tools.ts";
import { ListingKeeper } from "./listing-keeper.ts";

/** Age up to which tools are returned without a refresh. */
const freshMs = 2_000;
/** Age from which tools are refreshed in the background, so that steady callers never wait. */
const renewAfterMs = 1_000;
/** Longest wait of a caller for a refresh where cached tools exist, or where the last attempt failed. */
const newsWaitMs = 300;
/** Age up to which cached tools are listed while their upstream fails. */
const staleMsMax = 24 * 60 * 60_000;
/** Longest `ttlMs` of an upstream that is honoured. */
const ttlMsMax = 60_000;
/** Largest share of time spent on reading an upstream's tools; those that take long to read are refreshed less often. */
const workShareMax = 1 / 20;
/** Pause after a failed listing; doubles with each failure. */
const failurePauseMs = 1_000;
const failurePauseMsMax = 30_000;

/** The gateway's session for listing tools; access tokens have positive ids. */
const listingSessionKey = "0";

interface UpstreamRuntimeOptions {
  readonly connection: UpstreamConnection;
  readonly breaker: CircuitBreaker;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Epoch milliseconds. */
  readonly wallNow: () => number;
  /**
   * Stores a listing, compares it and the definitions shown before it with the approved ones, and returns these. Never rejects;
   * undefined: not stored.
   */
  readonly keep: (
    upstream: ReachableUpstream,
    listing: Listing,
    shown: readonly ShownTool[],
  ) => Promise<ReadonlyMap<string, ToolPin> | undefined>;
}

/**
 * Relation of a tool's present definition to the approved one; `unlisted`: no longer shown by the upstream, `unpinned`: not
 * stored yet, `unknown`: never seen.
 */
type PinState = "approved" | "changed" | "unlisted" | "unpinned" | "unknown";

/** A client's tool call to an upstream. */
export interface RuntimeCall {
  /** The caller's id, as JSON text. */
  readonly id: string | undefined;
  /** The caller's params; `name` is replaced. */
  readonly params: RequestParams;
  /** Without the prefix. */
  readonly name: string;
  readonly tokenId: number;
  readonly signal: AbortSignal;
  readonly hops: string;
  readonly traceparent: string;
}

/** This replica's state of one upstream: its connection, its health and its tools. */
export class UpstreamRuntime {
  readonly #options: UpstreamRuntimeOptions;
  #upstream: ReachableUpstream;
  #snapshot: Snapshot | undefined;
  #refreshing: Promise<void> | undefined;
  /** The listing that those who ask for the tools of now wait for, from before it is sent. */
  #renewing: Promise<void> | undefined;
  #triedAtMs = Number.NEGATIVE_INFINITY;
  /** 0 while listings succeed. */
  #pauseMs = 0;
  readonly #keeper: ListingKeeper;
  /** Source of the snapshot. */
  #listing: Listing | undefined;
  /** The upstream whose settings the encoded tools have. */
  #encodedFor: ReachableUpstream | undefined;
  #usedAtMs: number;
  #callsUnderWay = 0;
  /** Pins from before the first listing. */
  readonly #firstPins: ReadonlyMap<string, ToolPin>;
  #isOutdated = false;
  #hasAnswered = false;
  #listFailure: UpstreamFailure | undefined;
  #callFailure: UpstreamFailure | undefined;

  constructor(upstream: ReachableUpstream, kept: KeptUpstream, options: UpstreamRuntimeOptions) {
    this.#options = options;
    this.#upstream = upstream;
    this.#usedAtMs = options.now();
    this.#firstPins = kept.pins;
    this.#keeper = new ListingKeeper({
      now: options.now,
      keep: async (listing, shown) => await options.keep(this.#upstream, listing, shown),
      onKept: (pins) => this.#usePins(pins),
    });
    if (kept.catalogue === undefined) return;
    const ageMs = Math.max(0, options.wallNow() - kept.catalogue.listedAt.getTime());
    const listing = fromKept(kept.catalogue);
    this.#setSnapshot(listing, kept.pins, options.now() - ageMs);
    this.#keeper.begin(listing, options.now() - ageMs);
  }

  get upstream(): ReachableUpstream {
    return this.#upstream;
  }

  get connection(): UpstreamConnection {
    return this.#options.connection;
  }

  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  /** Why the last listing or the last call failed; undefined where both succeeded. */
  get lastFailure(): UpstreamFailure | undefined {
    return this.#listFailure ?? this.#callFailure;
  }

  /** Whether this replica has listed its tools. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  get isResting(): boolean {
    return this.#options.breaker.state !== "closed";
  }

  /** Monotonic milliseconds. */
  get usedAtMs(): number {
    return this.#callsUnderWay > 0 ? this.#options.now() : this.#usedAtMs;
  }

  /** Approximate memory of its tools. */
  get heldBytes(): number {
    // The tools themselves, and their encoded text.
    return (this.#snapshot?.encoded.size ?? 0) * 2;
  }

  /** Applies changed settings. State stays, and so do sessions unless their mode changes. */
  reconfigure(upstream: ReachableUpstream, kept: KeptUpstream): void {
    if (upstream.settings.sessionMode !== this.#upstream.settings.sessionMode) this.connection.endSessions();
    this.#upstream = upstream;
    const listing = this.#listing;
    const snapshot = this.#snapshot;
    if (listing !== undefined && snapshot !== undefined) this.#setSnapshot(listing, kept.pins, snapshot.listedAtMs);
  }

  /** The tools to list now; asynchronous only where waiting is worthwhile. Undefined where none are cached, or they are too old. */
  list(hops: string, waitMsMax: number): Snapshot | undefined | Promise<Snapshot | undefined> {
    this.#usedAtMs = this.#options.now();
    const snapshot = this.#usable();
    const ageMs = snapshot === undefined ? Number.POSITIVE_INFINITY : this.#ageOf(snapshot);
    if (!this.#isOutdated && ageMs < renewAfterMs) return snapshot;
    const refreshing = this.#refreshing ?? this.#startRefresh(hops);
    if (refreshing === undefined) return snapshot;
    if (snapshot !== undefined && !this.#isOutdated && ageMs < freshMs) return snapshot;
    const isFirst = snapshot === undefined && this.#listFailure === undefined;
    const waitMs = isFirst ? waitMsMax : Math.min(newsWaitMs, waitMsMax);
    return withinMs(refreshing, waitMs).then(() => this.#usable());
  }

  /**
   * Compares a tool of a present list, since callers may never list: another replica may have seen the change, or its approval.
   * Waits until a list with differences is stored.
   */
  async pinStateOf(name: string, hops: string): Promise<PinState> {
    await this.list(hops, this.#upstream.settings.listTimeoutMs);
    const pinState = this.#pinState(name);
    if (pinState === "approved") return pinState;
    await this.#keeper.settled();
    return this.#pinState(name);
  }

  /**
   * Lists the tools now, even while the circuit is open, and resolves when they are stored. A listing already in progress may have
   * been answered before this call. @throws UpstreamFailure
   */
  async refresh(hops: string): Promise<void> {
    this.#renewing ??= this.#renew(hops);
    await this.#renewing;
    await this.#keeper.settled();
    if (this.#listFailure !== undefined) throw this.#listFailure;
  }

  async #renew(hops: string): Promise<void> {
    await this.#refreshing;
    this.#renewing = undefined;
    this.#refreshing ??= this.#track(this.#refresh(hops));
    await this.#refreshing;
  }

  /** @throws UpstreamFailure */
  async call(call: RuntimeCall): Promise<Answer> {
    this.#callsUnderWay += 1;
    try {
      return await this.#call(call);
    } finally {
      this.#callsUnderWay -= 1;
      this.#usedAtMs = this.#options.now();
    }
  }

  /** Ends idle sessions, and stores changes that were held back. */
  sweep(): void {
    this.connection.sweep();
    this.#keeper.sweep();
  }

  async close(): Promise<void> {
    await Promise.all([this.connection.close(), this.#keeper.close()]);
  }

  async #call({ id, params, name, tokenId, signal, hops, traceparent }: RuntimeCall): Promise<Answer> {
    const { settings } = this.#upstream;
    using scope = new CallScope(settings.callTimeoutMs, signal);
    const answer = await this.#guarded({
      method: "tools/call",
      callerId: id,
      params: new Map([...params, ["name", JsonPart.known(JSON.stringify(name), "string")]]),
      sessionKey: this.#sessionKey(String(tokenId)),
      scope,
      hops,
      traceparent,
      ...(this.connection.protocolMode === "modern" ? { inputSchema: this.#schemaOf(name) } : {}),
    });
    // The tool may be gone, so the next list refreshes.
    if (answer.kind === "error" && answer.error.code === -32602) this.#isOutdated = true;
    return answer;
  }

  #pinState(name: string): PinState {
    const snapshot = this.#usable();
    const tool = snapshot?.byName.get(name);
    const pins = snapshot?.pins ?? this.#firstPins;
    if (!pins.has(name)) return tool === undefined ? "unknown" : "unpinned";
    if (tool === undefined) return "unlisted";
    return isChanged(tool, pins) ? "changed" : "approved";
  }

  #usable(): Snapshot | undefined {
    const snapshot = this.#snapshot;
    return snapshot !== undefined && this.#options.now() - snapshot.listedAtMs < staleMsMax ? snapshot : undefined;
  }

  /** Age of a snapshot beyond the upstream's `ttlMs` and the time by which costly listings are stretched. */
  #ageOf({ listedAtMs, ttlMs = 0, workMs }: Snapshot): number {
    return this.#options.now() - listedAtMs - Math.min(Math.max(ttlMs, workMs / workShareMax - renewAfterMs), ttlMsMax);
  }

  /** Undefined during the pause after a failure, or while the circuit is open. */
  #startRefresh(hops: string): Promise<void> | undefined {
    if (this.#options.now() - this.#triedAtMs < this.#pauseMs) return undefined;
    if (this.#options.breaker.state === "open") return undefined;
    this.#refreshing = this.#track(this.#refresh(hops));
    return this.#refreshing;
  }

  async #track(refresh: Promise<void>): Promise<void> {
    try {
      await refresh;
    } finally {
      this.#refreshing = undefined;
    }
  }

  /** Never rejects: stores the failure in the runtime. */
  async #refresh(hops: string): Promise<void> {
    this.#isOutdated = false;
    const { listTimeoutMs } = this.#upstream.settings;
    using scope = new CallScope(listTimeoutMs);
    try {
      const listed = await listTools(async (params) => {
        const sessionKey = this.#sessionKey(listingSessionKey);
        return await this.#observed({ method: "tools/list", params, sessionKey, scope, hops, traceparent: "" });
      }, this.#listing);
      this.#adopt(fillGap(listed, this.#snapshot));
      this.#listFailure = undefined;
      this.#pauseMs = 0;
      this.#hasAnswered = true;
    } catch (err) {
      this.#listFailure = err instanceof UpstreamFailure ? err : new UpstreamFailure("malformed", { cause: err });
      this.#pauseMs = Math.min(failurePauseMsMax, Math.max(failurePauseMs, this.#pauseMs * 2));
    } finally {
      this.#triedAtMs = this.#options.now();
    }
  }

  /** Uses new tools at once, and stores them in the background, so that no caller waits for the database. */
  #adopt(listing: Listing): void {
    const pins = this.#snapshot?.pins ?? this.#firstPins;
    this.#setSnapshot(listing, pins, this.#options.now());
    this.#keeper.offer(listing, pins);
  }

  #usePins(pins: ReadonlyMap<string, ToolPin>): void {
    const { snapshot } = this;
    if (snapshot !== undefined && this.#listing !== undefined) {
      this.#setSnapshot(this.#listing, pins, snapshot.listedAtMs);
    }
  }

  /** Unchanged tools keep their encoded text. */
  #setSnapshot(listing: Listing, pins: ReadonlyMap<string, ToolPin>, listedAtMs: number): void {
    const listedAtWallMs = this.#options.wallNow() - (this.#options.now() - listedAtMs);
    const last = this.#snapshot;
    if (last !== undefined && listing === this.#listing && pins === last.pins) {
      this.#snapshot = { ...last, listedAtMs, listedAtWallMs };
      return;
    }
    const parts = { upstream: this.#upstream, listing, pins, listedAtMs, listedAtWallMs };
    this.#snapshot = createSnapshot(parts, this.#encodedFor === this.#upstream ? last : undefined);
    this.#encodedFor = this.#upstream;
    this.#listing = listing;
  }

  /** @throws UpstreamFailure `resting` at once while the circuit is open */
  async #guarded(request: UpstreamRequest): Promise<Answer> {
    if (!this.#options.breaker.admits) throw new UpstreamFailure("resting", { wasSent: false });
    return await this.#observed(request);
  }

  async #observed(request: UpstreamRequest): Promise<Answer> {
    const circuitCall = this.#options.breaker.enter();
    try {
      const answer = await this.#reach(request);
      circuitCall.report("alive");
      this.#callFailure = undefined;
      if (request.method === "tools/call") this.#pauseMs = 0;
      return answer;
    } catch (err) {
      if (err instanceof UpstreamFailure && err.kind !== "cancelled") this.#callFailure = err;
      circuitCall.report(callOutcomeOf(err, request.method));
      throw err;
    }
  }

  /** Repeats a call that got no connection once: it was not executed, and the cause may have been a stall in this process. */
  async #reach(request: UpstreamRequest): Promise<Answer> {
    const { connection } = this.#options;
    try {
      return await connection.request(request);
    } catch (err) {
      const isUnsent = err instanceof UpstreamFailure && err.kind === "unreachable" && !err.wasSent;
      if (!isUnsent || request.method !== "tools/call" || request.scope.failure !== undefined) throw err;
      return await connection.request(request);
    }
  }

  #sessionKey(own: string): string | undefined {
    const { sessionMode } = this.#upstream.settings;
    if (sessionMode === "per_call") return undefined;
    return sessionMode === "shared" ? "shared" : own;
  }

  #schemaOf(name: string): JsonObject | undefined {
    const definitionText = this.#snapshot?.byName.get(name)?.definitionText;
    const definition: unknown = definitionText === undefined ? undefined : JSON.parse(definitionText);
    return isJsonObject(definition) && isJsonObject(definition.inputSchema) ? definition.inputSchema : undefined;
  }
}

async function withinMs(work: Promise<void>, boundMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, boundMs);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
