import { pause } from "@gatehouse/async";
import { BoundedCache } from "@gatehouse/bounded-cache";
import type { GuardedFetch } from "@gatehouse/egress";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { createLocalJWKSet, type JSONWebKeySet, type JWK } from "jose";
import type { Issuer } from "../domain/issuer.ts";

/** Keys of one issuer from one fetch; the same object until the keys change. */
export interface KeySet {
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly text: string;
}

/** Milliseconds and bytes. */
export const issuerKeyBounds = {
  /** Age from which keys are fetched again, while they are used. */
  freshMs: 5 * 60_000,
  /** Age up to which keys are used if they cannot be fetched again. */
  staleMs: 24 * 60 * 60_000,
  /** Pause between two fetches for tokens with an unknown key. */
  unknownKeyRestMs: 5_000,
  /** Pause after a failed fetch. */
  failureRestMs: 2_000,
  issuersMax: 1_000,
  keysMax: 100,
  sizeBytesMax: 256 * 1024,
  timeoutMs: 5_000,
  /** Longest wait of a look-up for keys; shorter than routers wait for the answer (`AUTH_QUESTION_TIMEOUT_MS`). */
  callWaitMs: 1_500,
} as const;

type Source = Pick<Issuer, "id" | "issuer" | "jwksUrl">;

interface Entry {
  keys: KeySet | undefined;
  /** Times of the last fetch and of the last attempt; monotonic milliseconds. */
  fetchedAtMs: number;
  triedAtMs: number;
  failure: string;
  flight: Promise<void> | undefined;
}

/** Public keys of trusted issuers, fetched through the guarded egress at a bounded rate. */
export class IssuerKeys {
  readonly #fetch: GuardedFetch;
  readonly #now: () => number;
  readonly #entries = new BoundedCache<string, Entry>(issuerKeyBounds.issuersMax);

  constructor(fetch: GuardedFetch, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /**
   * @param waitMs time after which the caller fails while the fetch goes on in the background
   * @throws GatewayError `upstream_unreachable` where the keys cannot be fetched
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

  /** Fetches the keys again for a token whose key is not among `seen`, unless they were just fetched. Undefined: no other keys. */
  async renewed(source: Source, seen: KeySet, waitMs: number): Promise<KeySet | undefined> {
    const entry = this.#entryOf(source);
    if (entry.keys !== seen) return entry.keys;
    if (entry.flight !== undefined || this.#mayTry(entry, issuerKeyBounds.unknownKeyRestMs)) {
      await within(this.#refresh(entry, source), waitMs);
    }
    return entry.keys === seen ? undefined : entry.keys;
  }

  /** Why an issuer's keys cannot be fetched now; undefined where they can. */
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

  /** OpenID Connect Discovery 1.0, section 4: the document must name this issuer. */
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

function toKeySet({ keys }: Readonly<Record<string, unknown>>): KeySet {
  if (!Array.isArray(keys)) throw unreachable("The issuer's keys are not a JSON Web Key Set.");
  const asymmetric = keys.flatMap((key: unknown) => toPublicKey(key) ?? []).slice(0, issuerKeyBounds.keysMax);
  const set: JSONWebKeySet = { keys: asymmetric };
  return { find: createLocalJWKSet(set), text: JSON.stringify(set) };
}

/**
 * A key with its texts and lists of texts (RFC 7517, section 4), since copying others, such as very deep ones, may fail. Excludes
 * symmetric keys: issuers publish none, and a public key must never be used as one.
 */
function toPublicKey(key: unknown): JWK | undefined {
  if (typeof key !== "object" || key === null || !("kty" in key)) return undefined;
  const { kty } = key;
  if (kty !== "RSA" && kty !== "EC" && kty !== "OKP") return undefined;
  const members = Object.entries(key).flatMap(([name, value]: [string, unknown]) => {
    if (Array.isArray(value)) return [[name, value.filter((text) => typeof text === "string")]];
    return typeof value === "string" ? [[name, value]] : [];
  });
  return { ...(Object.fromEntries(members) as Partial<JWK>), kty };
}

function unreachable(detail: string): GatewayError {
  return new GatewayError("upstream_unreachable", "The issuer's keys cannot be fetched.", { details: { detail } });
}

function detailOf(err: unknown): string {
  if (!isGatewayError(err)) throw err;
  const { detail } = err.details;
  return typeof detail === "string" ? detail : err.message;
}
