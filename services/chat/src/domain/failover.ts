import { GatewayError } from "@gatehouse/errors";
import type { CompiledEndpoint, ResolvedTarget } from "./endpoint.ts";
import { ProviderError } from "./provider.ts";

type ReadyTarget = Extract<ResolvedTarget, { kind: "ready" }>;

export interface FailoverResult<T> {
  readonly value: T;
  readonly answeredBy: ReadyTarget;
  readonly attempts: number;
}

export type FailoverOutcome<T> =
  | ({ readonly ok: true } & FailoverResult<T>)
  | { readonly ok: false; readonly error: GatewayError; readonly attempts: number };

/**
 * Tries an endpoint's targets in order, the next one only after a failure that permits it (decisions: "Failover").
 * Targets of disabled providers are skipped; when all are, the answer is 503 for the first.
 */
export async function tryTargets<T>(
  { targets }: CompiledEndpoint,
  attempt: (target: ReadyTarget) => Promise<T>,
): Promise<FailoverOutcome<T>> {
  let attempts = 0;
  let lastError: GatewayError | undefined;
  for (const target of targets) {
    if (target.kind === "disabled") continue;
    if (target.kind === "misconfigured") {
      lastError = new GatewayError("provider_failed", `Provider call failed: ${target.problem}`);
      continue;
    }
    attempts += 1;
    try {
      return { ok: true, value: await attempt(target), answeredBy: target, attempts };
    } catch (err) {
      const failure = toProviderError(err);
      lastError = toCallError(failure);
      if (!failure.mayFailOver) break;
    }
  }
  return { ok: false, error: lastError ?? allDisabled(targets), attempts };
}

/** What a caller is told of a failed attempt. */
export function toCallError(err: ProviderError): GatewayError {
  if (err.failure === "aborted") return new GatewayError("cancelled", "The call was cancelled.", { cause: err });
  return new GatewayError("provider_failed", `Provider call failed: ${err.message}`, { cause: err });
}

function toProviderError(err: unknown): ProviderError {
  if (err instanceof ProviderError) return err;
  // A defect in an adapter must not be taken for an outage of the provider, but it must not stop the failover either.
  return new ProviderError("malformed", "the reply could not be understood", { cause: err });
}

function allDisabled(targets: readonly ResolvedTarget[]): GatewayError {
  const provider = targets[0]?.target.provider ?? "";
  return new GatewayError("provider_disabled", `Provider '${provider}' is disabled in this gateway.`);
}
