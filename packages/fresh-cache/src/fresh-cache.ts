/** Source of a {@link FreshCache}, and the clock of its answers' ages. */
export interface FreshCacheOptions<Key, Value> {
  /** Different for different keys. */
  readonly nameOf: (key: Key) => string;
  /**
   * Reads what is kept, undefined being that there is nothing; throws where it cannot know. `previous` is the answer that this one takes the place of, so that
   * an answer which is costly to make can be kept when nothing has changed.
   */
  readonly load: (key: Key, previous: Value | undefined) => Promise<Value>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Whether a failed load says that the store is away, so that an older answer may still be given. */
  readonly isUnavailable: (err: unknown) => boolean;
}

/** Older answers are renewed in the background when used; up to {@link staleMsMax} they are still given meanwhile. */
const renewAfterMs = 2_500;
/** The hard bound of how old an answer may be, even if every push of a change was lost. */
const staleMsMax = 5_000;
/** A store that was found away is not asked for this long; then in the background, as long as it was found away within {@link staleMsMax}. */
const askAgainAfterMs = 1_000;
/** Greatest age of an answer while the store is away. */
const outageStaleMsMax = 10 * 60_000;
const entriesMax = 20_000;
/** Answers that say that there is nothing. They are kept apart: their keys are callers' guesses, and must not push out the rest. */
const absentEntriesMax = 10_000;
/** Answers under longer names are not kept, so that the memory for keys is bounded. */
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

/** A Map keeps the order of insertion; the first key is the one loaded longest ago. */
function keepNewest<Value>(entries: Map<string, Entry<Value>>, { name, entry, entriesMax }: Newest<Value>): void {
  const [oldest] = entries.size >= entriesMax ? entries.keys() : [];
  if (oldest !== undefined) entries.delete(oldest);
  entries.set(name, entry);
}

/**
 * Configuration in use, kept in memory. Changes are pushed to it by `forget`; without a push an answer is at most 5 s old.
 * Callers who ask for the same thing at once share one load.
 */
export class FreshCache<Key, Value> {
  readonly #options: FreshCacheOptions<Key, Value>;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #absent = new Map<string, Entry<Value>>();
  readonly #firstLoads = new Map<string, Promise<Entry<Value>>>();
  /** Rises with every change, so that a load that began before a change is not kept. */
  #generation = 0;

  constructor(options: FreshCacheOptions<Key, Value>) {
    this.#options = options;
  }

  /** Answers without a promise where it can. */
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
    // No caller waits for a renewal in the background; a failed one is tried again with the next use.
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
