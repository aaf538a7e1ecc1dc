import { LRUCache } from "lru-cache";
import type { ProviderAddress, ProviderError } from "../provider.ts";
import { providersMax, restMsMax } from "./bounds.ts";
import { Circuit, type CircuitStateName, type Passage } from "./circuit.ts";
import { failureCodeOf, findingOf } from "./finding.ts";

export interface ProviderHealthOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly onTransition?: (provider: string, to: CircuitStateName) => void;
}

/** What is known of a provider with the credential in use. Times are of the health's own clock. */
export interface HealthReport {
  readonly provider: string;
  readonly credentialUuid: string | undefined;
  readonly state: CircuitStateName;
  readonly consecutiveFailures: number;
  readonly lastFailure: { readonly code: string; readonly at: number } | undefined;
  readonly openUntil: number | undefined;
  readonly restingUntil: number | undefined;
}

/** One attempt as far as the provider's health is concerned. */
export interface AttemptWatch {
  /** A stream's first output is there: enough for a probe, while other attempts are judged by their end. */
  outputBegan(): void;
  /** The attempt has ended, well where no failure is given. Resolves when that is in force. */
  ended(failure?: ProviderError): Promise<void>;
}

interface Entry {
  /** What the circuit is of: with another credential or address all is forgotten. */
  readonly address: ProviderAddress;
  readonly circuit: Circuit;
  lastFailure: HealthReport["lastFailure"];
  restingUntil: number;
}

/**
 * Which providers are worth asking, by the outcomes of this replica's own attempts: a circuit breaker for each provider
 * and credential, and the rest that a provider asked for with `Retry-After`.
 */
export class ProviderHealth {
  readonly #options: ProviderHealthOptions;
  readonly #entries = new LRUCache<string, Entry>({ max: providersMax });

  constructor(options: ProviderHealthOptions) {
    this.#options = options;
  }

  /** Whether a call should go there now if it can go elsewhere as well. */
  admits(address: ProviderAddress): boolean {
    const entry = this.#find(address);
    return entry === undefined || (entry.circuit.admits && entry.restingUntil <= this.#options.now());
  }

  /** How long until calls are admitted again, ms; 0 where they are. A probe on its way takes as long as it takes. */
  waitMs(address: ProviderAddress): number {
    const entry = this.#find(address);
    if (entry === undefined) return 0;
    const now = this.#options.now();
    const { circuit, restingUntil } = entry;
    const open = circuit.admits ? 0 : (circuit.openUntil ?? Number.POSITIVE_INFINITY);
    return Math.max(0, open - now, restingUntil - now);
  }

  /** Begins an attempt, admitted or not. */
  watch(address: ProviderAddress): AttemptWatch {
    const entry = this.#find(address) ?? this.#create(address);
    return new EntryWatch(entry, this.#options.now);
  }

  reports(): readonly HealthReport[] {
    const now = this.#options.now();
    return [...this.#entries.values()].map(({ address, circuit, lastFailure, restingUntil }) => ({
      provider: address.provider,
      credentialUuid: address.credentialUuid,
      state: circuit.state,
      consecutiveFailures: circuit.consecutiveFailures,
      lastFailure,
      openUntil: circuit.openUntil,
      restingUntil: restingUntil > now ? restingUntil : undefined,
    }));
  }

  #find(address: ProviderAddress): Entry | undefined {
    const entry = this.#entries.get(address.provider);
    return entry !== undefined && isSame(entry.address, address) ? entry : undefined;
  }

  #create(address: ProviderAddress): Entry {
    const { now, onTransition } = this.#options;
    const circuit = new Circuit({ now, onTransition: (to) => onTransition?.(address.provider, to) });
    const entry = { address, circuit, lastFailure: undefined, restingUntil: 0 };
    this.#entries.set(address.provider, entry);
    return entry;
  }
}

/** The model does not matter: what fails is a provider's door. */
function isSame(one: ProviderAddress, other: ProviderAddress): boolean {
  return one.credentialUuid === other.credentialUuid && one.baseUrl === other.baseUrl && one.kind === other.kind;
}

class EntryWatch implements AttemptWatch {
  readonly #entry: Entry;
  readonly #now: () => number;
  #passage: Passage;
  #probed: Promise<void> | undefined;

  constructor(entry: Entry, now: () => number) {
    this.#entry = entry;
    this.#now = now;
    this.#passage = entry.circuit.enter();
  }

  outputBegan(): void {
    if (!this.#passage.isProbe) return;
    this.#probed = this.#closeByProbe();
  }

  async ended(failure?: ProviderError): Promise<void> {
    if (failure === undefined) this.#entry.restingUntil = 0;
    else this.#note(failure);
    if (this.#probed !== undefined) await this.#probed;
    await this.#passage.report(failure === undefined ? "alive" : findingOf(failure));
  }

  async #closeByProbe(): Promise<void> {
    await this.#passage.report("alive");
    // What is still to come of the stream is judged like any other, while others do not judge worse already.
    const { circuit } = this.#entry;
    if (circuit.state === "closed") this.#passage = circuit.enter();
  }

  #note(failure: ProviderError): void {
    if (findingOf(failure) !== "failed") return;
    const now = this.#now();
    this.#entry.lastFailure = { code: failureCodeOf(failure), at: now };
    const restMs = Math.min(restMsMax, (failure.retryAfterSeconds ?? 0) * 1_000);
    this.#entry.restingUntil = Math.max(this.#entry.restingUntil, now + restMs);
  }
}
