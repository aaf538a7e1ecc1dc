import { sign, verify } from "node:crypto";
import { BoundedCache } from "@gatehouse/bounded-cache";
import { parseServiceKeys, parseTrust, type PrivateKey, type PublicKey, type ServiceKeys } from "./key-files.ts";
import { Followed, type KeySource } from "./key-source.ts";
import type { ServiceName } from "./service-names.ts";

/** Unix milliseconds. */
export type Clock = () => number;

/** Purpose of a signature; it is invalid for any other. */
export type SigningPurpose = "principal" | "identity" | "event" | "report";

/** A text with a valid signature. */
export interface Signed {
  readonly service: ServiceName;
  readonly keyId: string;
  readonly payload: string;
}

/** Verified signatures in the cache. */
const verifiedMax = 20_000;
/** Memory of their texts: an ordinary one has 1 to 2 KB, and the longest accepted one 160. */
const verifiedBytesMax = 32 * 1024 * 1024;
/** Least size of an entry, so that the number of entries is bounded too. */
const verifiedBytesMin = Math.ceil(verifiedBytesMax / verifiedMax);
/** Most bytes of a text's unit in memory; a signed one is ASCII and has one. */
const bytesPerUnitMax = 2;
/** Longest signed text that is verified, characters: a principal with a long reach fits, and an HTTP head has less. */
const signedLengthMax = 64 * 1024;

/**
 * Signing keys of a service (Ed25519), and the public keys of all services. Key files are followed, so that keys are rotated
 * without a restart.
 */
export class ServiceTrust {
  readonly #own: Followed<ServiceKeys>;
  readonly #known: Followed<KnownKeys>;
  #choice: (Choice & { readonly own: ServiceKeys; readonly known: KnownKeys }) | undefined;
  /** Clock for the validity of keys, and of what they sign. */
  readonly wallNow: Clock;
  readonly #verified = new BoundedCache<string, Signed>(verifiedBytesMax, {
    sizeOf: ({ payload }, text) => Math.max(verifiedBytesMin, text.length + bytesPerUnitMax * payload.length),
  });

  /** @throws Error for malformed keys. */
  constructor(own: KeySource, known: KeySource, wallNow: Clock = Date.now) {
    const { service } = parseServiceKeys(own.text);
    this.#own = new Followed([own], (text = "") => keysOf(service, text));
    this.#known = new Followed([known], (text = "") => new Map(parseTrust(text).map((key) => [key.id, key])));
    this.wallNow = wallNow;
  }

  get service(): ServiceName {
    return this.#own.get(this.wallNow()).service;
  }

  /** Id of the current signing key. Texts signed with another one should be signed again, since others may soon refuse it. */
  get signingKeyId(): string {
    return this.#signingKey().id;
  }

  /** Reasons why every other service refuses this one's signatures; empty when none does. */
  problems(): readonly string[] {
    const { id } = this.#signingKey();
    if (this.#keyOf(id) !== undefined) return [];
    return this.#known.get(this.wallNow()).has(id)
      ? ["the service's signing key has expired, and its key file has no other valid one"]
      : ["the service's signing key is not in the trust file"];
  }

  /** Messages for operators, such as a partly distributed rotation. */
  notices(): readonly string[] {
    return [
      ...this.#rotationNotices(),
      ...(this.#own.problem === undefined ? [] : [`the service's key file ${this.#own.problem}`]),
      ...(this.#known.problem === undefined ? [] : [`the trust file ${this.#known.problem}`]),
    ];
  }

  /** `<key id>.<payload in base64url>.<signature>` */
  sign(purpose: SigningPurpose, payload: string): string {
    const key = this.#signingKey();
    const encoded = Buffer.from(payload).toString("base64url");
    return `${key.id}.${encoded}.${this.#signature(key, purpose, encoded)}`;
  }

  /** Signature of a text that is sent separately: `<key id>.<signature>`. */
  signDetached(purpose: SigningPurpose, text: string): string {
    const key = this.#signingKey();
    return `${key.id}.${this.#signature(key, purpose, text)}`;
  }

  /** The text and its signer; undefined unless a known service has signed it for this purpose. Verified texts are cached. */
  verify(purpose: SigningPurpose, text: string): Signed | undefined {
    const cached = this.#verified.get(`${purpose} ${text}`);
    if (cached !== undefined && this.#keyOf(cached.keyId) !== undefined) return cached;
    if (text.length > signedLengthMax) return undefined;
    const [keyId = "", encoded = "", signature = "", ...rest] = text.split(".");
    if (rest.length > 0) return undefined;
    const service = this.#check(purpose, encoded, { keyId, signature });
    if (service === undefined) return undefined;
    const signed = { service, keyId, payload: Buffer.from(encoded, "base64url").toString("utf8") };
    this.#verified.set(`${purpose} ${text}`, signed);
    return signed;
  }

  /** Verifies a signature of {@link ServiceTrust.signDetached}. @returns the signing service; undefined unless it is known */
  verifyDetached(purpose: SigningPurpose, text: string, signature: string): ServiceName | undefined {
    const [keyId = "", bytes = "", ...rest] = signature.split(".");
    return rest.length > 0 ? undefined : this.#check(purpose, text, { keyId, signature: bytes });
  }

  /** Whether a key is valid now, for signatures verified before. */
  isAccepted(keyId: string): boolean {
    return this.#keyOf(keyId) !== undefined;
  }

  #check(
    purpose: SigningPurpose,
    text: string,
    { keyId, signature }: { readonly keyId: string; readonly signature: string },
  ): ServiceName | undefined {
    const known = this.#keyOf(keyId);
    if (known === undefined) return undefined;
    const holds = verify(null, toBytes(purpose, text), known.key, Buffer.from(signature, "base64url"));
    return holds ? known.service : undefined;
  }

  #keyOf(id: string): PublicKey | undefined {
    const now = this.wallNow();
    const key = this.#known.get(now).get(id);
    return counts(key, now) ? key : undefined;
  }

  #signature(key: PrivateKey, purpose: SigningPurpose, text: string): string {
    return sign(null, toBytes(purpose, text), key.key).toString("base64url");
  }

  /** A rotation distributes two files: with one of them the old keys still work for a while, so the other is requested. */
  #rotationNotices(): readonly string[] {
    const now = this.wallNow();
    const signing = this.#signingKey();
    const end = this.#keyOf(signing.id)?.notAfter;
    const later = this.#own.get(now).keys.filter(({ signsFrom }) => signsFrom > signing.signsFrom);
    if (later.some(({ id, signsFrom }) => signsFrom <= now && this.#keyOf(id) === undefined))
      return [
        "the service's newest signing key is not in the trust file, or has expired; it signs with the one before",
      ];
    if (end === undefined || later.length > 0) return [];
    return [`the service's signing key expires at ${new Date(end).toISOString()}, and its key file has no later one`];
  }

  #signingKey(): PrivateKey {
    const now = this.wallNow();
    const own = this.#own.get(now);
    const known = this.#known.get(now);
    const last = this.#choice;
    if (last?.own !== own || last.known !== known || now < last.fromMs || now >= last.untilMs)
      this.#choice = { own, known, ...chooseKey(own, known, now) };
    return this.#choice?.key ?? missingKey();
  }
}

