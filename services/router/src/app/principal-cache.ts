import { isDeepStrictEqual } from "node:util";
import { BoundedCache } from "@gatehouse/bounded-cache";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import type { Answer, Ask, PrincipalCacheBounds } from "../domain/principal-answer.ts";

/** Clocks in milliseconds. */
export interface Clock {
  /** Epoch time, for comparison with stored times; may jump. */
  readonly wallNow: () => number;
  /** Monotonic time, for ages and bounds. */
  readonly now: () => number;
}

/** Clock of a running router; tests pass another one to control ages and expiries. */
export const systemClock: Clock = { now: () => performance.now(), wallNow: () => Date.now() };

/** Principal of a credential, or the reason of its refusal; undefined: unknown, revoked or expired. */
type Found<T extends object> = T | GatewayError | undefined;

/** Running totals of lookups, by result. */
export interface PrincipalCacheCounts {
  fresh: number;
  stale: number;
  asked: number;
  failed: number;
  unknown: number;
}

interface Entry<T extends object> {
  readonly answer: Answer<T>;
  /** Time at which the question was sent: the answer is only known to be true until then. */
  readonly askedAtMs: number;
  readonly epoch: number;
  /** Whether the answer had already expired when it came; asking again would not change it. */
  readonly wasExpired: boolean;
}

interface Unknown {
  readonly untilMs: number;
  readonly refusal: GatewayError | undefined;
}

interface PendingQuestion<T extends object> {
  readonly promise: Promise<Found<T>>;
  readonly touched: Set<string>;
}

/** Part of `freshMs` after which a hit also renews the entry, so that frequently used tokens never wait. */
const renewAfter = 0.8;
/** Pause between two attempts to reach a failed control plane while known credentials are served stale. */
const probePauseMs = 500;
const attemptsMax = 3;
const retryAfterSeconds = 1;
/** Part of the questions in progress that may concern uncached credentials; renewals of those in use are not limited. */
const unknownPart = 0.75;

/**
 * Caches principals by the hash of the credential, bounded in entries and age. Unknown credentials have a separate cache, so that
 * they cannot evict known ones. At most one question per credential is in progress; an invalidation during a question discards
 * its answer and repeats it.
 */
export class PrincipalCache<T extends object, Question = string> {
  readonly counts: PrincipalCacheCounts = { fresh: 0, stale: 0, asked: 0, failed: 0, unknown: 0 };
  readonly #ask: Ask<T, Question>;
  readonly #bounds: PrincipalCacheBounds;
  readonly #clock: Clock;
  readonly #entries: BoundedCache<string, Entry<T>>;
  readonly #unknown: BoundedCache<string, Unknown>;
  readonly #hashesBySubject = new Map<string, Set<string>>();
  readonly #questions = new Map<string, PendingQuestion<T>>();
  #epoch = 0;
  /** Time of the question whose answer is the newest in the cache. */
  #newestAskedAtMs = -Infinity;
  #reachable = true;
  #probeAtMs = 0;

