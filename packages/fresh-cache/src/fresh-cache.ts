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
  /** Whether a change may have been missed since it was loaded. */
  isExpired: boolean;
  /** Time of the latest renewal that found the store unreachable. */
  awayAt: number;
}

interface Load<Value> {
  readonly answer: Promise<Entry<Value>>;
  readonly beganAt: number;
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
 * key share one load; callers after a change do not join one that began before it.
 */
export class FreshCache<Key, Value> {
  readonly #options: FreshCacheOptions<Key, Value>;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #absent = new Map<string, Entry<Value>>();
  /** Loads under way by name. One that a change has made outdated is missing here; its answer is not kept. */
  readonly #loads = new Map<string, Load<Value>>();

  constructor(options: FreshCacheOptions<Key, Value>) {
    this.#options = options;
  }

  /** Returns no promise where the answer is cached. */
  find(key: Key): Value | Promise<Value> {
    const name = this.#options.nameOf(key);
    const entry = this.#entries.get(name) ?? this.#absent.get(name);
    if (entry === undefined) return this.#load(name, key, undefined).then(valueOf);
    const now = this.#options.now();
    const age = now - entry.loadedAt;
    const isNew = age < renewAfterMs && !entry.isExpired;
    if (isNew || now - entry.awayAt < askAgainAfterMs) return entry.value;
    const answer = this.#load(name, key, entry);
    const isFresh = age < staleMsMax && !entry.isExpired;
    const isAway = now - entry.awayAt < staleMsMax && age < outageStaleMsMax;
    if (!isFresh && !isAway) return answer.then(valueOf);
    // No caller awaits a background renewal; a failed one is repeated with the next use.
    answer.catch(() => {});
    return entry.value;
  }

  /** Drops an answer that has changed. */
  forget(key: Key): void {
    const name = this.#options.nameOf(key);
    this.#loads.delete(name);
    this.#drop(name);
  }

  /** Drops all answers, any of which may be wrong. */
  forgetAll(): void {
    for (const map of [this.#loads, this.#entries, this.#absent]) map.clear();
  }

  /**
   * Makes the next use of each answer load it again, after changes may have been missed. Unlike a forgotten answer, an expired one
   * is still returned while the store is unreachable.
   */
  expireAll(): void {
    this.#loads.clear();
    for (const entries of [this.#entries, this.#absent]) {
      for (const entry of entries.values()) {
        entry.isExpired = true;
        entry.awayAt = -Infinity;
      }
    }
  }

  /** Loads an answer once for all concurrent callers. One that hangs is joined only for as long as its answer would be new. */
  #load(name: string, key: Key, previous: Entry<Value> | undefined): Promise<Entry<Value>> {
    const pending = this.#loads.get(name);
    const beganAt = this.#options.now();
    if (pending !== undefined && beganAt - pending.beganAt < renewAfterMs) return pending.answer;
    const isCurrent = () => this.#loads.get(name) === load;
    const answer = this.#ask(key, previous, isCurrent)
      .then((entry) => {
        if (entry !== previous && isCurrent()) this.#keep(name, entry);
        return entry;
      })
      .finally(() => {
        if (isCurrent()) this.#loads.delete(name);
      });
    const load: Load<Value> = { answer, beganAt };
    if (name.length <= nameLengthMax) this.#loads.set(name, load);
    return answer;
  }

  /** Asks the store; its previous answer stands while it is unreachable. */
  async #ask(key: Key, previous: Entry<Value> | undefined, isCurrent: () => boolean): Promise<Entry<Value>> {
    const loadedAt = this.#options.now();
    try {
      const value = await this.#options.load(key, previous?.value);
      return { value, loadedAt, isExpired: false, awayAt: -Infinity };
    } catch (err) {
      const now = this.#options.now();
      if (previous === undefined || now - previous.loadedAt >= outageStaleMsMax) throw err;
      if (!this.#options.isUnavailable(err)) throw err;
      if (isCurrent()) previous.awayAt = now;
      return previous;
    }
  }

  #keep(name: string, entry: Entry<Value>): void {
    this.#drop(name);
    if (entry.value === undefined) keepNewest(this.#absent, { name, entry, entriesMax: absentEntriesMax });
    else keepNewest(this.#entries, { name, entry, entriesMax });
  }

  #drop(name: string): void {
    this.#entries.delete(name);
    this.#absent.delete(name);
  }
}

function valueOf<Value>({ value }: Entry<Value>): Value {
  return value;
}
