import { type GatewayError, isGatewayError } from "@gatehouse/errors";
import { type AccessToken, renewAtMs } from "../domain/access-token.ts";
import { oauthFailed } from "../domain/oauth-error.ts";

/** The token that is stored; undefined for an unknown connection. */
type ReadToken = (connectionId: number) => Promise<AccessToken | undefined>;

/**
 * Gets a token in the place of `seen`, which is at its end or was refused, unless another replica has done so already.
 * One of all replicas at a time. @throws GatewayError `oauth_failed` with a detail; `not_found`.
 */
type RenewToken = (connectionId: number, seen: AccessToken) => Promise<AccessToken>;

/** Time for which a failed renewal stands for the next ones, so that an endpoint under load does not flood its token endpoint. */
const failureStandsMs = 5_000;
const entriesMax = 10_000;

interface Entry {
  token: AccessToken | undefined;
  renewing: Promise<AccessToken> | undefined;
  failure: { readonly err: GatewayError; readonly atMs: number } | undefined;
}

/**
 * The access tokens in use, in memory. Callers of one that has to be renewed wait for the one renewal that is under way; while
 * the present one still holds, no request waits.
 */
export class AccessTokens {
  readonly #read: ReadToken;
  readonly #renewStored: RenewToken;
  /** Milliseconds since 1970. */
  readonly #wallNow: () => number;
  readonly #entries = new Map<number, Entry>();

  constructor(read: ReadToken, renew: RenewToken, wallNow: () => number) {
    this.#read = read;
    this.#renewStored = renew;
    this.#wallNow = wallNow;
  }

  /** Answers without a promise where it can. @throws GatewayError `oauth_failed` with a detail. */
  find(connectionId: number): AccessToken | Promise<AccessToken> {
    const entry = this.#entryOf(connectionId);
    const { token } = entry;
    if (token === undefined) return this.#first(connectionId, entry);
    const nowMs = this.#wallNow();
    if (nowMs < renewAtMs(token)) return token;
    if (nowMs >= token.expiresAtMs) return this.#renew(connectionId, entry, token);
    // No caller waits for it; a failed one is tried again a little later.
    if (!hasFreshFailure(entry, nowMs)) this.#renew(connectionId, entry, token).catch(() => {});
    return token;
  }

  /** A token in the place of one that the upstream has refused. @throws as {@link AccessTokens.find} */
  async replace(connectionId: number, refused: AccessToken): Promise<AccessToken> {
    const entry = this.#entryOf(connectionId);
    if (entry.token !== undefined && entry.token.value !== refused.value) return entry.token;
    return await this.#renew(connectionId, entry, refused);
  }

  /** Drops the token of a connection that was changed or deleted. */
  forget(connectionId: number): void {
    this.#entries.delete(connectionId);
  }

  /** Drops every token, where a change may have been missed; each is read again with its next use. */
  forgetAll(): void {
    this.#entries.clear();
  }

  #entryOf(connectionId: number): Entry {
    const known = this.#entries.get(connectionId);
    if (known !== undefined) return known;
    if (this.#entries.size >= entriesMax) this.#dropOldest();
    const entry: Entry = { token: undefined, renewing: undefined, failure: undefined };
    this.#entries.set(connectionId, entry);
    return entry;
  }

  /** A Map keeps the order of insertion. */
  #dropOldest(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  async #first(connectionId: number, entry: Entry): Promise<AccessToken> {
    const stored = await this.#read(connectionId);
    if (stored === undefined) throw connectionGone();
    entry.token ??= stored;
    return await this.find(connectionId);
  }

  #renew(connectionId: number, entry: Entry, seen: AccessToken): Promise<AccessToken> {
    if (entry.renewing !== undefined) return entry.renewing;
    const { failure } = entry;
    if (failure !== undefined && hasFreshFailure(entry, this.#wallNow())) return Promise.reject(failure.err);
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
      if (isGatewayError(err) && err.code === "oauth_failed") entry.failure = { err, atMs: this.#wallNow() };
      throw err;
    }
  }
}

function connectionGone(): GatewayError {
  return oauthFailed("The OAuth connection does not exist any more.");
}

function hasFreshFailure({ failure }: Entry, nowMs: number): boolean {
  return failure !== undefined && nowMs - failure.atMs < failureStandsMs;
}
