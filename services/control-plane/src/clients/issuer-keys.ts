import { pause } from "@gatehouse/async";
import { BoundedCache } from "@gatehouse/bounded-cache";
import type { GuardedFetch } from "@gatehouse/egress";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { createLocalJWKSet, type JSONWebKeySet } from "jose";
import type { Issuer } from "../domain/issuer.ts";

/** Keys of one issuer as they were fetched once; the same object for as long as they do not change. */
export interface KeySet {
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly text: string;
}

/** Bounds of the keys that are fetched from issuers, milliseconds and bytes. */
export const issuerKeyBounds = {
  /** Older keys are fetched again, while they are used. */
  freshMs: 5 * 60_000,
  /** Time for which keys are used that cannot be fetched again. */
  staleMs: 24 * 60 * 60_000,
  /** Rest between two fetches that a token with an unknown key asks for. */
  unknownKeyRestMs: 5_000,
  /** Rest after a fetch that failed. */
  failureRestMs: 2_000,
  issuersMax: 1_000,
  keysMax: 100,
  sizeBytesMax: 256 * 1024,
  timeoutMs: 5_000,
  /** Longest wait of a call with a token for keys: less than routers wait for the answer (`AUTH_QUESTION_TIMEOUT_MS`). */
  callWaitMs: 1_500,
} as const;

type Source = Pick<Issuer, "id" | "issuer" | "jwksUrl">;

interface Entry {
  keys: KeySet | undefined;
  /** Time at which the keys were fetched, and time of the latest attempt; milliseconds of a monotonic clock. */
  fetchedAtMs: number;
  triedAtMs: number;
  failure: string;
  flight: Promise<void> | undefined;
}

/** The public keys of trusted issuers, fetched through the guarded egress at a bounded rate. */
export class IssuerKeys {
  readonly #fetch: GuardedFetch;
  readonly #now: () => number;
  readonly #entries = new BoundedCache<string, Entry>(issuerKeyBounds.issuersMax);

  constructor(fetch: GuardedFetch, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /**
   * @param waitMs after which the caller goes on without; the fetch goes on
   * in the background @throws GatewayError `upstream_unreachable` where they cannot be fetched.
   */
  async current(source: Source, waitMs: number): Promise<KeySet> {
    const entry = this.#entryOf(source);
    const ageMs = this.#now() - entry.fetchedAtMs;
    if (entry.keys !== undefined && ageMs < issuerKeyBounds.staleMs) {
      if (ageMs >= issuerKeyBounds.freshMs && this.#mayTry(entry, issuerKeyBounds.unknownKeyRestMs)) {
        void this.#refresh(entry, source);
      }
      return entry.keys;
    }
    if (entry.flight !== undefined || this.#mayTry(entry, issuerKeyBounds.failureRestMs)) {
      await within(this.#refresh(entry, source), waitMs);
    }
    if (entry.keys !== undefined && this.#now() - entry.fetchedAtMs < issuerKeyBounds.staleMs) return entry.keys;
    throw unreachable(entry.flight === undefined ? entry.failure : "The issuer has not answered yet.");
  }

  /** Fetches them again for a token whose key is not among `seen`, unless that was done a moment ago. Undefined: there are no others. */
  async renewed(source: Source, seen: KeySet, waitMs: number): Promise<KeySet | undefined> {
    const entry = this.#entryOf(source);
    if (entry.keys !== seen) return entry.keys;
    if (entry.flight !== undefined || this.#mayTry(entry, issuerKeyBounds.unknownKeyRestMs)) {
      await within(this.#refresh(entry, source), waitMs);
    }
    return entry.keys === seen ? undefined : entry.keys;
  }

  /** Reason for which an issuer's keys cannot be fetched now; undefined where they can. */
  async problem(source: Pick<Issuer, "issuer" | "jwksUrl">): Promise<string | undefined> {
    try {
      await this.#load(source);
      return undefined;
    } catch (err) {
      return detailOf(err);
    }
  }

  #entryOf({ id, issuer, jwksUrl }: Source): Entry {
    const key = `${id} ${issuer} ${jwksUrl ?? ""}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const never = Number.NEGATIVE_INFINITY;
    const entry: Entry = { keys: undefined, fetchedAtMs: never, triedAtMs: never, failure: "", flight: undefined };
    this.#entries.set(key, entry);
    return entry;
  }

  #mayTry({ triedAtMs }: Entry, restMs: number): boolean {
    return this.#now() - triedAtMs >= restMs;
  }

  #refresh(entry: Entry, source: Source): Promise<void> {
    entry.flight ??= this.#fetchInto(entry, source).finally(() => {
      entry.flight = undefined;
    });
    return entry.flight;
  }

  async #fetchInto(entry: Entry, source: Source): Promise<void> {
    try {
      const keys = await this.#load(source);
      if (entry.keys?.text !== keys.text) entry.keys = keys;
      entry.fetchedAtMs = this.#now();
    } catch (err) {
      entry.failure = detailOf(err);
    } finally {
      entry.triedAtMs = this.#now();
    }
  }

  async #load({ issuer, jwksUrl }: Pick<Issuer, "issuer" | "jwksUrl">): Promise<KeySet> {
    return toKeySet(await this.#get(jwksUrl ?? (await this.#discover(issuer))));
  }

  /** OpenID Connect Discovery 1.0, section 4: the document must be the issuer's own. */
  async #discover(issuer: string): Promise<string> {
    const document = await this.#get(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
    const { issuer: named, jwks_uri: jwksUri } = document;
    if (named !== issuer) throw unreachable("The discovery document names another issuer.");
    if (typeof jwksUri !== "string") throw unreachable("The discovery document names no keys (jwks_uri).");
    return jwksUri;
  }

  async #get(url: string): Promise<Readonly<Record<string, unknown>>> {
    const reply = await this.#fetch(url, { headers: { accept: "application/json" } });
    if (reply.status !== 200) throw unreachable(`The issuer answered with status ${reply.status}.`);
    const value = parse(await reply.text());
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
    throw unreachable("The issuer did not answer with a JSON object.");
  }
}

async function within(work: Promise<void>, waitMs: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, pause(waitMs, over.signal)]);
  over.abort();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    if (err instanceof SyntaxError) return undefined;
    throw err;
  }
}

/** Symmetric keys are left out: no issuer publishes one, and a public key must never be taken for one. */
function toKeySet({ keys }: Readonly<Record<string, unknown>>): KeySet {
  if (!Array.isArray(keys)) throw unreachable("The issuer's keys are not a JSON Web Key Set.");
  const asymmetric = keys.filter((key: unknown) => isPublicKey(key)).slice(0, issuerKeyBounds.keysMax);
  const set: JSONWebKeySet = { keys: asymmetric };
  return { find: createLocalJWKSet(set), text: JSON.stringify(set) };
}

function isPublicKey(key: unknown): boolean {
  return typeof key === "object" && key !== null && "kty" in key && ["RSA", "EC", "OKP"].includes(String(key.kty));
}

function unreachable(detail: string): GatewayError {
  return new GatewayError("upstream_unreachable", "The issuer's keys cannot be fetched.", { details: { detail } });
}

function detailOf(err: unknown): string {
  if (!isGatewayError(err)) throw err;
  const { detail } = err.details;
  return typeof detail === "string" ? detail : err.message;
}
