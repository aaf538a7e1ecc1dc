import type { AbortState } from "@gatehouse/async";
import { callCancelled, GatewayError, isGatewayError } from "@gatehouse/errors";
import { type AttemptWatch, failureCodeOf, givenUp, ProviderError, type ProviderHealth } from "@gatehouse/providers";
import type { ReadyTarget, ResolvedTarget } from "./resolved-target.ts";

/** Rounds over the targets: the first, and one more after transient failures. */
const roundsMax = 2;
/** Slowest failure that is retried, ms. */
const quickMsMax = 5_000;
/** Bounds of the random pause between rounds, ms; it spreads callers that failed together. */
const pauseMs = { min: 100, max: 300 };
/** Longest wait for a provider's `Retry-After`, ms; with a longer one, the call fails at once. */
const retryAfterMsMax = 5_000;

/** A failed attempt, for logs and spans, never for callers. */
export interface FailedAttempt {
  readonly provider: string;
  readonly model: string;
  /** E.g. `timeout`, `status_503`. */
  readonly code: string;
  /** From the attempt's begin to its failure; of a stream that broke off, with the part that was passed on. */
  readonly durationMs: number;
}

interface FailoverOptions {
  readonly health: ProviderHealth;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** At least 0, below 1. */
  readonly random: () => number;
  /** Resolves after so many ms, or as soon as the signal is aborted. */
  readonly wait: (ms: number, signal: AbortState) => Promise<void>;
}

/** Bounds of one call: its caller's abort and its deadline. */
export interface FailoverBounds {
  /** Aborted by the caller. */
  readonly signal: AbortState;
  /** On the clock in use, milliseconds. */
  readonly deadlineAt: number;
}

interface Tries {
  /** Number of attempts, the successful one included. */
  readonly attempts: number;
  readonly failures: readonly FailedAttempt[];
}

interface FailoverAnswer<T> extends Tries {
  readonly ok: true;
  readonly value: T;
  readonly answeredBy: ReadyTarget;
  /** Begin of the attempt, on the clock in use, milliseconds. */
  readonly begunAt: number;
  /** Receives the end of the answer from the code that passes it on. */
  readonly watch: AttemptWatch;
}

type FailoverOutcome<T> = FailoverAnswer<T> | (Tries & { readonly ok: false; readonly error: GatewayError });

/** Place of an attempt among the call's targets. */
export interface AttemptPlace {
  /** Whether another target can be tried if this one fails. */
  readonly hasNext: boolean;
}

/** Targets of an endpoint, in the order in which they are tried. */
export interface Targets {
  readonly targets: readonly ResolvedTarget[];
}

/** One attempt. A GatewayError means that no attempt may be made: the call ends with it, or with the failure of the previous attempt. */
type Try<T> = (target: ReadyTarget, place: AttemptPlace) => Promise<T>;

/**
 * Tries an endpoint's targets in order, the next one only after a failure that permits it. Skips targets of disabled providers,
 * and those that keep failing while another can be tried. A target with `retries` is tried again after a quick, transient
 * failure, before the next one. After a round of such failures follows one more.
 */
export class Failover {
  readonly #options: FailoverOptions;

  constructor(options: FailoverOptions) {
    this.#options = options;
  }

