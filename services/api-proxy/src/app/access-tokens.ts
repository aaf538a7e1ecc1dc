import { type GatewayError, isGatewayError } from "@gatehouse/errors";
import { type AccessToken, renewAtMs } from "../domain/access-token.ts";
import { connectionGone } from "../domain/oauth-error.ts";

/** Reads the stored token; undefined for an unknown connection. */
type ReadToken = (connectionId: number) => Promise<AccessToken | undefined>;

/**
 * Renews the token `seen`, which expires or was refused, unless another replica has done so. One replica at a time.
 * @throws GatewayError `oauth_failed` with a detail; `not_found`
 */
type RenewToken = (connectionId: number, seen: AccessToken) => Promise<AccessToken>;

/** Time for which a failed renewal is cached, so that an endpoint under load does not flood its token endpoint. */
const failureStandsMs = 5_000;
const entriesMax = 10_000;

interface Clocks {
  /** Epoch milliseconds. */
  readonly wallNow: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

interface Entry {
  token: AccessToken | undefined;
  /** Token from before a gap in the announced changes, until it is read again. */
  earlier: AccessToken | undefined;
  reading: Promise<AccessToken | undefined> | undefined;
  renewing: Promise<AccessToken> | undefined;
  failure: { readonly err: GatewayError; readonly atMs: number } | undefined;
}

/** Caches the access tokens in use. Renewals are shared; while the present token is valid, no request waits for one. */
export class AccessTokens {
  readonly #read: ReadToken;
  readonly #renewStored: RenewToken;
  readonly #wallNow: () => number;
  readonly #now: () => number;
  readonly #entries = new Map<number, Entry>();

  constructor(read: ReadToken, renew: RenewToken, { wallNow, now }: Clocks) {
    this.#read = read;
    this.#renewStored = renew;
    this.#wallNow = wallNow;
    this.#now = now;
  }

  /** Synchronous where the token is cached and valid. @throws GatewayError `oauth_failed` with a detail */
  find(connectionId: number): AccessToken | Promise<AccessToken> {
    const entry = this.#entryOf(connectionId);
    const { token } = entry;
    if (token === undefined) return this.#first(connectionId, entry);
    const nowMs = this.#wallNow();
    if (nowMs < renewAtMs(token)) return token;
    if (nowMs >= token.expiresAtMs) return this.#renew(connectionId, entry, token);
    // In the background; a failed renewal is repeated later.
    if (!hasFreshFailure(entry, this.#now())) this.#renew(connectionId, entry, token).catch(() => {});
    return token;
  }

  /** Replaces a token that the upstream has refused. @throws as {@link AccessTokens.find} */
  async replace(connectionId: number, refused: AccessToken): Promise<AccessToken> {
    const entry = this.#entryOf(connectionId);
    if (entry.token !== undefined && entry.token.value.reveal() !== refused.value.reveal()) return entry.token;
    return await this.#renew(connectionId, entry, refused);
  }

  /** Drops the token of a changed or deleted connection. */
  forget(connectionId: number): void {
    this.#entries.delete(connectionId);
  }

  /**
   * Makes the next use of each token read it again, after changes may have been missed. While the database is away, a token that
   * was valid before is still used.
   */
  expireAll(): void {
    for (const [id, { token, earlier }] of this.#entries) this.#entries.set(id, newEntry(token ?? earlier));
  }

  #entryOf(connectionId: number): Entry {
    const known = this.#entries.get(connectionId);
    if (known !== undefined) return known;
    if (this.#entries.size >= entriesMax) this.#dropOldest();
    const entry = newEntry();
    this.#entries.set(connectionId, entry);
    return entry;
  }

  /** A Map keeps the order of insertion. */
  #dropOldest(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  async #first(connectionId: number, entry: Entry): Promise<AccessToken> {
    try {
      entry.reading ??= this.#read(connectionId).finally(() => (entry.reading = undefined));
      const stored = await entry.reading;
      if (stored === undefined) throw connectionGone();
      entry.token ??= stored;
    } catch (err) {
      const { earlier } = entry;
      const isUnavailable = isGatewayError(err) && err.code === "unavailable";
      if (earlier !== undefined && isUnavailable && this.#wallNow() < earlier.expiresAtMs) return earlier;
      throw err;
    }
    return await this.find(connectionId);
  }

  #renew(connectionId: number, entry: Entry, seen: AccessToken): Promise<AccessToken> {
    if (entry.renewing !== undefined) return entry.renewing;
    const { failure } = entry;
    if (failure !== undefined && hasFreshFailure(entry, this.#now())) return Promise.reject(failure.err);
    entry.renewing = this.#renewOnce(connectionId, entry, seen).finally(() => {
      entry.renewing = undefined;
    });
    return entry.renewing;
  }

  async #renewOnce(connectionId: number, entry: Entry, seen: AccessToken): Promise<AccessToken> {
    try {
      entry.token = await this.#renewStored(connectionId, seen);
      entry.failure = undefined;
      return entry.token;
    } catch (err) {
      if (isGatewayError(err) && err.code === "oauth_failed") entry.failure = { err, atMs: this.#now() };
      throw err;
    }
  }
}

function newEntry(earlier?: AccessToken): Entry {
  return { token: undefined, earlier, reading: undefined, renewing: undefined, failure: undefined };
}

function hasFreshFailure({ failure }: Entry, nowMs: number): boolean {
  return failure !== undefined && nowMs - failure.atMs < failureStandsMs;
}
