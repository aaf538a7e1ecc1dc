import type { ResolvedTarget, Target } from "@gatehouse/failover";
import type { ProviderKind } from "@gatehouse/providers";
import type { Secret } from "@gatehouse/vault";
import { withoutTrailingSlash } from "./provider-rules.ts";

/** A stored credential, its key sealed. */
export interface SealedCredential {
  readonly uuid: string;
  readonly sealedKey: string;
}

/** A provider as calls of a target find it. */
export interface TargetProvider {
  readonly name: string;
  readonly kind: ProviderKind;
  /** Null is the kind's public address. */
  readonly baseUrl: string | null;
  readonly isEnabled: boolean;
  /** The credential in use: the oldest active one; null where there is none. */
  readonly credential: SealedCredential | null;
  /** Active or not. */
  readonly hasCredentials: boolean;
}

/** Kinds that can be called without a key, as long as none was stored for them. */
const keylessKinds: ReadonlySet<ProviderKind> = new Set(["mock", "openai-compatible"]);

/**
 * Whether calls may go to a target, and where. @param provider undefined where the target names none that exists
 * @throws as `openKey`, which is asked for providers in use alone
 */
export function resolveTarget(
  target: Target,
  provider: TargetProvider | undefined,
  openKey: (credential: SealedCredential) => Secret,
): ResolvedTarget {
  if (provider === undefined) {
    return { kind: "misconfigured", target, problem: `there is no provider '${target.provider}'` };
  }
  const { name, kind, isEnabled, credential, hasCredentials } = provider;
  if (!isEnabled) return { kind: "disabled", target };
  // If all keys are switched off, calls without a key are not intended.
  if (credential === null && (hasCredentials || !keylessKinds.has(kind))) {
    return { kind: "misconfigured", target, problem: `provider '${name}' has no active credential` };
  }
  const address = {
    provider: name,
    kind,
    baseUrl: withoutTrailingSlash(provider.baseUrl),
    apiKey: credential === null ? undefined : openKey(credential),
    credentialUuid: credential?.uuid,
    model: target.model,
  };
  return { kind: "ready", target, address };
}