  constructor(ask: Ask<T, Question>, bounds: PrincipalCacheBounds, clock: Clock) {
    this.#ask = ask;
    this.#bounds = bounds;
    this.#clock = clock;
    this.#entries = new BoundedCache(bounds.entriesMax, { onRemoved: (entry, hash) => this.#unlink(entry, hash) });
    this.#unknown = new BoundedCache(bounds.unknownEntriesMax);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Whether an answer may be in the cache that is used while the control plane does not answer. */
  get mayServeStale(): boolean {
    return this.#entries.size > 0 && this.#clock.now() - this.#newestAskedAtMs < this.#bounds.staleMs;
  }

  /** Whether an answer is cached for this hash, however old. */
  has(hash: string): boolean {
    return this.#entries.has(hash);
  }

  /**
   * Answers synchronously from a fresh entry, else asks, also where the entry has expired, to learn the reason of the refusal.
   * Returns the same object until the answer changes; undefined: unknown, revoked or expired. Rejects with GatewayError
   * `unavailable`.
   */
  find(hash: string, question: Question): Found<T> | Promise<Found<T>> {
    const entry = this.#entries.get(hash);
    if (entry === undefined) {
      const unknown = this.#knownUnknown(hash);
      return unknown === undefined ? this.#askOrStale(hash, question) : unknown.refusal;
    }
    const ageMs = this.#clock.now() - entry.askedAtMs;
    if (entry.epoch === this.#epoch && ageMs < this.#bounds.freshMs) {
      this.counts.fresh += 1;
      const value = this.#unexpired(entry);
      if (value === undefined && !entry.wasExpired && this.#reachable) return this.#askOrStale(hash, question);
      if (ageMs >= this.#bounds.freshMs * renewAfter) this.#renew(hash, question);
      return value;
    }
    if (this.#reachable || ageMs >= this.#bounds.staleMs) return this.#askOrStale(hash, question);
    this.#renew(hash, question);
    return this.#stale(entry);
  }

  /** Removes the entries of a subject, and discards answers in progress about it. */
  invalidate(subject: string): void {
    for (const hash of this.#hashesBySubject.get(subject) ?? []) this.#entries.delete(hash);
    for (const { touched } of this.#questions.values()) touched.add(subject);
    this.#unknown.clear();
  }

  /**
   * Marks all entries as stale after invalidations may have been missed; they are used only while the control plane does not
   * answer.
   */
  distrust(): void {
    this.#epoch += 1;
    this.#unknown.clear();
  }

  /** Marks the control plane as reachable again, so that lookups wait for its answers. */
  reached(): void {
    this.#reachable = true;
  }

  #knownUnknown(hash: string): Unknown | undefined {
    const unknown = this.#unknown.get(hash);
    if (unknown === undefined || unknown.untilMs <= this.#clock.now()) return undefined;
    this.counts.unknown += 1;
    return unknown;
  }

  #renew(hash: string, question: Question): void {
    if (this.#questions.has(hash) || (!this.#reachable && this.#clock.now() < this.#probeAtMs)) return;
    if (!this.#reachable) this.#probeAtMs = this.#clock.now() + probePauseMs;
    this.#question(hash, question).catch(() => {});
  }

  async #askOrStale(hash: string, question: Question): Promise<Found<T>> {
    try {
      return await this.#question(hash, question);
    } catch (err) {
      const entry = this.#entries.get(hash);
      if (entry === undefined || this.#clock.now() - entry.askedAtMs >= this.#bounds.staleMs) throw err;
      return this.#stale(entry);
    }
  }

  #question(hash: string, question: Question): Promise<Found<T>> {
    const asked = this.#questions.get(hash);
    if (asked !== undefined) return asked.promise;
    const { questionsInFlightMax } = this.#bounds;
    const isUnknown = !this.#entries.has(hash);
    const placesMax = isUnknown ? Math.ceil(questionsInFlightMax * unknownPart) : questionsInFlightMax;
    if (this.#questions.size >= placesMax) return Promise.reject(unavailable());
    const touched = new Set<string>();
    const promise = this.#settle(hash, question, touched).finally(() => this.#questions.delete(hash));
    this.#questions.set(hash, { promise, touched });
    return promise;
  }

  async #settle(hash: string, question: Question, touched: Set<string>): Promise<Found<T>> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      touched.clear();
      const askedAtMs = this.#clock.now();
      const epoch = this.#epoch;
      const answer = await this.#counted(hash, question);
      if (answer === undefined || isGatewayError(answer)) {
        if (touched.size === 0) this.#rememberUnknown(hash, epoch, answer);
        this.#entries.delete(hash);
        return answer;
      }
      if (!answer.subjects.some((subject) => touched.has(subject))) {
        const wasExpired = answer.expiresAtMs <= this.#clock.wallNow();
        return this.#unexpired(this.#remember(hash, { answer, askedAtMs, epoch, wasExpired }));
      }
    }
    throw unavailable();
  }

  async #counted(hash: string, question: Question): Promise<Answer<T> | GatewayError | undefined> {
    this.counts.asked += 1;
    try {
      const answer = await this.#ask(hash, question);
      this.#reachable = true;
      return answer;
    } catch (cause) {
      this.counts.failed += 1;
      this.#reachable = false;
      this.#probeAtMs = this.#clock.now() + probePauseMs;
      throw unavailable(cause);
    }
  }

  #remember(hash: string, asked: Entry<T>): Entry<T> {
    const before = this.#entries.peek(hash)?.answer.value;
    const { answer } = asked;
    const value = before !== undefined && isDeepStrictEqual(before, answer.value) ? before : answer.value;
    const entry: Entry<T> = { ...asked, answer: { ...answer, value } };
    this.#entries.set(hash, entry);
    this.#newestAskedAtMs = Math.max(this.#newestAskedAtMs, entry.askedAtMs);
    for (const subject of answer.subjects) {
      const hashes = this.#hashesBySubject.get(subject);
      if (hashes === undefined) this.#hashesBySubject.set(subject, new Set([hash]));
      else hashes.add(hash);
    }
    return entry;
  }

  #rememberUnknown(hash: string, epoch: number, refusal: GatewayError | undefined): void {
    if (epoch === this.#epoch && this.#bounds.unknownMs > 0) {
      this.#unknown.set(hash, { untilMs: this.#clock.now() + this.#bounds.unknownMs, refusal });
    }
  }

  #unlink({ answer }: Entry<T>, hash: string): void {
    for (const subject of answer.subjects) {
      const hashes = this.#hashesBySubject.get(subject);
      hashes?.delete(hash);
      if (hashes?.size === 0) this.#hashesBySubject.delete(subject);
    }
  }

  #stale(entry: Entry<T>): T | undefined {
    this.counts.stale += 1;
    return this.#unexpired(entry);
  }

  #unexpired({ answer }: Entry<T>): T | undefined {
    return answer.expiresAtMs > this.#clock.wallNow() ? answer.value : undefined;
  }
}

function unavailable(cause?: unknown): GatewayError {
  return new GatewayError("unavailable", "The token cannot be checked at the moment. Try again.", {
    cause,
    retryAfterSeconds,
  });
}
