import { BoundedCache } from "@gatehouse/bounded-cache";
import type { Principal } from "@gatehouse/principal";

interface BodyRate {
  readonly bytesPerSecond: number;
  /** Bytes admitted at once after a pause. */
  readonly burstBytes: number;
}

/** Rates of request bodies: of each project, and of each of its tokens, both of which a body must fit. */
export interface BodyRates {
  readonly project: BodyRate;
  readonly token: BodyRate;
}

/** Holder whose rate a body exceeds, and the shortest wait until it fits, milliseconds. */
export interface BodyDebt {
  readonly holder: keyof BodyRates;
  readonly waitMs: number;
  readonly bytesPerSecond: number;
}

/** Smaller bodies are not charged: their cost is bounded by the limits of requests. */
export const chargedBodyBytesMin = 64 * 1024;

/** Holders remembered; a forgotten one starts with a full burst. */
const holdersMax = 20_000;

interface Bucket {
  /** Negative after a body larger than a burst. */
  bytes: number;
  filledAtMs: number;
}

/** Rates of a project and of its tokens, in the proportion of their shares. Either may send the largest body in one burst. */
export function toBodyRates(project: BodyRate, tokenPart: number, bodySizeBytesMax: number): BodyRates {
  const part = Math.min(1, tokenPart);
  const rateOf = (share: number): BodyRate => ({
    bytesPerSecond: Math.max(1, Math.floor(project.bytesPerSecond * share)),
    burstBytes: Math.max(bodySizeBytesMax, Math.floor(project.burstBytes * share)),
  });
  return { project: rateOf(1), token: rateOf(part) };
}

/** Token buckets of bytes per project and token, since the cost of reading, parsing and judging a body grows with its size. */
export class BodyRateLimiter {
  readonly #rates: BodyRates;
  readonly #buckets = {
    project: new BoundedCache<string | number, Bucket>(holdersMax),
    token: new BoundedCache<string | number, Bucket>(holdersMax),
  };

  constructor(rates: BodyRates) {
    this.#rates = rates;
  }

  /** Charges a body to its token and project, or to neither where one of them must wait. Admin keys have no rate. */
  take(principal: Principal, bytes: number, nowMs: number): BodyDebt | undefined {
    if (principal.kind === "admin") return undefined;
    const project = this.#fill("project", principal.project.uuid, nowMs);
    const token = this.#fill("token", principal.tokenId, nowMs);
    const debt = this.#debtOf("project", project, bytes) ?? this.#debtOf("token", token, bytes);
    if (debt !== undefined) return debt;
    project.bytes -= bytes;
    token.bytes -= bytes;
    return undefined;
  }

  #fill(holder: keyof BodyRates, name: string | number, nowMs: number): Bucket {
    const { bytesPerSecond, burstBytes } = this.#rates[holder];
    const bucket = this.#buckets[holder].get(name) ?? { bytes: burstBytes, filledAtMs: nowMs };
    const gained = ((nowMs - bucket.filledAtMs) / 1_000) * bytesPerSecond;
    bucket.bytes = Math.min(burstBytes, bucket.bytes + gained);
    bucket.filledAtMs = nowMs;
    this.#buckets[holder].set(name, bucket);
    return bucket;
  }

  #debtOf(holder: keyof BodyRates, bucket: Bucket, bytes: number): BodyDebt | undefined {
    const { bytesPerSecond, burstBytes } = this.#rates[holder];
    const missing = Math.min(bytes, burstBytes) - bucket.bytes;
    if (missing <= 0) return undefined;
    return { holder, waitMs: Math.ceil((missing / bytesPerSecond) * 1_000), bytesPerSecond };
  }
}
