import { UpstreamFailure } from "../domain/upstream-failure.ts";
import type { Channel } from "./channel.ts";

interface Entry {
  readonly opening: Promise<Channel>;
  channel: Channel | undefined;
  uses: number;
  usedAt: number;
  /** No longer in the pool; ends with its last use. */
  isRetired: boolean;
}

/** Counts the open sessions of several pools, within a bound. */
export class SessionTotal {
  readonly #sessionsMax: number;
  open = 0;

  constructor(sessionsMax: number) {
    this.#sessionsMax = sessionsMax;
  }

  get isFull(): boolean {
    return this.open >= this.#sessionsMax;
  }
}

/** Sessions of one upstream, by key. Callers who need the same new session share its handshake. */
export class SessionPool {
  readonly #sessionsMax: number;
  /** Counter of the sessions of all upstreams. */
  readonly #total: SessionTotal;
  readonly #idleMs: number;
  /** Monotonic milliseconds. */
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  #isClosed = false;

  constructor(sessionsMax: number, total: SessionTotal, idleMs: number, now: () => number) {
    this.#sessionsMax = sessionsMax;
    this.#total = total;
    this.#idleMs = idleMs;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Runs `work` in the key's session, which is opened if needed.
   * @throws UpstreamFailure `busy` when all sessions are in use, `withdrawn` for a new session of a closed pool; the errors of `open`
   * and `work`
   */
  async use<T>(key: string, open: () => Promise<Channel>, work: (channel: Channel) => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key) ?? this.#add(key, open);
    entry.uses += 1;
    try {
      return await work(entry.channel ?? (await entry.opening));
    } finally {
      entry.uses -= 1;
      entry.usedAt = this.#now();
      if (entry.isRetired && entry.uses === 0) void closeOpened(entry.opening);
    }
  }

  /** The key's session if it is open. */
  find(key: string): Channel | undefined {
    return this.#entries.get(key)?.channel;
  }

  /** Removes a session that the upstream no longer knows; a newer session of the key stays. */
  drop(key: string, channel: Channel): void {
    if (this.#entries.get(key)?.channel === channel) this.#remove(key);
  }

  sweep(): void {
    const before = this.#now() - this.#idleMs;
    for (const [key, entry] of this.#entries) {
      if (entry.uses === 0 && entry.usedAt <= before) this.#evict(key, entry);
    }
  }

  /** Ends all sessions, those in use after their calls; later calls open new ones. */
  retire(): void {
    for (const [key, entry] of this.#entries) {
      entry.isRetired = true;
      if (entry.uses === 0) this.#evict(key, entry);
      else this.#remove(key);
    }
  }

  /** Ends all sessions; no further one is opened, since nothing would end it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const entries = [...this.#entries.values()];
    for (const key of this.#entries.keys()) this.#remove(key);
    await Promise.all(entries.map(async ({ opening }) => await closeOpened(opening)));
  }

  #add(key: string, open: () => Promise<Channel>): Entry {
    if (this.#isClosed) throw new UpstreamFailure("withdrawn", { wasSent: false });
    if (this.#entries.size >= this.#sessionsMax || this.#total.isFull) this.#evictOldest();
    const entry: Entry = { opening: open(), channel: undefined, uses: 0, usedAt: this.#now(), isRetired: false };
    this.#entries.set(key, entry);
    this.#total.open += 1;
    void this.#settle(key, entry);
    return entry;
  }

  async #settle(key: string, entry: Entry): Promise<void> {
    try {
      entry.channel = await entry.opening;
    } catch {
      // Callers waiting for the session get the error; the next caller tries again.
      if (this.#entries.get(key) === entry) this.#remove(key);
    }
  }

  #evictOldest(): void {
    let oldest: readonly [string, Entry] | undefined;
    for (const [key, entry] of this.#entries) {
      if (entry.uses === 0 && entry.usedAt < (oldest?.[1].usedAt ?? Number.POSITIVE_INFINITY)) oldest = [key, entry];
    }
    if (oldest === undefined) throw new UpstreamFailure("busy", { wasSent: false });
    this.#evict(...oldest);
  }

  #remove(key: string): void {
    if (this.#entries.delete(key)) this.#total.open -= 1;
  }

  #evict(key: string, { opening }: Entry): void {
    this.#remove(key);
    void closeOpened(opening);
  }
}

/** Ends a session that may still be opening. Never rejects. */
export async function closeOpened(opening: Promise<Channel>): Promise<void> {
  const channel = await opening.catch(() => undefined);
  await channel?.close();
}