  async run<T>({ targets }: Targets, bounds: FailoverBounds, attempt: Try<T>): Promise<FailoverOutcome<T>> {
    const ready = targets.filter((target) => target.kind === "ready");
    if (ready.length === 0) return { ok: false, error: notCallable(targets), attempts: 0, failures: [] };
    const run = new Run({ ...this.#options, ...bounds, attempt });
    for (let round = 1; ; round += 1) {
      const answer = await run.tryInOrder(ready);
      if (answer !== undefined) return answer;
      const pause = round < roundsMax && run.mayPass ? pauseBefore(ready, { ...this.#options, ...bounds }) : undefined;
      if (pause === undefined) return run.failed(ready);
      await this.#options.wait(pause, bounds.signal);
      if (bounds.signal.aborted || !ready.some(({ address }) => this.#options.health.admits(address)))
        return run.failed(ready);
    }
  }
}

type Pausing = Omit<FailoverOptions, "wait"> & FailoverBounds;

/** Wait before one of the targets is tried again, ms; undefined where it would end too late. */
function pauseBefore(
  targets: readonly ReadyTarget[],
  { health, now, random, signal, deadlineAt }: Pausing,
): number | undefined {
  const resting = Math.min(...targets.map(({ address }) => health.waitMs(address)));
  const pause = resting + pauseMs.min + random() * (pauseMs.max - pauseMs.min);
  const isTooLong = resting > retryAfterMsMax || now() + pause >= deadlineAt;
  return signal.aborted || isTooLong ? undefined : pause;
}

interface RunOptions<T> extends FailoverOptions, FailoverBounds {
  readonly attempt: Try<T>;
}

class Run<T> {
  readonly #options: RunOptions<T>;
  readonly #failures: FailedAttempt[] = [];
  #attempts = 0;
  #lastError: ProviderError | undefined;
  #refusal: GatewayError | undefined;
  #mayPass = true;
  /** Whether the latest failure was quick and transient. */
  #mayRetry = false;

  constructor(options: RunOptions<T>) {
    this.#options = options;
  }

  /** Whether every failure so far was quick and transient. */
  get mayPass(): boolean {
    return this.#mayPass && this.#refusal === undefined;
  }

  failed(targets: readonly ReadyTarget[]): FailoverOutcome<T> {
    return { ok: false, error: this.#error(targets), attempts: this.#attempts, failures: this.#failures };
  }

  #error(targets: readonly ReadyTarget[]): GatewayError {
    // A caller who left during a pause has not got the last failure.
    if (this.#options.signal.aborted) return toCallError(givenUp());
    if (this.#lastError !== undefined) return toCallError(this.#lastError, this.#retryAfterSeconds(targets));
    return this.#refusal ?? toCallError(new ProviderError("unreachable", "no target could be tried"));
  }

  /** Shortest `Retry-After`, where all targets sent one and the last failure is temporary. */
  #retryAfterSeconds(targets: readonly ReadyTarget[]): number | undefined {
    if (this.#lastError?.retryAfterSeconds === undefined || !this.#lastError.mayHelpToRetry) return undefined;
    const leastMs = Math.min(...targets.map(({ address }) => this.#options.health.waitMs(address)));
    return leastMs > 0 && Number.isFinite(leastMs) ? Math.ceil(leastMs / 1_000) : undefined;
  }

  /** One round. If no target is admitted, the first is tried nevertheless, since the call would fail otherwise. */
  async tryInOrder(targets: readonly ReadyTarget[]): Promise<FailoverAnswer<T> | undefined> {
    const attemptsBefore = this.#attempts;
    for (const [index, target] of targets.entries()) {
      if (!this.#options.health.admits(target.address)) continue;
      const hasNext = targets.slice(index + 1).some(({ address }) => this.#options.health.admits(address));
      const answer = await this.#tryAgain(target, { hasNext });
      if (answer !== undefined || this.#lastError?.mayFailOver === false || this.#refusal !== undefined) return answer;
    }
    const [first] = targets;
    return this.#attempts > attemptsBefore || first === undefined
      ? undefined
      : await this.#tryAgain(first, { hasNext: false });
  }

  /** Attempts at one target: the first, and its retries. */
  #tryAgain(target: ReadyTarget, place: AttemptPlace): Promise<FailoverAnswer<T> | undefined> {
    return (target.target.retries ?? 0) > 0 ? this.#tryRepeatedly(target, place) : this.#try(target, place);
  }

  async #tryRepeatedly(target: ReadyTarget, place: AttemptPlace): Promise<FailoverAnswer<T> | undefined> {
    const { signal, wait } = this.#options;
    for (let retriesLeft = target.target.retries ?? 0; ; retriesLeft -= 1) {
      const answer = await this.#try(target, place);
      if (answer !== undefined || retriesLeft <= 0 || !this.#mayRetry) return answer;
      const pause = pauseBefore([target], this.#options);
      if (pause === undefined) return undefined;
      await wait(pause, signal);
      if (signal.aborted) return undefined;
    }
  }

  async #try(target: ReadyTarget, place: AttemptPlace): Promise<FailoverAnswer<T> | undefined> {
    const { health, now } = this.#options;
    const watch = health.watch(target.address);
    const begunAt = now();
    this.#attempts += 1;
    try {
      const value = await this.#options.attempt(target, place);
      const answer = { ok: true, value, answeredBy: target, begunAt, watch } as const;
      return { ...answer, attempts: this.#attempts, failures: this.#failures };
    } catch (err) {
      if (isGatewayError(err)) return this.#refuse(err, watch);
      const failure = toProviderError(err);
      this.#recordFailure(target, failure, now() - begunAt);
      watch.ended(failure);
      return undefined;
    }
  }

  #refuse(refusal: GatewayError, watch: AttemptWatch): undefined {
    this.#attempts -= 1;
    this.#refusal = refusal;
    this.#mayRetry = false;
    watch.ended(new ProviderError("aborted", "The attempt was not made."));
    return undefined;
  }

  #recordFailure({ target: { provider, model } }: ReadyTarget, failure: ProviderError, durationMs: number): void {
    this.#lastError = failure;
    const mayPass = durationMs <= quickMsMax && failure.mayPass;
    this.#mayPass &&= mayPass;
    // A 429 without a time is of a limit that outlasts a short pause.
    this.#mayRetry = mayPass && (failure.status !== 429 || failure.retryAfterSeconds !== undefined);
    this.#failures.push({ provider, model, code: failureCodeOf(failure), durationMs });
  }
}

/** Error for the caller of a failed attempt, with the provider's status and code; one of the caller's request is theirs to fix. */
export function toCallError(err: ProviderError, retryAfterSeconds?: number): GatewayError {
  if (err.failure === "aborted") return callCancelled(err);
  if (err.isOfRequest) return new GatewayError("malformed_body", err.message, { cause: err });
  const loggedMessage = `Provider call failed: ${err.loggedMessage}`;
  return new GatewayError("provider_failed", `Provider call failed: ${err.message}`, {
    cause: err,
    loggedMessage,
    details: {
      ...(err.status === undefined ? {} : { provider_status: err.status }),
      ...(err.code === undefined ? {} : { provider_code: err.code }),
    },
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function toProviderError(err: unknown): ProviderError {
  if (err instanceof ProviderError) return err;
  // A defect of an adapter is not an outage of the provider, but must not stop the failover.
  return new ProviderError("malformed", "the provider's reply could not be read", { cause: err });
}

function notCallable(targets: readonly ResolvedTarget[]): GatewayError {
  const misconfigured = targets.findLast((target) => target.kind === "misconfigured");
  if (misconfigured !== undefined) {
    return new GatewayError("provider_failed", `Provider call failed: ${misconfigured.problem}`);
  }
  const provider = targets[0]?.target.provider ?? "";
  return new GatewayError("provider_disabled", `Provider '${provider}' is disabled in this gateway.`);
}