/** The signing key, with the span of time for which the choice is valid. */
interface Choice {
  readonly key: PrivateKey;
  readonly fromMs: number;
  readonly untilMs: number;
}

type KnownKeys = ReadonlyMap<string, PublicKey>;

/**
 * Newest valid key whose time has come; the oldest before the time of all. If none is valid, the newest: other services may have
 * newer files than this process.
 */
function chooseKey({ keys }: ServiceKeys, known: KnownKeys, now: number): Choice {
  const sorted = keys.toSorted((a, b) => a.signsFrom - b.signsFrom);
  const begun = sorted.filter(({ signsFrom }) => signsFrom <= now);
  const key = begun.findLast(({ id }) => counts(known.get(id), now)) ?? begun.at(-1) ?? sorted[0] ?? missingKey();
  const turns = keys.flatMap(({ id, signsFrom }) => [signsFrom, known.get(id)?.notAfter ?? Number.POSITIVE_INFINITY]);
  return { key, fromMs: now, untilMs: Math.min(...turns.filter((turn) => turn > now), Number.POSITIVE_INFINITY) };
}

function counts(key: PublicKey | undefined, now: number): boolean {
  return key !== undefined && (key.notAfter === undefined || key.notAfter > now);
}

function missingKey(): never {
  throw new Error("A service has no key.");
}

/** Parses a service's keys. @throws Error for those of another service, as which the process would act. */
function keysOf(service: ServiceName, text: string): ServiceKeys {
  const keys = parseServiceKeys(text);
  if (keys.service !== service)
    throw new Error(`belongs to the service ${keys.service}, but this service is ${service}`);
  return keys;
}

function toBytes(purpose: SigningPurpose, text: string): Buffer {
  return Buffer.from(`gatehouse/${purpose}\n${text}`);
}
