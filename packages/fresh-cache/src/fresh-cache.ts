/** Source of a {@link FreshCache}'s answers, and the clock of their ages. */
interface FreshCacheOptions<Key, Value> {
  /** Unique for each key. */
  readonly nameOf: (key: Key) => string;
  /**
   * Reads the value, undefined where there is none; throws where that is unknown. `previous` is the replaced answer, so that an
   * expensive one can be kept when nothing has changed.
   */
  readonly load: (key: Key, previous: Value | undefined) => Promise<Value>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Whether a failed load means that the store is unreachable, so that an older answer may be returned. */
  readonly isUnavailable: (err: unknown) => boolean;
}

/** Age from which an answer is renewed in the background when used; up to {@link staleMsMax} it is still returned meanwhile. */
const renewAfterMs = 2_500;
/** Longest age of an answer, even if every push of a change was lost. */
const staleMsMax = 5_000;
/**
 * Time for which an unreachable store is not asked again; afterwards it is asked in the background, as long as it was found
 * unreachable within {@link staleMsMax}.
 */
const askAgainAfterMs = 1_000;
/** Longest age of an answer during an outage of the store. */
const outageStaleMsMax = 10 * 60_000;
const entriesMax = 20_000;
/** Most absent answers. Kept separately, since their keys are callers' guesses, and must not displace other answers. */
const absentEntriesMax = 10_000;
/** Longest name whose answer is kept, which bounds the memory for keys. */
const nameLengthMax = 256;

interface Entry<Value> {
  readonly value: Value;
  readonly loadedAt: number;
  loading: Promise<Entry<Value>> | undefined;
  /** Time of the latest renewal that found the store unreachable. */
  awayAt: number;
}

interface Newest<Value> {
  readonly name: string;
  readonly entry: Entry<Value>;
  readonly entriesMax: number;
}

/** Removes the answer loaded longest ago, which is first in a Map's insertion order. */
function keepNewest<Value>(entries: Map<string, Entry<Value>>, { name, entry, entriesMax }: Newest<Value>): void {
  const [oldest] = entries.size >= entriesMax ? entries.keys() : [];
  if (oldest !== undefined) entries.delete(oldest);
  entries.set(name, entry);
}

/**
 * Cache of configuration in use. `forget` pushes changes; without a push an answer is at most 5 s old. Concurrent callers for one
 * key share one load.
 */
export class FreshCache<Key, Value> {
  readonly #options: FreshCacheOptions<Key, Value>;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #absent = new Map<string, Entry<Value>>();
  readonly #firstLoads = new Map<string, Promise<Entry<Value>>>();
  /** Increases with every change, so that a load that began before a change is not kept. */
  #generation = 0;

  constructor(options: FreshCacheOptions<Key, Value>) {
    this.#options = options;
  }

  /** Returns no promise where the answer is cached. */
  find(key: Key): Value | Promise<Value> {
    const name = this.#options.nameOf(key);
    const entry = this.#entries.get(name) ?? this.#absent.get(name);
    if (entry === undefined) return this.#first(name, key);
    const now = this.#options.now();
    const age = now - entry.loadedAt;
    if (age < renewAfterMs || now - entry.awayAt < askAgainAfterMs) return entry.value;
    entry.loading ??= this.#renew(entry, key);
    const isAway = now - entry.awayAt < staleMsMax && age < outageStaleMsMax;
    if (age >= staleMsMax && !isAway) return entry.loading.then(({ value }) => value);
    // No caller awaits a background renewal; a failed one is repeated with the next use.
    entry.loading.catch(() => {});
    return entry.value;
  }

  forget(key: Key): void {
    this.#generation += 1;
    this.#drop(this.#options.nameOf(key));
  }

  forgetAll(): void {
    this.#generation += 1;
    this.#entries.clear();
    this.#absent.clear();
  }

  async #first(name: string, key: Key): Promise<Value> {
    if (name.length > nameLengthMax) return (await this.#load(key, undefined)).value;
    const pending = this.#firstLoads.get(name) ?? this.#load(key, undefined);
    this.#firstLoads.set(name, pending);
    try {
      return (await pending).value;
    } finally {
      if (this.#firstLoads.get(name) === pending) this.#firstLoads.delete(name);
    }
  }

  async #renew(entry: Entry<Value>, key: Key): Promise<Entry<Value>> {
    try {
      return await this.#load(key, entry.value);
    } catch (err) {
      entry.loading = undefined;
      const age = this.#options.now() - entry.loadedAt;
      if (age >= outageStaleMsMax || !this.#options.isUnavailable(err)) throw err;
      entry.awayAt = this.#options.now();
      return entry;
    }
  }

  async #load(key: Key, previous: Value | undefined): Promise<Entry<Value>> {
    const generation = this.#generation;
    const loadedAt = this.#options.now();
    const value = await this.#options.load(key, previous);
    const entry: Entry<Value> = { value, loadedAt, loading: undefined, awayAt: -Infinity };
    if (generation === this.#generation) this.#keep(this.#options.nameOf(key), entry);
    return entry;
  }

  #keep(name: string, entry: Entry<Value>): void {
    this.#drop(name);
    if (name.length > nameLengthMax) return;
    if (entry.value === undefined) keepNewest(this.#absent, { name, entry, entriesMax: absentEntriesMax });
    else keepNewest(this.#entries, { name, entry, entriesMax });
  }

  #drop(name: string): void {
    this.#entries.delete(name);
    this.#absent.delete(name);
  }
}
