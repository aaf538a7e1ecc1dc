import { BoundedCache } from "@gatehouse/bounded-cache";
import { type CallOutcome, CircuitBreaker, type CircuitCall, type CircuitState } from "@gatehouse/upstream-http";
import type { ProviderAddress, ProviderError } from "../provider.ts";
import { callOutcomeOf, failureCodeOf } from "./call-outcome.ts";

/** Consecutive failures that open the circuit of a provider or of a model. */
export const failuresMax = 5;
/** Time for which a circuit stays open before one call may probe it, ms. */
export const openMs = 10_000;
/** Longest rest that a provider's `Retry-After` is granted, ms; after it the provider is asked again. */
export const restMsMax = 5 * 60_000;
/** Providers whose health is remembered; the least recently used is dropped first. */
export const providersMax = 1_000;
/** Models whose health is remembered; the least recently used is dropped first. */
export const modelsMax = 4_000;

interface ProviderHealthOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Called when a circuit changes: a model's, or the whole provider's where none is named. */
  readonly onTransition?: (provider: string, to: CircuitState, model: string | undefined) => void;
  /** Called when a target's key or model is newly refused (401, 403, 404); its administrator has to act. */
  readonly onRefused?: (address: ProviderAddress, code: string) => void;
}

/** Health of one model, or of a provider as a whole. Times are on the clock of `now`. */
export interface HealthState {
  readonly state: CircuitState;
  readonly consecutiveFailures: number;
  readonly lastFailure: { readonly code: string; readonly at: number } | undefined;
  readonly lastSuccessAt: number | undefined;
  readonly openUntil: number | undefined;
  readonly restingUntil: number | undefined;
}

/** A provider with the credential in use: the worst of its connections and its models, and each model by itself. */
export interface HealthReport extends HealthState {
  readonly provider: string;
  readonly credentialUuid: string | undefined;
  readonly models: readonly (HealthState & { readonly model: string })[];
}

/** Reports one attempt's progress to the provider's health. */
export interface AttemptWatch {
  /** The stream's first output has arrived: a probe has succeeded; other attempts are judged by their end. */
  outputBegan(): void;
  /** The attempt has ended, successfully where no failure is given. */
  ended(failure?: ProviderError): void;
}

interface Entry {
  /** Address that the circuit belongs to: another credential or base URL resets it. */
  readonly address: ProviderAddress;
  readonly circuit: CircuitBreaker;
  lastFailure: HealthState["lastFailure"];
  lastSuccessAt: number | undefined;
  restingUntil: number;
  /** The refusal that was last reported, until an attempt succeeds. */
  refusedWith: string | undefined;
}

/**
 * Health of the targets, from this replica's attempts: a circuit breaker for the connections to each provider, one for each model
 * with its credential, and the rest requested by `Retry-After`, kept by model, since providers limit and overload by model.
 */
export class ProviderHealth {
  readonly #options: ProviderHealthOptions;
  readonly #providers = new BoundedCache<string, Entry>(providersMax);
  readonly #models = new BoundedCache<string, Entry>(modelsMax);

  constructor(options: ProviderHealthOptions) {
    this.#options = options;
  }

