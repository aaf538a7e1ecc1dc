import type { ResolvedTarget, Target } from "@gatehouse/failover";
import type { ProviderKind } from "@gatehouse/providers";
import type { Secret } from "@gatehouse/vault";
import { withoutTrailingSlash } from "./provider-rules.ts";

/** A stored credential with its sealed key. */
export interface SealedCredential {
  readonly uuid: string;
  readonly sealedKey: string;
}

/** A provider, as targets refer to it. */
export interface TargetProvider {
  readonly name: string;
  readonly kind: ProviderKind;
  /** Null: the kind's public address. */
  readonly baseUrl: string | null;
  readonly isEnabled: boolean;
  /** The oldest active credential; null: none. */
  readonly credential: SealedCredential | null;
  /** Whether there are credentials, active or not. */
  readonly hasCredentials: boolean;
}

/** Kinds that may be called without a key, unless a key was stored. */
const keylessKinds: ReadonlySet<ProviderKind> = new Set(["mock", "openai-compatible"]);

/**
 * The address and key of a target, or why it cannot be called. @param provider undefined where none has the target's name
 * @throws as `openKey`, which is called only for providers in use
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
  // Where all keys are inactive, calls without a key are not intended.
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