  /** Whether a call that has another target should use this one now. */
  admits(address: ProviderAddress): boolean {
    const now = this.#options.now();
    const isFree = (entry: Entry | undefined) =>
      entry === undefined || (entry.circuit.admits && entry.restingUntil <= now);
    return isFree(this.#providerOf(address)) && isFree(this.#modelOf(address));
  }

  /** Time until calls are admitted again, ms; 0 where they are. A probe under way is not counted. */
  waitMs(address: ProviderAddress): number {
    const now = this.#options.now();
    const entries = [this.#providerOf(address), this.#modelOf(address)].filter((entry) => entry !== undefined);
    const waits = entries.map(({ circuit, restingUntil }) => {
      const open = circuit.admits ? 0 : (circuit.openUntil ?? Number.POSITIVE_INFINITY);
      return Math.max(open - now, restingUntil - now);
    });
    return Math.max(0, ...waits);
  }

  /** Begins an attempt, whether admitted or not. */
  watch(address: ProviderAddress): AttemptWatch {
    const { now, onRefused } = this.#options;
    const provider = this.#providerOf(address) ?? this.#create(address, undefined);
    const model = this.#modelOf(address) ?? this.#create(address, address.model);
    const circuits = { provider: new CircuitAttempt(provider, now), model: new CircuitAttempt(model, now) };
    return new TwoCircuitWatch(circuits, (code) => onRefused?.(address, code));
  }

  reports(): readonly HealthReport[] {
    const now = this.#options.now();
    const byProvider = Map.groupBy(this.#models.values(), ({ address }) => address.provider);
    return [...this.#providers.values()].map((entry) => {
      const { provider, credentialUuid } = entry.address;
      const models = byProvider.get(provider)?.filter(({ address }) => isSame(entry.address, address)) ?? [];
      const states = models
        .map((one) => ({ model: one.address.model, ...stateOf(one, now) }))
        .toSorted((one, other) => (one.model < other.model ? -1 : 1));
      return { provider, credentialUuid, ...worstOf([stateOf(entry, now), ...states]), models: states };
    });
  }

  #providerOf(address: ProviderAddress): Entry | undefined {
    return findIn(this.#providers, address.provider, address);
  }

  #modelOf(address: ProviderAddress): Entry | undefined {
    return findIn(this.#models, modelKey(address), address);
  }

  #create(address: ProviderAddress, model: string | undefined): Entry {
    const { now, onTransition } = this.#options;
    const onChange = (to: CircuitState) => onTransition?.(address.provider, to, model);
    const circuit = new CircuitBreaker({ failuresMax, openMs, now, onTransition: onChange });
    const entry = {
      address,
      circuit,
      lastFailure: undefined,
      lastSuccessAt: undefined,
      restingUntil: 0,
      refusedWith: undefined,
    };
    if (model === undefined) this.#providers.set(address.provider, entry);
    else this.#models.set(modelKey(address), entry);
    return entry;
  }
}

function modelKey({ provider, model }: ProviderAddress): string {
  // The length keeps pairs of names distinct that read the same when joined.
  return `${provider.length} ${provider} ${model}`;
}

function findIn(entries: BoundedCache<string, Entry>, key: string, address: ProviderAddress): Entry | undefined {
  const entry = entries.get(key);
  return entry !== undefined && isSame(entry.address, address) ? entry : undefined;
}

function isSame(one: ProviderAddress, other: ProviderAddress): boolean {
  return one.credentialUuid === other.credentialUuid && one.baseUrl === other.baseUrl && one.kind === other.kind;
}

function stateOf({ circuit, lastFailure, lastSuccessAt, restingUntil }: Entry, now: number): HealthState {
  return {
    state: circuit.state,
    consecutiveFailures: circuit.consecutiveFailures,
    lastFailure,
    lastSuccessAt,
    openUntil: circuit.openUntil,
    restingUntil: restingUntil > now ? restingUntil : undefined,
  };
}

const severity: Readonly<Record<CircuitState, number>> = { closed: 0, half_open: 1, open: 2 };

function worstOf(states: readonly [HealthState, ...HealthState[]]): HealthState {
  return states.reduce((worst, one) => ({
    state: severity[one.state] > severity[worst.state] ? one.state : worst.state,
    consecutiveFailures: Math.max(worst.consecutiveFailures, one.consecutiveFailures),
    lastFailure: (one.lastFailure?.at ?? -1) > (worst.lastFailure?.at ?? -1) ? one.lastFailure : worst.lastFailure,
    lastSuccessAt: latest(worst.lastSuccessAt, one.lastSuccessAt),
    openUntil: latest(worst.openUntil, one.openUntil),
    restingUntil: latest(worst.restingUntil, one.restingUntil),
  }));
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

class CircuitAttempt {
  readonly entry: Entry;
  readonly #now: () => number;
  #circuitCall: CircuitCall;

  constructor(entry: Entry, now: () => number) {
    this.entry = entry;
    this.#now = now;
    this.#circuitCall = entry.circuit.enter();
  }

  outputBegan(): void {
    if (this.#circuitCall.isProbe) this.#closeByProbe();
  }

  ended(outcome: CallOutcome, failure: ProviderError | undefined): void {
    if (failure === undefined) this.#recordSuccess();
    else if (outcome === "failed") this.#recordFailure(failure);
    this.#circuitCall.report(outcome);
  }

  #closeByProbe(): void {
    this.#circuitCall.report("alive");
    // The rest of the stream is judged like any other, unless other attempts have opened the circuit.
    const { circuit } = this.entry;
    if (circuit.state === "closed") this.#circuitCall = circuit.enter();
  }

  #recordSuccess(): void {
    this.entry.restingUntil = 0;
    this.entry.lastSuccessAt = this.#now();
  }

  #recordFailure(failure: ProviderError): void {
    const now = this.#now();
    this.entry.lastFailure = { code: failureCodeOf(failure), at: now };
    if (failure.retryAfterSeconds === undefined) return;
    // The latest reply knows best, also where it is earlier than an older one.
    this.entry.restingUntil = now + Math.min(restMsMax, failure.retryAfterSeconds * 1_000);
  }
}

interface CircuitAttempts {
  readonly provider: CircuitAttempt;
  readonly model: CircuitAttempt;
}

class TwoCircuitWatch implements AttemptWatch {
  readonly #circuits: CircuitAttempts;
  readonly #onRefused: (code: string) => void;

  constructor(circuits: CircuitAttempts, onRefused: (code: string) => void) {
    this.#circuits = circuits;
    this.#onRefused = onRefused;
  }

  outputBegan(): void {
    this.#circuits.provider.outputBegan();
    this.#circuits.model.outputBegan();
  }

  ended(failure?: ProviderError): void {
    const { provider, model } = this.#circuits;
    const outcome = failure === undefined ? "alive" : callOutcomeOf(failure);
    if (failure?.isOfTarget === true) this.#tellOnce(failureCodeOf(failure));
    else if (failure === undefined) model.entry.refusedWith = undefined;
    const isOfConnection = failure?.isOfConnection === true;
    provider.ended(isOfConnection || outcome === "unclear" ? outcome : "alive", failure);
    model.ended(isOfConnection ? "unclear" : outcome, failure);
  }

  /** Reports a refusal unless the model's last one had this code. */
  #tellOnce(code: string): void {
    const { entry } = this.#circuits.model;
    if (entry.refusedWith !== code) this.#onRefused(code);
    entry.refusedWith = code;
  }
}
